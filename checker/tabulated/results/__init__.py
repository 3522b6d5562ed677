"""Traces, graphs and verdicts from an exploration over tables."""
