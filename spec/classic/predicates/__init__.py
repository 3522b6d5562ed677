"""The predicates, a file each or a file a group: whether a pod may go to a node."""
