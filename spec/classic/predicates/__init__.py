"""The predicates of the early scheduler, one file for each or for a group: whether a pod fits on a node."""
