"""The requests of a pod, while it is pending and on its node: `requested`, `rounded`.

Kubernetes 1.34: PodRequests in k8s.io/component-helpers/resource/helpers.go; CalculateResource in
pkg/scheduler/framework/types.go; calculatePodResourceRequest in plugins/noderesources/resource_allocation.go.
"""

from collections.abc import Mapping

from schedcheck.spec.objects import Container, Pod
from schedcheck.spec.quantities import amount

Exact = dict[str, int]
"""Amounts in billionths of each resource's unit."""

CPU, MEMORY, EPHEMERAL, PODS = "cpu", "memory", "ephemeral-storage", "pods"
NATIVE = (CPU, MEMORY, EPHEMERAL, PODS)
DEFAULTS: Mapping[str, int] = {CPU: 10**8, MEMORY: 200 * 2**20 * 10**9}
"""The cpu (100m) and memory (200Mi) that scores assume for a container that requests none."""
NOTHING: Mapping[str, int] = {}


def counted(resource: str) -> bool:
    """Whether the scheduler accounts for a resource of this name.

    Kubernetes 1.34: IsScalarResourceName in pkg/scheduler/util/utils.go, and the four that it always keeps.
    """
    return (
        resource in NATIVE
        or ("/" in resource and not resource.startswith("requests."))
        or resource.startswith(("hugepages-", "attachable-volumes-"))
    )


def _of_container(container: Container, pod: Pod, as_it_runs: bool, defaults: Mapping[str, int]) -> Mapping[str, int]:
    """Return the requests of one container; with `as_it_runs`, its status counts too."""
    found: Mapping[str, int] = container.requests
    if as_it_runs and container.running is not None:
        found = container.running if pod.resize_infeasible else _greatest(found, container.running)
    missing = {resource: size for resource, size in defaults.items() if resource not in found}
    return {**found, **missing} if missing else found


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


def requested(
    pod: Pod, *, as_it_runs: bool = False, defaults: Mapping[str, int] = NOTHING, pod_level: bool = True
) -> Exact:
    """Return the requests of `pod`: sidecars run on while later containers run; other init containers run one by one.

    `defaults` replace missing requests of containers. Without `pod_level`, pod-level requests are ignored.
    """
    running: Exact = {}
    for container in pod.containers:
        running = _sum(running, _of_container(container, pod, as_it_runs, defaults))
    beside: Exact = {}
    starting: Exact = {}
    for container in pod.init_containers:
        own = _of_container(container, pod, as_it_runs and container.sidecar, defaults)
        if container.sidecar:
            running, beside = _sum(running, own), _sum(beside, own)
            starting = _greatest(starting, beside)
        else:
            starting = _greatest(starting, _sum(own, beside))
    total = _greatest(running, starting)
    if pod_level:
        total |= pod.pod_requests
    return _sum(total, pod.overhead)


def rounded(exact: Mapping[str, int]) -> dict[str, int]:
    """Return the accounted resources in smallest units, rounded up once."""
    return {resource: amount(resource, size) for resource, size in exact.items() if counted(resource)}


def occupied(pod: Pod) -> dict[str, int]:
    """Return the amounts that a pod takes on its node."""
    return rounded(requested(pod, as_it_runs=True))


def occupied_when_rated(pod: Pod) -> tuple[int, int]:
    """Return the cpu in thousandths and the memory in bytes that scores assume for a pod on its node.

    A resource with a pod-level request needs no default.
    """
    named = requested(pod, as_it_runs=True) if pod.pod_requests else NOTHING
    defaults = {resource: size for resource, size in DEFAULTS.items() if resource not in named}
    found = rounded(requested(pod, as_it_runs=True, defaults=defaults))
    return found.get(CPU, 0), found.get(MEMORY, 0)
