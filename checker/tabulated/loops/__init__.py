"""The compiled loops over packed states."""
