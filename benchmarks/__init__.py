"""Measurements, each a ratio of two things taken in one run; `make bench` runs them all."""
