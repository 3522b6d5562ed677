"""How many more pods like one fit into a cluster: by the scheduler's decisions, and by any other choice of nodes."""
