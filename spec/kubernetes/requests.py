"""The resource requests of a pod, to be placed and on its node: `wanted`, `occupied`.

Kubernetes 1.34: PodRequests in k8s.io/component-helpers/resource, CalculateResource in
pkg/scheduler/framework/types.go.
"""

from dataclasses import replace

from frozendict import frozendict

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Container, Pod
from schedcheck.spec.requests import REQUESTED, counted, request, requested
from schedcheck.spec.values import NO_AMOUNTS, Amounts

OCCUPIED = (
    *REQUESTED, "occupants.resize_infeasible", "occupants.containers.running", "occupants.init_containers.running",
)  # fmt: skip
"""The footprint of `occupied` over the pods on a node."""


def wanted(pod: Pod) -> Amounts:
    r"""Return the requests of `pod`, in smallest units, for every resource that it names and the scheduler counts.

    TLA+: Wanted(Pod) ==
            [Resource \in Requested(Pod) \intersect CountedResources |-> Request(Pod, Resource)]
    """
    return frozendict({each: request(pod, each, NO_FAULTS) for each in requested(pod) if counted(each)})


def occupied(pod: Pod) -> Amounts:
    """Return the resources that `pod` uses on its node: per container the request, or the status if that is more.

    TLA+: Occupied(Pod) == Wanted(AsItRuns(Pod))
    """
    return wanted(as_it_runs(pod))


def as_it_runs(pod: Pod) -> Pod:
    r"""Return `pod` with the requests of containers and sidecars replaced by what they use.

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
    r"""Return the container with what it uses as its requests; its spec does not count if the resize is infeasible.

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
