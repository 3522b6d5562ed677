"""Amounts beyond the arithmetic of kube-scheduler: `refuse_beyond_int64`.

kube-scheduler counts in int64 and multiplies amounts by 100 for scores, so larger sums wrap. The specification counts
exactly, so no answer is given beyond that bound.
"""

from collections import Counter
from collections.abc import Iterable

from schedcheck.errors import Unanswerable
from schedcheck.spec.objects import Node, Pod

MOST = (2**63 - 1) // 100
"""The largest amount, in milli-cpus, bytes or pieces, of which a hundredfold is an int64."""


def refuse_beyond_int64(pods: Iterable[Pod], nodes: Iterable[Node]) -> None:
    """Raises: Unanswerable if a node has more of a resource than `MOST`, or all pods together request more."""
    for node in nodes:
        for resource, amount in node.allocatable.items():
            if amount > MOST:
                raise Unanswerable(f"node {node} has {amount} of {resource}, more than {MOST}: {WRAPS}")
    total: Counter[str] = Counter()
    for pod in pods:
        for amounts in (each.requests for each in (*pod.init_containers, *pod.containers)):
            total.update(amounts)
        total.update(pod.overhead)
        total.update(pod.pod_requests)
    for resource, billionths in sorted(total.items()):
        if billionths // (10**6 if resource == "cpu" else 10**9) > MOST:
            raise Unanswerable(f"the pods request more than {MOST} of {resource}: {WRAPS}")


WRAPS = "kube-scheduler counts in int64, and what its wrapped sums decide is not modelled"
