"""The priority RequestedToCapacityRatioPriority: a given function of how much of each resource is requested.

Its arguments are the shape of the function, as points of utilization and score, and the resources with their weights. A
Policy gives it any name, and the argument requestedToCapacityRatioArguments.
Kubernetes 1.16: RequestedToCapacityRatioResourceAllocationPriority in
pkg/scheduler/algorithm/priorities/requested_to_capacity_ratio.go, resource_allocation.go in the same folder.
Differs: 1.17 multiplies the scores of the shape by 10 and rounds the results, from 0 to 100. If no resource scores above
0, it divides 0 by 0, and here the score is 0, as since 1.18.
"""

from collections.abc import Iterable
from math import floor

from schedcheck.spec.binding import occupants
from schedcheck.spec.classic.policy import Ratio, Shape
from schedcheck.spec.classic.predicates.pod_fits_resources import ALWAYS, requested, room, used
from schedcheck.spec.classic.priorities.scale import UNSAID, Scores, nonzero
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.requests import counted

FULL = 100
"""The utilization of a node without any capacity, and of one whose capacity is exceeded."""


def quotient(number: int, divisor: int) -> int:
    """Return the quotient truncated towards 0, as Go divides; the divisor is positive."""
    return number // divisor if number >= 0 else -(-number // divisor)


def height(shape: Shape, utilization: int) -> int:
    """Return the value of the broken line through the points of the shape; it is level before the first and the last."""
    points = [*shape, (FULL + 1, shape[-1][1])]
    before, after = next(pair for pair in zip([points[0], *points], points, strict=False) if utilization <= pair[1][0])
    if before == after or before[1] == after[1]:
        return after[1]
    return before[1] + quotient((after[1] - before[1]) * (utilization - before[0]), after[0] - before[0])


def utilization(asked: int, capacity: int) -> int:
    """Return the requested percentage of the capacity, rounded up; 100 if it is exceeded, or if there is none."""
    return FULL - (capacity - asked) * FULL // capacity if capacity > 0 and asked <= capacity else FULL


def demand(pod: Pod, node: Node, snapshot: Snapshot, resource: str) -> int:
    """Return what `pod` and the pods on `node` request; of cpu and memory a container without a request has a default.

    Of `pod` the init container with the largest request counts if it is larger; of existing pods none does.
    """
    if resource not in UNSAID:
        return requested(pod, resource) + used(node, snapshot, resource)
    starting = max((nonzero(each, resource) for each in pod.init_containers), default=0)
    own = max(starting, sum(nonzero(each, resource) for each in pod.containers))
    there = occupants(node, snapshot, NO_FAULTS)
    return own + sum(nonzero(container, resource) for other in there for container in other.containers)


def score(pod: Pod, node: Node, snapshot: Snapshot, ratio: Ratio, by_allocatable: bool) -> int:
    """Return the weighted mean over the resources that score above 0, rounded; 0 if none does."""

    def of(resource: str) -> int:
        known = counted(resource) or resource in ALWAYS
        capacity = room(node, by_allocatable).get(resource, 0) if known else 0
        return height(ratio.shape, utilization(demand(pod, node, snapshot, resource), capacity))

    scored = [(of(resource), weight) for resource, weight in ratio.resources]
    total = sum(weight for each, weight in scored if each > 0)
    return floor(sum(each * weight for each, weight in scored) / total + 0.5) if total else 0


@looks_at("node.allocatable", "node.capacity", "occupants.containers.requests")
def requested_to_capacity_ratio(
    pod: Pod, nodes: Iterable[Node], snapshot: Snapshot, ratio: Ratio, by_allocatable: bool
) -> Scores:
    """Return the score of each node with `pod` on it."""
    return {node.name: score(pod, node, snapshot, ratio, by_allocatable) for node in nodes}
