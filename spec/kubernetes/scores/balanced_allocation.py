"""The score NodeResourcesBalancedAllocation: the closer the utilizations of a node's resources, the better."""

import math
from collections.abc import Mapping

from schedcheck.spec.binding import occupants
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.plugins import DEFAULT_ARGUMENTS, Plugins
from schedcheck.spec.kubernetes.requests import OCCUPIED, occupied
from schedcheck.spec.kubernetes.scores.arithmetic import HIGHEST, Scores
from schedcheck.spec.kubernetes.scores.node_resources_fit import looked_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.requests import allocatable


def balanced_allocation_skipped(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> bool:
    r"""Whether `pod` requests none of the balanced resources.

    TLA+: BalancedAllocationSkipped(Pod) ==
            \A i \in DOMAIN BalancedResources : Given(Occupied(Pod), BalancedResources[i]) = 0
    Kubernetes 1.34: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go, isBestEffortPod.
    """
    return all(occupied(pod).get(resource, 0) == 0 for resource in plugins.arguments.balanced)


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


def balanced(pod: Pod, node: Node, snapshot: Snapshot, resources: tuple[str, ...] = DEFAULT_ARGUMENTS.balanced) -> int:
    r"""Return how close the utilizations of `node` are to each other with `pod` on it: 50 to 100 for two resources.

    Computed in 64-bit floating point, in this order, and truncated.

    TLA+: Balanced(Pod, Node, Snapshot) ==
            LET Wants(Resource) == Given(Occupied(Pod), Resource)
                Taken(Resource) == Sum([Other \in Occupants(Node, Snapshot) |-> Given(Occupied(Other), Resource)])
                Rated == SelectSeq(BalancedResources, LAMBDA Resource :
                  Allocatable(Node, Resource) # 0 /\ LookedAt(Resource, Wants(Resource)))
                Share(Resource) ==
                  <<Min({Taken(Resource) + Wants(Resource), Allocatable(Node, Resource)}), Allocatable(Node, Resource)>>
            IN IF Len(Rated) < 2 THEN Highest ELSE Balance(Share(Rated[1]), Share(Rated[2]))
    Kubernetes 1.34: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go, balancedResourceScorer.
    """
    wanted = {resource: occupied(pod).get(resource, 0) for resource in resources}
    pods = occupants(node, snapshot, NO_FAULTS)
    taken = {resource: sum(occupied(other).get(resource, 0) for other in pods) for resource in resources}
    return balance(taken, wanted, node, resources)


def balance(taken: Mapping[str, int], wanted: Mapping[str, int], node: Node, resources: tuple[str, ...]) -> int:
    """Return how close the utilizations of `node` are, given the amounts taken and the additional amounts wanted."""
    shares = [
        min(
            float(taken[resource] + wanted[resource]) / float(allocatable(node, resource)),
            1.0,
        )
        for resource in resources
        if allocatable(node, resource) != 0 and looked_at(resource, wanted[resource])
    ]
    return int((1 - deviation(shares)) * float(HIGHEST))


@looks_at("node.allocatable", *OCCUPIED)
def balanced_allocation(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> Scores:
    r"""Return the score of every node, not normalised; 0 for a pod to skip if the plugin is not enabled at preScore.

    TLA+: BalancedAllocationScore(Pod, Among, Snapshot) ==
            [Node \in Among |-> IF BalancedAllocationSkipped(Pod) THEN 0 ELSE Balanced(Pod, Node, Snapshot)]
    """
    if balanced_allocation_skipped(pod, nodes, snapshot, plugins):
        return {node.name: 0 for node in nodes}
    return {node.name: balanced(pod, node, snapshot, plugins.arguments.balanced) for node in nodes}
