"""Temporal properties of an explored graph: SCCs, fair cycles and lassos."""
