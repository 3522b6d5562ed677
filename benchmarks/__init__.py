"""Measurements, each a ratio of two quantities of one run; `make bench` runs them all."""
