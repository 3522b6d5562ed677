"""The scheduler of early Kubernetes: predicates that filter nodes, priorities that rank them, preemption of 1.17.

`policy` says which of them are on, `filtering` and `ranking` combine them, `failures` names the reasons of failures.
"""
