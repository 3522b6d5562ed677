"""The breadth-first search over packed states, in memory and on disk."""
