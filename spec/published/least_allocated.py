"""The resource rating of the printed model: LeastAllocated of one resource."""

from schedcheck.spec.faults import Fault, Faults
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.requests import REQUESTED, allocatable, request, used


@looks_at("node.allocatable", *REQUESTED)
def least_allocated(pod: Pod, node: Node, snapshot: Snapshot, resource: str, faults: Faults) -> int:
    r"""Return the percentage of the rated resource that `node` would have left with `pod`, rounded down: 0 to 100.

    TLA+: LeastAllocated(Pod, Node, Snapshot) ==
            LET Capacity == Allocatable(Node, RatedResource)
                Left == Capacity - Used(Node, Snapshot, RatedResource) - Request(Pod, RatedResource)
            IN IF "resources-unrated" \in Faults \/ Capacity <= 0 \/ Left < 0 THEN 0 ELSE (100 * Left) \div Capacity
    """
    capacity = allocatable(node, resource)
    left = capacity - used(node, snapshot, resource, faults) - request(pod, resource, faults)
    return 0 if Fault.RESOURCES_UNRATED in faults or capacity <= 0 or left < 0 else (100 * left) // capacity
