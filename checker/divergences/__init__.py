"""Divergences: where two witnesses differ, the smallest cluster that shows it, and what a comparison may excuse."""
