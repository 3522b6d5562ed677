"""The predicate PodFitsResources: the node has enough left for the pod's requests.

Kubernetes 1.6: PodFitsResources and GetResourceRequest in plugin/pkg/scheduler/algorithm/predicates/predicates.go,
calculateResource in plugin/pkg/scheduler/schedulercache/node_info.go. Besides cpu and memory, the resources of 1.17
count, some of which have older names in 1.6.

Not known to that scheduler: overhead, sidecars, pod-level requests, what a container runs with.
"""

from schedcheck.spec.binding import occupants
from schedcheck.spec.classic.failures import Failure, insufficient
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Container, Node, Pod, Snapshot
from schedcheck.spec.quantities import amount
from schedcheck.spec.requests import counted
from schedcheck.spec.values import Amounts

ALWAYS = ("cpu", "memory", "ephemeral-storage")
"""The resources that are always checked, as long as the pod requests anything at all."""


def room(node: Node, by_allocatable: bool) -> Amounts:
    """Return the total amounts of `node`: its capacity, or its allocatable amounts.

    Differs: the documentation says capacity, but the code since 1.2 uses what is allocatable.
    """
    return node.allocatable if by_allocatable else node.capacity or node.allocatable


def asked(container: Container, resource: str) -> int:
    """Return the request of a container for a resource, in its smallest unit; each container is rounded up alone."""
    return amount(resource, container.requests.get(resource, 0))


def requested(pod: Pod, resource: str) -> int:
    """Return the request of `pod`: the sum over its containers, or the maximum over init containers if larger."""
    running = sum(asked(container, resource) for container in pod.containers)
    return max(running, max((asked(container, resource) for container in pod.init_containers), default=0))


def used(node: Node, snapshot: Snapshot, resource: str) -> int:
    """Return the requests of the containers of all pods on `node`; init containers do not count."""
    return sum(
        asked(container, resource)
        for other in occupants(node, snapshot, NO_FAULTS)
        for container in other.containers
    )  # fmt: skip


def named(pod: Pod) -> frozenset[str]:
    """Return the resources that containers of `pod` name and the scheduler counts, except those always checked."""
    requests = (container.requests for container in (*pod.containers, *pod.init_containers))
    return frozenset(name for each in requests for name in each if counted(name) and name not in ALWAYS)


def wants_nothing(pod: Pod) -> bool:
    """Whether `pod` requests nothing, so that only the number of pods is checked."""
    return not named(pod) and all(requested(pod, resource) == 0 for resource in ALWAYS)


def compared(pod: Pod, ignored: frozenset[str]) -> tuple[str, ...]:
    """Return the resources that are compared for `pod`, without those that only an extender counts.

    A pod that requests nothing but such a resource still has the others compared.
    """
    return () if wants_nothing(pod) else (*ALWAYS, *sorted(named(pod) - ignored))


def lacking(
    pod: Pod, node: Node, snapshot: Snapshot, by_allocatable: bool, ignored: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Return the resources of which `node` has too little left for `pod`, except the ignored ones."""
    has = room(node, by_allocatable)
    number = len(occupants(node, snapshot, NO_FAULTS))
    return (
        *(("pods",) if number + 1 > has.get("pods", 0) else ()),
        *(
            each
            for each in compared(pod, ignored)
            if has.get(each, 0) < requested(pod, each) + used(node, snapshot, each)
        ),
    )


def pod_fits_resources(
    pod: Pod, node: Node, snapshot: Snapshot, by_allocatable: bool, ignored: frozenset[str] = frozenset()
) -> bool:
    """Whether `node` admits one more pod and has enough left for the requests of `pod`.

    A pod that requests anything fails if cpu, memory or ephemeral-storage of the node is already overcommitted.
    """
    return lacking(pod, node, snapshot, by_allocatable, ignored) == ()


@looks_at("node.allocatable", "node.capacity", "occupants.containers.requests")
def failures(
    pod: Pod, node: Node, snapshot: Snapshot, by_allocatable: bool, ignored: frozenset[str] = frozenset()
) -> tuple[Failure, ...]:
    """Return the failures of PodFitsResources on `node`, one for each resource that is short; empty if it passes."""
    return tuple(insufficient(resource) for resource in lacking(pod, node, snapshot, by_allocatable, ignored))
