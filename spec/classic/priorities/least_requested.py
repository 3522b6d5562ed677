"""The priority LeastRequestedPriority: the mean of the shares of cpu and memory that are left on a node.

Kubernetes 1.6: plugin/pkg/scheduler/algorithm/priorities/least_requested.go.
"""

from collections.abc import Iterable

from schedcheck.spec.classic.predicates.pod_fits_resources import room
from schedcheck.spec.classic.priorities.scale import HIGHEST, Scores, nonzero_requested
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot


def unused(requested: int, capacity: int) -> int:
    """Return the tenths of the capacity that are left, truncated; 0 if it is exceeded, or if there is none."""
    return (capacity - requested) * HIGHEST // capacity if capacity > 0 and requested <= capacity else 0


@looks_at("node.allocatable", "node.capacity", "occupants.containers.requests")
def least_requested(pod: Pod, nodes: Iterable[Node], snapshot: Snapshot, by_allocatable: bool) -> Scores:
    """Return the mean of the tenths left of cpu and of memory, truncated."""
    return {
        node.name: sum(
            unused(nonzero_requested(pod, node, snapshot, resource), room(node, by_allocatable).get(resource, 0))
            for resource in ("cpu", "memory")
        )
        // 2
        for node in nodes
    }
