"""Divergences: differences between two witnesses, the smallest cluster that shows each, and the differences they
excuse.
"""
