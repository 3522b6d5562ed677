"""The resource requests of a pod, to be placed and on its node: `wanted`, `occupied`.

A pod that was resized in place asks for something else than its node has set aside for it, or than it runs with; the
greatest of the three sums counts.

Kubernetes 1.37: PodRequests in k8s.io/component-helpers/resource, CalculateResource in
pkg/scheduler/framework/types.go.
"""

from collections.abc import Iterable
from dataclasses import replace

from frozendict import frozendict

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.objects import Container, Pod
from schedcheck.spec.requests import REQUESTED, counted, each_container, pod_level, request, requested
from schedcheck.spec.values import NO_AMOUNTS, Amounts

OCCUPIED = (
    *REQUESTED,
    "occupants.resize_infeasible",
    "occupants.pod_allocated",
    "occupants.pod_actual",
    "occupants.containers.allocated",
    "occupants.containers.actual",
    "occupants.init_containers.allocated",
    "occupants.init_containers.actual",
)
"""The footprint of `occupied` over the pods on a node."""


def wanted(pod: Pod) -> Amounts:
    r"""Return the requests of `pod`, in smallest units, for every resource that it names and the scheduler counts.

    TLA+: Wanted(Pod) ==
            [Resource \in Requested(Pod) \intersect CountedResources |-> Request(Pod, Resource)]
    """
    return frozendict({each: request(pod, each, NO_FAULTS) for each in requested(pod) if counted(each)})


def occupied(pod: Pod, departures: Departures) -> Amounts:
    r"""Return the resources that `pod` uses on its node: of each the most that a form of the pod requests.

    TLA+: Occupied(Pod) ==
            LET Forms == AsItRuns(Pod)
            IN [Resource \in NamedIn(Forms) \intersect CountedResources |-> Using(Forms, Resource)]
    """
    forms = as_it_runs(pod, departures)
    return frozendict({each: using(forms, each) for each in named_in(forms) if counted(each)})


def named_in(forms: Iterable[Pod]) -> frozenset[str]:
    r"""Return the resources that some form names in some request.

    TLA+: NamedIn(Forms) == UNION {Requested(Form) : Form \in Forms}
    """
    return frozenset[str]().union(*map(requested, forms))


def using(forms: Iterable[Pod], resource: str) -> int:
    r"""Return the most that a form requests of `resource`, in its smallest unit.

    TLA+: Using(Forms, Resource) == Max({Request(Form, Resource) : Form \in Forms})
    """
    return max(request(form, resource, NO_FAULTS) for form in forms)


def as_it_runs(pod: Pod, departures: Departures) -> tuple[Pod, ...]:
    r"""Return the forms of `pod`: as it asks, as its node has set aside for it, and as it runs, without repetition.

    Sums in the status of the pod take the place of its containers. What an infeasible resize asks for does not count.

    TLA+: AsItRuns(Pod) ==
            LET Whole == [Pod EXCEPT !.Spec.Requests = PodLevel(Pod)]
                Asks == IF Pod.Status.ResizeInfeasible THEN {} ELSE {Whole}
                Told == {Summed(Whole, Each) : Each \in {Pod.Status.Allocated, Pod.Status.Actual}}
            IN IF "greatest-of-each-container" \in Departures THEN {EachAsItRuns(Whole)}
               ELSE Asks \union (IF SumsTold(Pod) THEN Told ELSE {AsAllocated(Whole), AsActual(Whole)})
    """
    if not _resized(pod):
        return (pod,)
    whole = replace(pod, pod_requests=pod_level_requests(pod, departures))
    if Departure.GREATEST_OF_EACH_CONTAINER in departures:
        return (each_as_it_runs(whole),)
    asks = () if pod.resize_infeasible else (whole,)
    if sums_told(pod, departures):
        return *asks, summed(whole, pod.pod_allocated), summed(whole, pod.pod_actual or NO_AMOUNTS)
    return *asks, as_allocated(whole), as_actual(whole)


def _resized(pod: Pod) -> bool:
    """Whether the status may make the pod use anything else than it requests."""
    return (
        pod.resize_infeasible
        or bool(pod.pod_allocated)
        or pod.pod_actual is not None
        or any(each.allocated or each.actual is not None for each in (*pod.init_containers, *pod.containers))
    )


def status_counts(pod: Pod, departures: Departures) -> bool:
    r"""Whether the status of the pod as a whole counts.

    TLA+: StatusCounts(Pod) ==
            "pod-level-status-ignored" \notin Departures /\ Pod.Status.Actual # Null
    """
    return Departure.POD_LEVEL_STATUS_IGNORED not in departures and pod.pod_actual is not None


def sums_told(pod: Pod, departures: Departures) -> bool:
    r"""Whether the status gives both sums over the containers.

    TLA+: SumsTold(Pod) ==
            /\ StatusCounts(Pod)
            /\ Pod.Status.Allocated # NoAmounts
            /\ Pod.Status.Actual # NoAmounts
    """
    return status_counts(pod, departures) and bool(pod.pod_allocated) and bool(pod.pod_actual)


def pod_level_requests(pod: Pod, departures: Departures) -> Amounts:
    r"""Return the amounts that take the place of what the containers use.

    TLA+: PodLevel(Pod) ==
            LET Asked == IF Pod.Status.ResizeInfeasible THEN NoAmounts ELSE Pod.Spec.Requests
                Most == GreatestOf({Asked, Pod.Status.Allocated, Pod.Status.Actual})
                Names == IF "greatest-of-each-container" \in Departures THEN DOMAIN Pod.Spec.Requests
                         ELSE DOMAIN Most \intersect PodLevelResources
            IN IF Pod.Spec.Requests = NoAmounts \/ ~StatusCounts(Pod) THEN Pod.Spec.Requests
               ELSE [Resource \in Names |-> Given(Most, Resource)]
    """
    if not pod.pod_requests or not status_counts(pod, departures):
        return pod.pod_requests
    asked = NO_AMOUNTS if pod.resize_infeasible else pod.pod_requests
    most = greatest_of((asked, pod.pod_allocated, pod.pod_actual or NO_AMOUNTS))
    if Departure.GREATEST_OF_EACH_CONTAINER in departures:
        return frozendict({each: most.get(each, 0) for each in pod.pod_requests})
    return frozendict({each: size for each, size in most.items() if pod_level(each)})


def greatest_of(some: Iterable[Amounts]) -> Amounts:
    r"""Return the greatest amount of each resource.

    TLA+: GreatestOf(Some) ==
            [Resource \in UNION {DOMAIN Each : Each \in Some} |-> Max({Given(Each, Resource) : Each \in Some})]
    """
    most: dict[str, int] = {}
    for each in some:
        for resource, size in each.items():
            most[resource] = max(most.get(resource, 0), size)
    return frozendict(most)


def summed(pod: Pod, amounts: Amounts) -> Pod:
    r"""Return `pod` with these amounts in place of its containers; its pod-level requests go before them.

    TLA+: Summed(Pod, Amounts) ==
            LET Level == Pod.Spec.Requests
            IN [Pod EXCEPT
                 !.Spec.InitContainers = <<>>,
                 !.Spec.Containers = <<>>,
                 !.Spec.Requests = [Resource \in DOMAIN Amounts \union DOMAIN Level |->
                   IF Resource \in DOMAIN Level THEN Level[Resource] ELSE Amounts[Resource]]]
    """
    return replace(pod, init_containers=(), containers=(), pod_requests=frozendict({**amounts, **pod.pod_requests}))


def allocated(container: Container, infeasible: bool) -> Amounts:
    r"""Return what the node has set aside for the container; if its status does not tell, what it asks for.

    TLA+: Allocated(Container, Infeasible) ==
            IF Container.Allocated # NoAmounts THEN Container.Allocated
            ELSE IF Infeasible THEN NoAmounts ELSE Container.Requests
    """
    return container.allocated or (NO_AMOUNTS if infeasible else container.requests)


def actual(container: Container, infeasible: bool) -> Amounts:
    r"""Return what the container runs with; if its status does not tell, what its node has set aside for it.

    TLA+: Actual(Container, Infeasible) ==
            IF Container.Actual # Null /\ Container.Actual # NoAmounts THEN Container.Actual
            ELSE Allocated(Container, Infeasible)
    """
    return container.actual or allocated(container, infeasible)


def as_allocated(pod: Pod) -> Pod:
    r"""Return `pod` with the requests of each container replaced by what its node has set aside for it.

    TLA+: AsAllocated(Pod) ==
            EachContainer(Pod, LAMBDA Container :
              [Container EXCEPT !.Requests = Allocated(Container, Pod.Status.ResizeInfeasible)])
    """
    return each_container(pod, lambda each: replace(each, requests=allocated(each, pod.resize_infeasible)))


def as_actual(pod: Pod) -> Pod:
    r"""Return `pod` with the requests of each container replaced by what it runs with.

    TLA+: AsActual(Pod) ==
            EachContainer(Pod, LAMBDA Container :
              [Container EXCEPT !.Requests = Actual(Container, Pod.Status.ResizeInfeasible)])
    """
    return each_container(pod, lambda each: replace(each, requests=actual(each, pod.resize_infeasible)))


def each_as_it_runs(pod: Pod) -> Pod:
    r"""Return `pod` with the requests of each container and sidecar replaced by the most of what it asks, has and uses.

    TLA+: EachAsItRuns(Pod) ==
            LET Starting == Pod.Spec.InitContainers
                Runs == EachContainer(Pod, LAMBDA Container :
                          [Container EXCEPT !.Requests = Occupying(Container, Pod.Status.ResizeInfeasible)])
            IN [Runs EXCEPT !.Spec.InitContainers =
                 [i \in DOMAIN Starting |-> IF Starting[i].Sidecar THEN @[i] ELSE Starting[i]]]
    """
    running = each_container(pod, lambda each: replace(each, requests=occupying(each, pod.resize_infeasible)))
    pairs = zip(pod.init_containers, running.init_containers, strict=True)
    return replace(running, init_containers=tuple(now if own.sidecar else own for own, now in pairs))


def occupying(container: Container, infeasible: bool) -> Amounts:
    r"""Return the most of what a container asks for, was allocated and runs with; its request if its status lacks the last.

    TLA+: Occupying(Container, Infeasible) ==
            LET Asked == IF Infeasible THEN NoAmounts ELSE Container.Requests
            IN IF Container.Actual = Null THEN Container.Requests
               ELSE GreatestOf({Asked, Container.Actual, Container.Allocated})
    """
    if container.actual is None:
        return container.requests
    return greatest_of((NO_AMOUNTS if infeasible else container.requests, container.actual, container.allocated))
