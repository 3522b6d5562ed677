"""A scheduler built like the one of early Kubernetes: cache, snapshot, predicates, priorities, preemption.

It is structured as the generic scheduler of 1.17: sums kept for each node, metadata computed once for a pod, and pods
removed and added again in preemption. The arithmetic of the priorities is that of 1.6. It takes only the vocabulary
from the specification, so that both can be compared as independent implementations.

Packages: `nodes`, what is known of pods and nodes; `predicates`; `priorities`. Modules: `reasons`, why a node is
rejected; `matching`, selectors, tolerations and terms; `listers`, the other objects; `metadata`, what the predicates
need to know of a pod; `fitting`, the predicates in order; `preemption`; `scheduler`.
"""
