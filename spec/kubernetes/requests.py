"""What a pod requests of a node, and what it takes there once it runs: `wanted`, `occupied`.

Kubernetes 1.34: PodRequests in k8s.io/component-helpers/resource, CalculateResource in pkg/scheduler/framework/types.go.
"""

from dataclasses import replace

from frozendict import frozendict

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Container, Pod
from schedcheck.spec.published.resources import REQUESTED, request, requested
from schedcheck.spec.values import NO_AMOUNTS, Amounts

OCCUPIED = (
    *REQUESTED, "occupants.resize_infeasible", "occupants.containers.running", "occupants.init_containers.running",
)  # fmt: skip
"""What `occupied` looks at in the pods on a node."""

NATIVE = frozenset({"cpu", "memory", "ephemeral-storage"})


def counted(resource: str) -> bool:
    """Whether the scheduler counts the resource at all: other names without a slash it does not."""
    extended = "/" in resource and not resource.startswith("requests.")
    prefixed = resource.startswith(("hugepages-", "attachable-volumes-"))
    return resource in NATIVE or extended or prefixed or "kubernetes.io/" in resource


def wanted(pod: Pod) -> Amounts:
    r"""What `pod` requests, in smallest units, of every resource that it names and that counts.

    TLA+: Wanted(Pod) ==
            [Resource \in Requested(Pod) \intersect CountedResources |-> Request(Pod, Resource)]
    """
    return frozendict({each: request(pod, each, NO_FAULTS) for each in requested(pod) if counted(each)})


def occupied(pod: Pod) -> Amounts:
    """What `pod` takes on its node: what its containers request, or run with according to its status if that is more.

    TLA+: Occupied(Pod) == Wanted(AsItRuns(Pod))
    """
    return wanted(as_it_runs(pod))


def as_it_runs(pod: Pod) -> Pod:
    r"""`pod` with what its containers and sidecars take in the place of what they request.

    TLA+: AsItRuns(Pod) ==
            LET Runs(Container) == Occupying(Container, Pod.Status.ResizeInfeasible)
                Starting == Pod.Spec.InitContainers
                Running == Pod.Spec.Containers
            IN [Pod EXCEPT
                 !.Spec.InitContainers =
                   [i \in DOMAIN Starting |-> IF Starting[i].Sidecar THEN Runs(Starting[i]) ELSE Starting[i]],
                 !.Spec.Containers = [i \in DOMAIN Running |-> Runs(Running[i])]]
    """
    if all(each.running is None for each in (*pod.init_containers, *pod.containers)):
        return pod
    infeasible = pod.resize_infeasible
    return replace(
        pod,
        init_containers=tuple(_occupying(each, infeasible) if each.sidecar else each for each in pod.init_containers),
        containers=tuple(_occupying(each, infeasible) for each in pod.containers),
    )


def _occupying(container: Container, infeasible: bool) -> Container:
    r"""The container with what it takes; what its spec asks for does not count if its node cannot give that.

    TLA+: Occupying(Container, Infeasible) ==
            LET Asked == IF Infeasible THEN NoAmounts ELSE Container.Requests
            IN IF Container.Running = Null THEN Container
               ELSE [Container EXCEPT !.Requests =
                      [Resource \in DOMAIN Asked \union DOMAIN Container.Running |->
                        Max({Given(Asked, Resource), Given(Container.Running, Resource)})]]
    """
    if container.running is None:
        return container
    asked, runs = NO_AMOUNTS if infeasible else container.requests, container.running
    most = {name: max(asked.get(name, 0), runs.get(name, 0)) for name in (*asked, *runs)}
    return replace(container, requests=frozendict(most))
