"""BalancedResourceAllocation: the nearer the shares of cpu and memory that are requested to each other, the better.

Kubernetes 1.6: plugin/pkg/scheduler/algorithm/priorities/balanced_resource_allocation.go. In 64-bit floating point, in
this order, and cut.
"""

from collections.abc import Iterable

from schedcheck.spec.classic.predicates.pod_fits_resources import room
from schedcheck.spec.classic.priorities.scale import HIGHEST, Scores, nonzero_requested
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot


def share(requested: int, capacity: int) -> float:
    """The share of the capacity that is requested; all of nothing."""
    return float(requested) / float(capacity) if capacity != 0 else 1.0


def balance(cpu: float, memory: float) -> int:
    """How near two shares are to each other; 0 where either is everything or more."""
    return 0 if cpu >= 1 or memory >= 1 else int(HIGHEST - abs(cpu - memory) * HIGHEST)


@looks_at("node.allocatable", "node.capacity", "occupants.containers.requests")
def balanced_resource_allocation(pod: Pod, nodes: Iterable[Node], snapshot: Snapshot, by_allocatable: bool) -> Scores:
    """The balance of each node once `pod` is there."""
    return {
        node.name: balance(
            *(
                share(nonzero_requested(pod, node, snapshot, resource), room(node, by_allocatable).get(resource, 0))
                for resource in ("cpu", "memory")
            )
        )
        for node in nodes
    }
