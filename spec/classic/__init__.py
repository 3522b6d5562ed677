"""The scheduler of early Kubernetes: predicates that filter the nodes, priorities that rank them, 1.17's preemption.

`policy` says which of them run, `filtering` and `ranking` put them together, `failures` names why a node fails.
"""
