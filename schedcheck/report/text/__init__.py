"""Verdicts, traces and explanations as text."""
