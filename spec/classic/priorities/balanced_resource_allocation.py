"""The priority BalancedResourceAllocation: the closer the utilizations of cpu and memory, the better.

Kubernetes 1.6: plugin/pkg/scheduler/algorithm/priorities/balanced_resource_allocation.go. In 64-bit floating point, in
this order, and truncated.
"""

from collections.abc import Iterable

from schedcheck.spec.classic.predicates.pod_fits_resources import room
from schedcheck.spec.classic.priorities.scale import HIGHEST, Scores, nonzero_requested
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot


def share(requested: int, capacity: int) -> float:
    """Return the requested share of the capacity; 1 if there is no capacity."""
    return float(requested) / float(capacity) if capacity != 0 else 1.0


def balance(cpu: float, memory: float) -> int:
    """Return how close two utilizations are, from 0 to 10; 0 if either is 1 or more."""
    return 0 if cpu >= 1 or memory >= 1 else int(HIGHEST - abs(cpu - memory) * HIGHEST)


@looks_at("node.allocatable", "node.capacity", "occupants.containers.requests")
def balanced_resource_allocation(pod: Pod, nodes: Iterable[Node], snapshot: Snapshot, by_allocatable: bool) -> Scores:
    """Return the balance of each node with `pod` on it."""
    return {
        node.name: balance(
            *(
                share(nonzero_requested(pod, node, snapshot, resource), room(node, by_allocatable).get(resource, 0))
                for resource in ("cpu", "memory")
            )
        )
        for node in nodes
    }
