"""The level-by-level search over packed states, in memory and on disk."""
