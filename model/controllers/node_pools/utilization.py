"""How much of a node is requested: `utilization`."""

from collections.abc import Iterable

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.requests import request


def utilization(node: Node, pods: Iterable[Pod]) -> float | None:
    """Return the larger of the shares of cpu and memory that pods request; None if the node lacks either.

    Pods of DaemonSets and mirror pods count as all others, by default.

    Cluster autoscaler 1.34: simulator/utilization/info.go, Calculate and CalculateUtilizationOfResource.
    """
    offered = [node.allocatable.get(resource, 0) for resource in ("cpu", "memory")]
    if 0 in offered:
        return None
    there = tuple(pods)
    return max(
        sum(request(pod, resource, NO_FAULTS) for pod in there) / amount
        for resource, amount in zip(("cpu", "memory"), offered, strict=True)
    )
