"""The priority MostRequestedPriority: the mean of the shares of cpu and memory that are requested on a node.

Kubernetes 1.6: plugin/pkg/scheduler/algorithm/priorities/most_requested.go.
"""

from collections.abc import Iterable

from schedcheck.spec.classic.predicates.pod_fits_resources import room
from schedcheck.spec.classic.priorities.scale import HIGHEST, Scores, nonzero_requested
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot


def taken(requested: int, capacity: int) -> int:
    """Return the tenths of the capacity that are requested, truncated; 0 if it is exceeded, or if there is none."""
    return requested * HIGHEST // capacity if capacity > 0 and requested <= capacity else 0


@looks_at("node.allocatable", "node.capacity", "occupants.containers.requests")
def most_requested(pod: Pod, nodes: Iterable[Node], snapshot: Snapshot, by_allocatable: bool) -> Scores:
    """Return the mean of the tenths requested of cpu and of memory, truncated."""
    return {
        node.name: sum(
            taken(nonzero_requested(pod, node, snapshot, resource), room(node, by_allocatable).get(resource, 0))
            for resource in ("cpu", "memory")
        )
        // 2
        for node in nodes
    }
