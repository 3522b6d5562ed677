"""Verdicts and explanations as JSON."""
