"""The score NodeResourcesBalancedAllocation: the closer a pod brings the utilizations of a node's resources, the better.

By departure "balanced-with-the-pod-alone" it is how close they are with the pod on the node.
"""

import math
from collections.abc import Mapping

from schedcheck.spec.binding import occupants
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.plugins import DEFAULT_ARGUMENTS, Plugins
from schedcheck.spec.kubernetes.requests import OCCUPIED, occupied
from schedcheck.spec.kubernetes.scores.arithmetic import HIGHEST, Scores
from schedcheck.spec.kubernetes.scores.node_resources_fit import looked_at
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.requests import allocatable


def balanced_allocation_skipped(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> bool:
    r"""Whether `pod` requests none of the balanced resources.

    TLA+: BalancedAllocationSkipped(Pod) ==
            \A i \in DOMAIN BalancedResources : Given(Occupied(Pod), BalancedResources[i]) = 0
    Kubernetes 1.34: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go, isBestEffortPod.
    """
    wants = occupied(pod, plugins.departures)
    return all(wants.get(resource, 0) == 0 for resource in plugins.arguments.balanced)


def deviation(shares: list[float]) -> float:
    r"""Return the standard deviation of the utilizations; for two it is half of their difference.

    TLA+: Balance(Share, Other) ==
            LET Whole == Share[2] * Other[2]
                Difference == Magnitude(Share[1] * Other[2] - Other[1] * Share[2])
                Exact == (Highest * Whole - (Highest \div 2) * Difference) \div Whole
            IN IF <<Share, Other>> \in FallsShort THEN Exact - 1 ELSE Exact
    """
    if len(shares) < 2:
        return 0.0
    if len(shares) == 2:
        return abs((shares[0] - shares[1]) / 2)
    total = 0.0
    for share in shares:
        total += share
    mean, squares = total / float(len(shares)), 0.0
    for share in shares:
        squares += (share - mean) * (share - mean)
    return math.sqrt(squares / float(len(shares)))


def balanced(
    pod: Pod,
    node: Node,
    snapshot: Snapshot,
    resources: tuple[str, ...] = DEFAULT_ARGUMENTS.balanced,
    departures: Departures = NEWEST.departures,
) -> int:
    r"""Return how much closer to each other `pod` brings the utilizations of `node`: 50 to 100, 75 for no change.

    Computed in 64-bit floating point, in this order, and truncated.

    TLA+: Balanced(Pod, Node, Snapshot) ==
            LET Wants(Resource) == Given(Occupied(Pod), Resource)
                Taken(Resource) == Sum([Other \in Occupants(Node, Snapshot) |-> Given(Occupied(Other), Resource)])
                Rated == SelectSeq(BalancedResources, LAMBDA Resource :
                  Allocatable(Node, Resource) # 0 /\ LookedAt(Resource, Wants(Resource)))
                Share(Resource, Amount) == <<Min({Amount, Allocatable(Node, Resource)}), Allocatable(Node, Resource)>>
                Without(Resource) == Share(Resource, Taken(Resource))
                With(Resource) == Share(Resource, Taken(Resource) + Wants(Resource))
                Together == IF Len(Rated) < 2 THEN Highest ELSE Balance(With(Rated[1]), With(Rated[2]))
                Apart == IF Len(Rated) < 2 THEN Highest ELSE Balance(Without(Rated[1]), Without(Rated[2]))
            IN IF "balanced-with-the-pod-alone" \in Departures THEN Together
               ELSE Highest \div 2 + ((Highest \div 2 + Together - Apart) \div 2)
    Kubernetes 1.37: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go, balancedResourceScorer.
    """
    wants = occupied(pod, departures)
    wanted = {resource: wants.get(resource, 0) for resource in resources}
    pods = [occupied(other, departures) for other in occupants(node, snapshot, NO_FAULTS)]
    taken = {resource: sum(other.get(resource, 0) for other in pods) for resource in resources}
    return balance(taken, wanted, node, resources, departures)


def balance(
    taken: Mapping[str, int], wanted: Mapping[str, int], node: Node, resources: tuple[str, ...], departures: Departures
) -> int:
    """Return the score of `node`, given the amounts taken and the additional amounts wanted."""
    rated = tuple(each for each in resources if allocatable(node, each) != 0 and looked_at(each, wanted[each]))
    together = closeness({each: taken[each] + wanted[each] for each in rated}, node, rated)
    if Departure.BALANCED_WITH_THE_POD_ALONE in departures:
        return together
    return HIGHEST // 2 + (HIGHEST // 2 + together - closeness(taken, node, rated)) // 2


def closeness(amounts: Mapping[str, int], node: Node, resources: tuple[str, ...]) -> int:
    """Return how close the utilizations of `node` are to each other: 50 to 100 for two resources, 100 for fewer."""
    shares = [min(float(amounts[each]) / float(allocatable(node, each)), 1.0) for each in resources]
    return int((1 - deviation(shares)) * float(HIGHEST))


@looks_at("node.allocatable", *OCCUPIED)
def balanced_allocation(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> Scores:
    r"""Return the score of every node, not normalised; 0 for a pod to skip if the plugin is not enabled at preScore.

    TLA+: BalancedAllocationScore(Pod, Among, Snapshot) ==
            [Node \in Among |-> IF BalancedAllocationSkipped(Pod) THEN 0 ELSE Balanced(Pod, Node, Snapshot)]
    """
    if balanced_allocation_skipped(pod, nodes, snapshot, plugins):
        return {node.name: 0 for node in nodes}
    resources = plugins.arguments.balanced
    return {node.name: balanced(pod, node, snapshot, resources, plugins.departures) for node in nodes}
