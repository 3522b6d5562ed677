"""What a pod requests, as it waits and as it counts on its node: `requested`, `rounded`.

Kubernetes 1.34: PodRequests in k8s.io/component-helpers/resource/helpers.go; CalculateResource in
pkg/scheduler/framework/types.go; calculatePodResourceRequest in plugins/noderesources/resource_allocation.go.
"""

from collections.abc import Mapping

from schedcheck.spec.objects import Container, Pod
from schedcheck.spec.quantities import amount

Exact = dict[str, int]
"""Billionths of each resource's unit."""

CPU, MEMORY, EPHEMERAL, PODS = "cpu", "memory", "ephemeral-storage", "pods"
NATIVE = (CPU, MEMORY, EPHEMERAL, PODS)
DEFAULTS: Mapping[str, int] = {CPU: 10**8, MEMORY: 200 * 2**20 * 10**9}
"""What a container counts for that names no cpu, or no memory, where nodes are rated by what is left: 100m and 200Mi."""
NOTHING: Mapping[str, int] = {}


def counted(resource: str) -> bool:
    """Whether the scheduler keeps account of a resource of this name.

    Kubernetes 1.34: IsScalarResourceName in pkg/scheduler/util/utils.go, and the four that it always keeps.
    """
    return (
        resource in NATIVE
        or ("/" in resource and not resource.startswith("requests."))
        or resource.startswith(("hugepages-", "attachable-volumes-"))
    )


def _of_container(container: Container, pod: Pod, as_it_runs: bool, defaults: Mapping[str, int]) -> Mapping[str, int]:
    """What one container counts for; `as_it_runs` lets its status speak, unless it is an init container that ends."""
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
    """What `pod` requests. Sidecars run beside everything that starts after them; other init containers one by one.

    `defaults` stand in for what a container does not name; without `pod_level` what the pod as a whole requests is
    overlooked.
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
    """The resources that count, each in its smallest unit, rounded up once."""
    return {resource: amount(resource, size) for resource, size in exact.items() if counted(resource)}


def occupied(pod: Pod) -> dict[str, int]:
    """What a pod on a node takes there."""
    return rounded(requested(pod, as_it_runs=True))


def occupied_when_rated(pod: Pod) -> tuple[int, int]:
    """Thousandths of cpu and bytes that a pod on a node is taken to use where nodes are rated.

    What the pod requests as a whole needs no default.
    """
    named = requested(pod, as_it_runs=True) if pod.pod_requests else NOTHING
    defaults = {resource: size for resource, size in DEFAULTS.items() if resource not in named}
    found = rounded(requested(pod, as_it_runs=True, defaults=defaults))
    return found.get(CPU, 0), found.get(MEMORY, 0)
