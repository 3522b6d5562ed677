"""The scheduler's cache of nodes and of the pods on them, including assumed pods."""
