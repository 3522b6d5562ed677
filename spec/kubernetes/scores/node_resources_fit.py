"""The score NodeResourcesFit, by the strategies LeastAllocated (the default), MostAllocated, RequestedToCapacityRatio.

A strategy consists of weighted resources and a rating of one resource. A resource of which a node has nothing
allocatable is not rated there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from frozendict import frozendict

from schedcheck.spec.binding import occupants
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.plugins import CPU_AND_MEMORY, Arguments, Plugins, Weights
from schedcheck.spec.kubernetes.requests import OCCUPIED, as_it_runs, named_in, using
from schedcheck.spec.kubernetes.scores.arithmetic import HIGHEST, Scores, int64, quotient, rounded
from schedcheck.spec.objects import Container, Node, Pod, Snapshot
from schedcheck.spec.requests import NATIVE, allocatable, counted, each_container, request, requested
from schedcheck.spec.values import NO_AMOUNTS, Amounts

DEFAULTS: Amounts = frozendict({"cpu": 100 * 10**6, "memory": 200 * 1024 * 1024 * 10**9})
"""The requests assumed for a container without a request, in billionths: 100m of cpu, 200Mi of memory."""


def with_default(container: Container, resource: str) -> Container:
    r"""Return the container with the default request of `resource` if it has none; a request of 0 is a request.

    TLA+: WithDefault(Container, Resource) ==
            IF Resource \in DOMAIN Container.Requests THEN Container
            ELSE LET Before == Container.Requests
                 IN [Container EXCEPT !.Requests = [Each \in DOMAIN Before \union {Resource} |->
                      IF Each = Resource THEN DefaultRequests[Resource] ELSE Before[Each]]]
    """
    return replace(container, requests=frozendict({resource: DEFAULTS[resource], **container.requests}))


def defaulted(pod: Pod, resource: str) -> Pod:
    """Return the pod with the default request of `resource` for each container that has none.

    TLA+: Defaulted(Pod, Resource) ==
            EachContainer(Pod, LAMBDA Container : WithDefault(Container, Resource))
    """
    return each_container(pod, lambda container: with_default(container, resource))


def rated_request(pod: Pod, resource: str) -> int:
    r"""Return the request of `pod` for scoring, with the default for each container that lacks one.

    If the pod has pod-level requests, the default applies only to a resource that neither it nor any container
    requests.

    TLA+: RatedRequest(Pod, Resource) ==
            IF \/ Resource \notin DOMAIN DefaultRequests
               \/ Pod.Spec.Requests # NoAmounts /\ Resource \in Requested(Pod)
            THEN Request(Pod, Resource)
            ELSE Request(Defaulted(Pod, Resource), Resource)
    Kubernetes 1.34: pkg/scheduler/framework/types.go, CalculateResource, getNonMissingContainerRequests.
    """
    if resource not in DEFAULTS or (pod.pod_requests and resource in requested(pod)):
        return request(pod, resource, NO_FAULTS)
    return request(defaulted(pod, resource), resource, NO_FAULTS)


def rated_request_of_placed(pod: Pod, resource: str, departures: Departures) -> int:
    r"""Return the request for scoring of the pod to be placed; by departure its pod-level requests do not count.

    TLA+: RatedRequestOfPlaced(Pod, Resource) ==
            IF "pod-level-unrated" \in Departures
            THEN RatedRequest([Pod EXCEPT !.Spec.Requests = NoAmounts], Resource)
            ELSE RatedRequest(Pod, Resource)
    Kubernetes 1.34: pkg/scheduler/framework/plugins/noderesources/resource_allocation.go, calculatePodResourceRequest.
    """
    unrated = Departure.POD_LEVEL_UNRATED in departures
    return rated_request(replace(pod, pod_requests=NO_AMOUNTS) if unrated else pod, resource)


def rated_occupation(pod: Pod, resource: str, departures: Departures) -> int:
    r"""Return what `pod` uses on its node for scoring: the most that a form of it requests, each with the defaults.

    TLA+: RatedOccupation(Pod, Resource) ==
            LET Forms == AsItRuns(Pod)
                Plain == \/ Resource \notin DOMAIN DefaultRequests
                         \/ Pod.Spec.Requests # NoAmounts /\ Resource \in NamedIn(Forms)
            IN Using({IF Plain THEN Form ELSE Defaulted(Form, Resource) : Form \in Forms}, Resource)
    Kubernetes 1.37: pkg/scheduler/framework/types.go, CalculateResource, getNonMissingContainerRequests.
    """
    forms = as_it_runs(pod, departures)
    plain = resource not in DEFAULTS or (pod.pod_requests and resource in named_in(forms))
    return using([form if plain else defaulted(form, resource) for form in forms], resource)


def rated_use(node: Node, snapshot: Snapshot, resource: str, departures: Departures) -> int:
    r"""Return the sum of what the occupants of `node` use for scoring: cpu and memory with defaults.

    TLA+: RatedUse(Node, Snapshot, Resource) ==
            Sum([Pod \in Occupants(Node, Snapshot) |-> RatedOccupation(Pod, Resource)])
    """
    return sum(rated_occupation(occupant, resource, departures) for occupant in occupants(node, snapshot, NO_FAULTS))


def least_requested(requested: int, capacity: int) -> int:
    """Return the percentage of `capacity` that is left; 0 if it is exceeded. The product wraps at 64 bits.

    TLA+: LeastRequested(Amount, Capacity) ==
            IF Amount > Capacity THEN 0 ELSE Quotient((Capacity - Amount) * Highest, Capacity)
    Kubernetes 1.34: pkg/scheduler/framework/plugins/noderesources/least_allocated.go, leastRequestedScore.
    """
    return 0 if requested > capacity else quotient(int64((capacity - requested) * HIGHEST), capacity)


def most_requested(requested: int, capacity: int) -> int:
    """Return the percentage of `capacity` that is requested, at most 100. The product wraps at 64 bits.

    TLA+: MostRequested(Amount, Capacity) ==
            Quotient(Min({Amount, Capacity}) * Highest, Capacity)
    Kubernetes 1.34: pkg/scheduler/framework/plugins/noderesources/most_allocated.go, mostRequestedScore.
    """
    return quotient(int64(min(requested, capacity) * HIGHEST), capacity)


@dataclass(frozen=True)
class Strategy:
    r"""A scoring strategy: the `rating` of a resource by amount requested and capacity, and the resources with weights.

    With `zeros_count` False, resources rated 0 are left out of the mean, and the mean is rounded and not truncated.

    TLA+: Rating(Amount, Capacity) ==
            LET Shape == ScoringStrategy.Shape
                Scaled == [i \in DOMAIN Shape |-> <<Shape[i][1], Shape[i][2] * (Highest \div 10)>>]
            IN CASE ScoringStrategy.Kind = "LeastAllocated" -> LeastRequested(Amount, Capacity)
                 [] ScoringStrategy.Kind = "MostAllocated" -> MostRequested(Amount, Capacity)
                 [] ScoringStrategy.Kind = "RequestedToCapacityRatio" ->
                      BrokenLine(Scaled, IF Amount > Capacity THEN Highest ELSE Quotient(Amount * Highest, Capacity))
    """

    resources: Weights
    rating: Callable[[int, int], int]
    zeros_count: bool = True


def least_allocated_strategy(resources: Weights = CPU_AND_MEMORY) -> Strategy:
    """Return the strategy LeastAllocated: the more is left, the better."""
    return Strategy(resources, least_requested)


def most_allocated_strategy(resources: Weights = CPU_AND_MEMORY) -> Strategy:
    """Return the strategy MostAllocated: the less is left, the better."""
    return Strategy(resources, most_requested)


def broken_line(shape: tuple[tuple[int, int], ...], utilization: int) -> int:
    r"""Return the score of a utilization on the line through the points of `shape`, constant outside of them.

    TLA+: BrokenLine(Shape, Utilization) ==
            LET Beyond == {i \in DOMAIN Shape : Utilization <= Shape[i][1]}
                Right == Shape[Min(Beyond)]
                Left == Shape[Min(Beyond) - 1]
            IN IF Beyond = {} THEN Shape[Len(Shape)][2]
               ELSE IF Min(Beyond) = 1 THEN Shape[1][2]
               ELSE Left[2] + Quotient((Right[2] - Left[2]) * (Utilization - Left[1]), Right[1] - Left[1])
    Kubernetes 1.34: pkg/scheduler/framework/plugins/helper/shape_score.go, BuildBrokenLinearFunction.
    """
    (first, at_first), (_, at_last) = shape[0], shape[-1]
    if utilization <= first:
        return at_first
    for (left, at_left), (right, at_right) in pairwise(shape):
        if utilization <= right:
            return at_left + quotient((at_right - at_left) * (utilization - left), right - left)
    return at_last


def requested_to_capacity_ratio_strategy(
    shape: tuple[tuple[int, int], ...], resources: Weights = CPU_AND_MEMORY
) -> Strategy:
    """Return the strategy RequestedToCapacityRatio: linear between points of utilization, 0 to 100, and score, 0 to 10.

    Kubernetes 1.34: pkg/scheduler/framework/plugins/noderesources/requested_to_capacity_ratio.go.
    """
    scaled = tuple((utilization, score * (HIGHEST // 10)) for utilization, score in shape)

    def rating(requested: int, capacity: int) -> int:
        share = HIGHEST if requested > capacity else quotient(int64(requested * HIGHEST), capacity)
        return broken_line(scaled, share)

    return Strategy(resources, rating, zeros_count=False)


LEAST_ALLOCATED = least_allocated_strategy()


def looked_at(resource: str, wanted: int) -> bool:
    r"""Whether the resource is rated for a pod that requests this amount; an extended resource only if it requests any.

    TLA+: LookedAt(Resource, Wants) ==
            \/ Resource \in {"cpu", "memory", "ephemeral-storage"}
            \/ Resource \in CountedResources /\ Wants # 0
    """
    return resource in NATIVE or (counted(resource) and wanted != 0)


def fit(pod: Pod, node: Node, snapshot: Snapshot, departures: Departures, strategy: Strategy) -> int:
    r"""Return the weighted mean of the ratings of the resources that `node` has; 0 if it has none.

    TLA+: Fit(Pod, Node, Snapshot) ==
            LET Wants(Resource) == RatedRequestOfPlaced(Pod, Resource)
                Rate(Resource) ==
                  Rating(RatedUse(Node, Snapshot, Resource) + Wants(Resource), Allocatable(Node, Resource))
                ZerosCount == ScoringStrategy.Kind # "RequestedToCapacityRatio"
                Counted == SelectSeq(ScoringStrategy.Resources, LAMBDA Each :
                  /\ Allocatable(Node, Each[1]) # 0
                  /\ LookedAt(Each[1], Wants(Each[1]))
                  /\ ZerosCount \/ Rate(Each[1]) > 0)
                Ratings == Sum([i \in DOMAIN Counted |-> Rate(Counted[i][1]) * Counted[i][2]])
                Weights == Sum([i \in DOMAIN Counted |-> Counted[i][2]])
            IN IF Weights = 0 THEN 0 ELSE IF ZerosCount THEN Quotient(Ratings, Weights) ELSE Rounded(Ratings, Weights)
    Kubernetes 1.34: pkg/scheduler/framework/plugins/noderesources/resource_allocation.go, score.
    """
    resources = [resource for resource, _ in strategy.resources]
    used = {resource: rated_use(node, snapshot, resource, departures) for resource in resources}
    wanted = {resource: rated_request_of_placed(pod, resource, departures) for resource in resources}
    return rating_of(used, wanted, node, strategy)


def rating_of(used: Mapping[str, int], wanted: Mapping[str, int], node: Node, strategy: Strategy) -> int:
    """Return the weighted mean for a node, given the amounts used and the additional amounts wanted."""
    rated = [
        (strategy.rating(used[resource] + wanted[resource], allocatable(node, resource)), weight)
        for resource, weight in strategy.resources
        if allocatable(node, resource) != 0 and looked_at(resource, wanted[resource])
    ]
    counted = [(rating, weight) for rating, weight in rated if strategy.zeros_count or rating > 0]
    total, weights = sum(rating * weight for rating, weight in counted), sum(weight for _, weight in counted)
    if weights == 0:
        return 0
    return quotient(total, weights) if strategy.zeros_count else rounded(float(total) / float(weights))


def strategy_of(arguments: Arguments) -> Strategy:
    """Return the strategy that the arguments name."""
    named = arguments.scoring_strategy
    match named.kind:
        case "MostAllocated":
            return most_allocated_strategy(named.resources)
        case "RequestedToCapacityRatio":
            return requested_to_capacity_ratio_strategy(named.shape, named.resources)
    return least_allocated_strategy(named.resources)


@looks_at("node.allocatable", *OCCUPIED)
def node_resources_fit(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> Scores:
    r"""Return the score of every node by the strategy; it is not normalised.

    TLA+: NodeResourcesFitScore(Pod, Among, Snapshot) == [Node \in Among |-> Fit(Pod, Node, Snapshot)]
    """
    strategy = strategy_of(plugins.arguments)
    return {node.name: fit(pod, node, snapshot, plugins.departures, strategy) for node in nodes}
