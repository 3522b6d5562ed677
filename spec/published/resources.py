"""Filter 1.2: what a node has left for the requests of a pod."""

from schedcheck.spec.faults import Fault, Faults
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.quantities import quantity_text
from schedcheck.spec.requests import REQUESTED, allocatable, request, requested, used


@looks_at("node.allocatable", *REQUESTED)
def resources(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> bool:
    r"""Whether `node` has enough left for the requests of `pod`. A request of 0 is always met.

    TLA+: Resources(Pod, Node, Snapshot) ==
            /\ Used(Node, Snapshot, "pods") + 1 <= Allocatable(Node, "pods")
            /\ "max-of-none" \in Faults => Pod.Spec.InitContainers # <<>>
            /\ \A Resource \in ResourceNames :
                 Request(Pod, Resource) > 0 =>
                   Used(Node, Snapshot, Resource) + Request(Pod, Resource) <= Allocatable(Node, Resource)
    """
    return (
        used(node, snapshot, "pods", faults) + 1 <= allocatable(node, "pods")
        and (Fault.MAX_OF_NONE not in faults or pod.init_containers != ())
        and all(
            request(pod, resource, faults) <= 0
            or used(node, snapshot, resource, faults) + request(pod, resource, faults) <= allocatable(node, resource)
            for resource in requested(pod)
        )
    )


def why_not_fitting(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> str | None:
    """Return the resources of which `node` has too little for `pod`, in manifest units; None if it has enough."""
    reasons = []
    if used(node, snapshot, "pods", faults) + 1 > allocatable(node, "pods"):
        reasons.append("too many pods")
    if Fault.MAX_OF_NONE in faults and pod.init_containers == ():
        reasons.append("the maximum over no init containers is undefined")
    for resource in sorted(requested(pod)):
        wanted = request(pod, resource, faults)
        left = allocatable(node, resource) - used(node, snapshot, resource, faults)
        if wanted > 0 and left < wanted:
            reasons.append(
                f"insufficient {resource} (requests {quantity_text(resource, wanted)},"
                f" {quantity_text(resource, max(left, 0))} left)"
            )
    return "; ".join(reasons) or None
