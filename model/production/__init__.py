"""A scheduler built like kube-scheduler 1.34: cache, queue, framework and plugins, preemption, binding cycle.

It takes only the vocabulary from the specification. It matches selectors and tolerations and sums requests itself, so
that specification and scheduler can be compared as independent implementations.

Packages: `snapshot`, what plugins read, as arrays; `volumes`, the matching of claims and volumes; `framework`, how
plugins are built and run; `plugins`; `preemption`; `extenders`; `cache`; `queue`; `cycle`, the scheduling cycle and the
binding cycle; `machine`, the scheduler as a state machine; `invariants`.
"""
