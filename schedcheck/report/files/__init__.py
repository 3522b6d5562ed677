"""Traces and graphs as files."""
