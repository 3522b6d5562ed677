"""kube-scheduler's cycle as `spec/` defines it, judged for all nodes at once on one snapshot that many pods are asked of.

Each definition is asked once for all nodes that are alike in what it looks at; sums over pods are made once for all pods
that are alike in it. `tests/checker/vectors/` holds the answers to be those of the definitions.
"""
