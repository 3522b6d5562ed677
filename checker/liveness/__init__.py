"""Temporal properties of an explored graph: components, fair cycles and lassos."""
