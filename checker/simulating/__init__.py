"""Runs of a simulated cluster: measured, and their decisions judged by the specification."""
