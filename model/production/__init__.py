"""A scheduler built as kube-scheduler 1.34 is built: cache, queue, framework and plugins, preemption, binding cycle.

From the specification it takes the vocabulary and nothing else: it matches selectors and tolerations and sums requests
itself, so that the two are independent witnesses of what a scheduler does.

Packages: `nodes`, what plugins look at, as arrays; `volumes`, what pods with volumes go by; `framework`, how plugins are
built and run; `plugins`; `cache`; `queue`; `cycle`, the scheduling cycle and the binding cycle.
"""
