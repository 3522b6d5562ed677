"""Traces, graphs and verdicts of a tabulated exploration."""
