"""Smallest victim sets: the problem, its judges, the search and the proof."""
