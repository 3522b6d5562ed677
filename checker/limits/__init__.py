"""Limits of time and memory, and the effort that a search may spend."""
