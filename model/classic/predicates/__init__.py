"""The predicates: each takes the arguments of the scheduler, the pod's metadata and a node, and returns reasons."""
