"""Whether the pods of nodes that are drained or fail find another place."""
