"""The explicit-state search: breadth first, depth first and random walks over a machine."""
