"""kube-scheduler's cycle as `spec/` defines it, evaluated for all nodes at once, for many pods on one snapshot.

Each definition is evaluated once for all nodes that agree in what it reads. Sums over pods are computed once for all
pods that agree in what the sum depends on. `tests/checker/vectors/` checks that the answers equal those of the
definitions.
"""
