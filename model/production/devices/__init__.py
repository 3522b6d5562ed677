"""Devices of dynamic resource allocation: the pools of a node, and an allocator that searches with backtracking."""
