"""The predicate PodFitsResources: what a pod requests is left on the node.

Kubernetes 1.6: PodFitsResources and GetResourceRequest in plugin/pkg/scheduler/algorithm/predicates/predicates.go,
calculateResource in plugin/pkg/scheduler/schedulercache/node_info.go. Of resources beside cpu and memory, those of 1.17
count, of which 1.6 knows some under older names.

Not known to that scheduler: overhead, sidecars, what a pod requests as a whole, what a container runs with.
"""

from schedcheck.spec.binding import occupants
from schedcheck.spec.classic.failures import Failure, insufficient
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.requests import counted
from schedcheck.spec.objects import Container, Node, Pod, Snapshot
from schedcheck.spec.quantities import amount
from schedcheck.spec.values import Amounts

ALWAYS = ("cpu", "memory", "ephemeral-storage")
"""The resources that are compared also where the pod requests nothing of them, as long as it requests anything."""


def room(node: Node, by_allocatable: bool) -> Amounts:
    """What `node` has: its capacity, or what is allocatable of it.

    Differs: the source says capacity, while the code of 1.2 and after goes by what is allocatable.
    """
    return node.allocatable if by_allocatable else node.capacity or node.allocatable


def asked(container: Container, resource: str) -> int:
    """What a container requests of a resource, in its smallest unit; each is rounded up by itself."""
    return amount(resource, container.requests.get(resource, 0))


def requested(pod: Pod, resource: str) -> int:
    """What `pod` requests: what its containers do together, or the most that an init container does if that is more."""
    running = sum(asked(container, resource) for container in pod.containers)
    return max(running, max((asked(container, resource) for container in pod.init_containers), default=0))


def used(node: Node, snapshot: Snapshot, resource: str) -> int:
    """What the pods on `node` hold: what their containers request. Init containers have had their turn."""
    return sum(
        asked(container, resource)
        for other in occupants(node, snapshot, NO_FAULTS)
        for container in other.containers
    )  # fmt: skip


def named(pod: Pod) -> frozenset[str]:
    """The resources beside those that are always compared that a container of `pod` names, and that count."""
    requests = (container.requests for container in (*pod.containers, *pod.init_containers))
    return frozenset(name for each in requests for name in each if counted(name) and name not in ALWAYS)


def wants_nothing(pod: Pod) -> bool:
    """Whether `pod` requests nothing, so that only the number of pods matters."""
    return not named(pod) and all(requested(pod, resource) == 0 for resource in ALWAYS)


def lacking(pod: Pod, node: Node, snapshot: Snapshot, by_allocatable: bool) -> tuple[str, ...]:
    """The resources of which too little is left on `node`."""
    has = room(node, by_allocatable)
    number = len(occupants(node, snapshot, NO_FAULTS))
    resources = () if wants_nothing(pod) else (*ALWAYS, *sorted(named(pod)))
    return (
        *(("pods",) if number + 1 > has.get("pods", 0) else ()),
        *(each for each in resources if has.get(each, 0) < requested(pod, each) + used(node, snapshot, each)),
    )


def pod_fits_resources(pod: Pod, node: Node, snapshot: Snapshot, by_allocatable: bool) -> bool:
    """Whether `node` has room for one more pod, and for what `pod` requests.

    A pod that requests anything fails where any of cpu, memory and ephemeral-storage is already overdrawn.
    """
    return lacking(pod, node, snapshot, by_allocatable) == ()


@looks_at("node.allocatable", "node.capacity", "occupants.containers.requests")
def failures(pod: Pod, node: Node, snapshot: Snapshot, by_allocatable: bool) -> tuple[Failure, ...]:
    """Why PodFitsResources fails `node`, a failure for each resource that is lacking."""
    return tuple(insufficient(resource) for resource in lacking(pod, node, snapshot, by_allocatable))
