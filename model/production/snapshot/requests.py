"""The requests of a pod, while it is pending and on its node: `requested`, `taken`, `rounded`.

Kubernetes 1.34: PodRequests in k8s.io/component-helpers/resource/helpers.go; CalculateResource in
pkg/scheduler/framework/types.go; calculatePodResourceRequest in plugins/noderesources/resource_allocation.go.
"""

from collections.abc import Callable, Mapping

from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.objects import Container, Pod
from schedcheck.spec.quantities import amount

Exact = dict[str, int]
"""Amounts in billionths of each resource's unit."""

CPU, MEMORY, EPHEMERAL, PODS = "cpu", "memory", "ephemeral-storage", "pods"
NATIVE = (CPU, MEMORY, EPHEMERAL, PODS)
DEFAULTS: Mapping[str, int] = {CPU: 10**8, MEMORY: 200 * 2**20 * 10**9}
"""The cpu (100m) and memory (200Mi) that scores assume for a container that requests none."""
LEVEL = (CPU, MEMORY)
"""What a pod as a whole can request, beside huge pages."""
NOTHING: Mapping[str, int] = {}

OfContainer = Callable[[Container, bool, bool], Mapping[str, int]]
"""From a container, whether the resize of its pod is infeasible, and whether it ends before the others start."""


def counted(resource: str) -> bool:
    """Whether the scheduler accounts for a resource of this name.

    Kubernetes 1.34: IsScalarResourceName in pkg/scheduler/util/utils.go, and the four that it always keeps.
    """
    return (
        resource in NATIVE
        or ("/" in resource and not resource.startswith("requests."))
        or resource.startswith(("hugepages-", "attachable-volumes-"))
    )


def _sum(left: Mapping[str, int], right: Mapping[str, int]) -> Exact:
    total = dict(left)
    for resource, size in right.items():
        total[resource] = total.get(resource, 0) + size
    return total


def _greatest(left: Mapping[str, int], right: Mapping[str, int]) -> Exact:
    most = dict(left)
    for resource, size in right.items():
        most[resource] = max(most.get(resource, 0), size)
    return most


def requested(pod: Pod, *, defaults: Mapping[str, int] = NOTHING, pod_level: bool = True) -> Exact:
    """Return the requests of `pod`: sidecars run on while later containers run; other init containers run one by one.

    `defaults` replace missing requests of containers. Without `pod_level`, pod-level requests are ignored.
    """
    total = _added_up(pod, _asked, defaults)
    if pod_level:
        total |= pod.pod_requests
    return _sum(total, pod.overhead)


def _added_up(pod: Pod, amounts: OfContainer, defaults: Mapping[str, int]) -> Exact:
    """Return what the containers need at most at one time, given what each of them needs."""

    def of(container: Container, starts: bool) -> Mapping[str, int]:
        found = amounts(container, pod.resize_infeasible, starts)
        missing = {resource: size for resource, size in defaults.items() if resource not in found}
        return {**found, **missing} if missing else found

    running: Exact = {}
    for container in pod.containers:
        running = _sum(running, of(container, False))
    beside: Exact = {}
    starting: Exact = {}
    for container in pod.init_containers:
        own = of(container, not container.sidecar)
        if container.sidecar:
            running, beside = _sum(running, own), _sum(beside, own)
            starting = _greatest(starting, beside)
        else:
            starting = _greatest(starting, _sum(own, beside))
    return _greatest(running, starting)


def _asked(container: Container, infeasible: bool, starts: bool) -> Mapping[str, int]:
    return container.requests


def _set_aside(container: Container, infeasible: bool, starts: bool) -> Mapping[str, int]:
    if container.allocated:
        return container.allocated
    return NOTHING if infeasible else container.requests


def _in_use(container: Container, infeasible: bool, starts: bool) -> Mapping[str, int]:
    if container.actual:
        return container.actual
    return _set_aside(container, infeasible, starts)


def _most_of_one(container: Container, infeasible: bool, starts: bool) -> Mapping[str, int]:
    if container.actual is None or starts:
        return container.requests
    most = _greatest(container.actual, container.allocated)
    return most if infeasible else _greatest(most, container.requests)


def taken(pod: Pod, departures: Departures, defaults: Mapping[str, int] = NOTHING) -> Exact:
    """Return what `pod` takes on its node, where its status may say that its node has not resized it yet.

    The greatest sum over the pod counts, in older versions the sum of the greatest amounts of each container.

    Kubernetes 1.37: AggregateContainerRequests; 1.36: determineEffectiveRequests.
    """
    by_container = Departure.GREATEST_OF_EACH_CONTAINER in departures
    level = NOTHING if Departure.POD_LEVEL_STATUS_IGNORED in departures else pod.pod_actual
    if by_container:
        total = _added_up(pod, _most_of_one, defaults)
    else:
        if level and pod.pod_allocated:
            total = _greatest(level, pod.pod_allocated)
        else:
            total = _greatest(_added_up(pod, _set_aside, defaults), _added_up(pod, _in_use, defaults))
        if not pod.resize_infeasible:
            total = _greatest(total, _added_up(pod, _asked, defaults))
    return _sum(total | _level(pod, by_container, Departure.POD_LEVEL_STATUS_IGNORED in departures), pod.overhead)


def _level(pod: Pod, by_container: bool, ignored: bool) -> Exact:
    """Return the pod-level amounts, which replace those of the containers; an empty request means that there are none."""
    if not pod.pod_requests or pod.pod_actual is None or ignored:
        return dict(pod.pod_requests)
    most = _greatest(pod.pod_actual, pod.pod_allocated)
    if not pod.resize_infeasible:
        most = _greatest(most, pod.pod_requests)
    if by_container:
        return {resource: most.get(resource, 0) for resource in pod.pod_requests}
    return {resource: size for resource, size in most.items() if resource in LEVEL or resource.startswith("hugepages-")}


def has_status(pod: Pod) -> bool:
    """Whether the status of the pod may make it take anything else than it requests."""
    told = any(each.actual is not None or each.allocated for each in (*pod.containers, *pod.init_containers))
    return told or pod.resize_infeasible or pod.pod_actual is not None


def rounded(exact: Mapping[str, int]) -> dict[str, int]:
    """Return the accounted resources in smallest units, rounded up once."""
    return {resource: amount(resource, size) for resource, size in exact.items() if counted(resource)}


def requested_when_rated(pod: Pod) -> dict[str, int]:
    """Return the amounts that scores assume for a pending pod, by its containers alone."""
    return rounded(requested(pod, defaults=DEFAULTS, pod_level=False))


def names_all(pod: Pod) -> bool:
    """Whether the requests of the containers are those of the pod, and lack none for which scores assume a default."""
    every = (*pod.containers, *pod.init_containers)
    return not pod.pod_requests and all(resource in each.requests for each in every for resource in DEFAULTS)


def occupied(pod: Pod, departures: Departures) -> dict[str, int]:
    """Return the amounts that a pod takes on its node."""
    return rounded(taken(pod, departures) if has_status(pod) else requested(pod))


def occupied_when_rated(pod: Pod, departures: Departures) -> tuple[int, int]:
    """Return the cpu in thousandths and the memory in bytes that scores assume for a pod on its node.

    A resource with a pod-level request needs no default.
    """
    named = taken(pod, departures) if pod.pod_requests else NOTHING
    defaults = {resource: size for resource, size in DEFAULTS.items() if resource not in named}
    exact = taken(pod, departures, defaults) if has_status(pod) else requested(pod, defaults=defaults)
    found = rounded(exact)
    return found.get(CPU, 0), found.get(MEMORY, 0)
