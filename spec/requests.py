"""The requests of pods, what the occupants of a node use, and what a node has: `request`, `used`, `allocatable`."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from schedcheck.spec.binding import occupants
from schedcheck.spec.faults import Fault, Faults
from schedcheck.spec.objects import Container, Node, Pod, Snapshot
from schedcheck.spec.quantities import amount
from schedcheck.spec.values import NO_AMOUNTS

REQUESTED = (
    "occupants.pod_requests",
    "occupants.overhead",
    "occupants.containers.requests",
    "occupants.init_containers.requests",
    "occupants.init_containers.sidecar",
)
"""The footprint of `used`."""

NATIVE = frozenset({"cpu", "memory", "ephemeral-storage"})


def total(containers: Iterable[Container], resource: str, faults: Faults) -> int:
    r"""Return the sum of the containers' requests of `resource`, in billionths.

    TLA+: Total(Containers, Resource) ==
            IF "sum-over-set" \in Faults
            THEN SumSet({Given(Containers[i].Requests, Resource) : i \in DOMAIN Containers})
            ELSE Sum([i \in DOMAIN Containers |-> Given(Containers[i].Requests, Resource)])
    """
    requests = [container.requests.get(resource, 0) for container in containers]
    return sum(set(requests) if Fault.SUM_OVER_SET in faults else requests)


def peak(containers: tuple[Container, ...], resource: str, faults: Faults) -> int:
    r"""Return the maximum of `resource` that init containers need at one time, in billionths; 0 without any.

    Each init container, sidecar or not, runs together with the sidecars that were started before it.

    TLA+: Peak(Containers, Resource) ==
            Max({0} \union
              {Total(Sidecars(SubSeq(Containers, 1, i - 1)) \o <<Containers[i]>>, Resource) : i \in DOMAIN Containers})
    """
    return max(
        (total([*sidecars(containers[:i]), containers[i]], resource, faults) for i in range(len(containers))),
        default=0,
    )


def sidecars(containers: tuple[Container, ...]) -> list[Container]:
    """Return the init containers that keep running with the main containers (restartPolicy Always).

    TLA+: Sidecars(Containers) ==
            SelectSeq(Containers, LAMBDA Container : Container.Sidecar)
    """
    return [container for container in containers if container.sidecar]


def request(pod: Pod, resource: str, faults: Faults) -> int:
    r"""Return the request of `pod` for `resource`, in its smallest unit: summed exactly, rounded up once.

    TLA+: Request(Pod, Resource) ==
            LET Running == Total(Sidecars(Pod.Spec.InitContainers) \o Pod.Spec.Containers, Resource)
                Starting == Peak(Pod.Spec.InitContainers, Resource)
            IN (IF Resource \in DOMAIN Pod.Spec.Requests THEN Pod.Spec.Requests[Resource]
                ELSE IF Running >= Starting THEN Running ELSE Starting)
               + Given(Pod.Spec.Overhead, Resource)
    Kubernetes 1.34: PodRequests in k8s.io/component-helpers/resource.
    Differs: TLA+ counts in smallest units throughout, and so holds of pods whose containers request whole ones.
    """
    running = total([*sidecars(pod.init_containers), *pod.containers], resource, faults)
    starting = peak(pod.init_containers, resource, faults)
    return amount(
        resource, pod.pod_requests.get(resource, max(running, starting)) + pod.overhead.get(resource, 0)
    )  # fmt: skip


def requested(pod: Pod) -> frozenset[str]:
    r"""Return the resources that `pod` names in some request.

    TLA+: CONSTANT ResourceNames, every resource that some pod of the model names, and the rated one

    TLA+: Requested(Pod) ==
            LET Containers == Pod.Spec.InitContainers \o Pod.Spec.Containers
            IN DOMAIN Pod.Spec.Requests \union DOMAIN Pod.Spec.Overhead
               \union UNION {DOMAIN Containers[i].Requests : i \in DOMAIN Containers}
    """
    containers = (*pod.init_containers, *pod.containers)
    return frozenset(pod.pod_requests) | frozenset(pod.overhead) | frozenset().union(*(c.requests for c in containers))


def used(node: Node, snapshot: Snapshot, resource: str, faults: Faults) -> int:
    r"""Return the sum of the requests of the occupants of `node` for `resource`; each occupant counts 1 of "pods".

    TLA+: Used(Node, Snapshot, Resource) ==
            IF "bound-pods-ignored" \in Faults THEN 0
            ELSE IF Resource = "pods" THEN Cardinality(Occupants(Node, Snapshot))
            ELSE Sum([Pod \in Occupants(Node, Snapshot) |-> Request(Pod, Resource)])
    """
    if Fault.BOUND_PODS_IGNORED in faults:
        return 0
    pods = occupants(node, snapshot, faults)
    return len(pods) if resource == "pods" else sum(request(pod, resource, faults) for pod in pods)


def allocatable(node: Node, resource: str) -> int:
    r"""Return the allocatable amount of `resource` on `node`; 0 if the node does not list it.

    TLA+: Allocatable(Node, Resource) ==
            IF Resource \in DOMAIN Node.Status.Allocatable THEN Node.Status.Allocatable[Resource] ELSE 0
    """
    return node.allocatable.get(resource, 0)


def each_container(pod: Pod, changed: Callable[[Container], Container]) -> Pod:
    r"""Return `pod` with each of its containers as `changed` returns it.

    TLA+: EachContainer(Pod, Changed(_)) ==
            LET Starting == Pod.Spec.InitContainers
                Running == Pod.Spec.Containers
            IN [Pod EXCEPT
                 !.Spec.InitContainers = [i \in DOMAIN Starting |-> Changed(Starting[i])],
                 !.Spec.Containers = [i \in DOMAIN Running |-> Changed(Running[i])]]
    """
    return replace(
        pod,
        init_containers=tuple(map(changed, pod.init_containers)),
        containers=tuple(map(changed, pod.containers)),
    )


def unresized(pod: Pod) -> Pod:
    """Return the pod as if its status told nothing about resources, as before its node has taken it up."""
    untold = each_container(pod, lambda container: replace(container, allocated=NO_AMOUNTS, actual=None))
    return replace(untold, pod_allocated=NO_AMOUNTS, pod_actual=None, resize_infeasible=False)


def pod_level(resource: str) -> bool:
    r"""Whether a pod as a whole may request this resource.

    TLA+: CONSTANT PodLevelResources, those of the model
    Kubernetes 1.34: IsSupportedPodLevelResource in k8s.io/component-helpers/resource.
    """
    return resource in ("cpu", "memory") or resource.startswith("hugepages-")


def counted(resource: str) -> bool:
    """Whether the scheduler counts the resource; it ignores unknown names without a slash."""
    extended = "/" in resource and not resource.startswith("requests.")
    prefixed = resource.startswith(("hugepages-", "attachable-volumes-"))
    return resource in NATIVE or extended or prefixed or "kubernetes.io/" in resource
