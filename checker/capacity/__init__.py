"""The number of further pods like a given one that fit into a cluster: by the scheduler's decisions, and by any choice of nodes."""
