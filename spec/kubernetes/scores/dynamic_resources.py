"""The score DynamicResources: how early the alternatives are that the requests of a pod's claims get on a node.

Kubernetes 1.37: computeScore in pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go.
"""

from schedcheck.spec.device_objects import MOST_ALTERNATIVES, Allocation, ResourceClaim
from schedcheck.spec.devices.allocations import Failure, NotOnNode, allocated_by, outcome, situation_of
from schedcheck.spec.devices.claims import unallocated
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.filters.dynamic_resources import gates, known
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.scores.arithmetic import Scores, default_normalised
from schedcheck.spec.objects import Node, Pod, Snapshot


@looks_at("node.labels", "devices")
def dynamic_resources(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> Scores:
    r"""Return for each node 8 less the place of the alternative, summed over the requests that get one there.

    A node has 0 if no claim has to be allocated, or none can be there.

    TLA+: Earliness(Claim, Allocation) ==
            LET Got == {Allocation.Results[i].Request : i \in DOMAIN Allocation.Results}
                Rated(Asking) ==
                  IF ~Asking.Ranked THEN 0
                  ELSE Sum([n \in DOMAIN Asking.Parts |->
                         IF Asking.Parts[n].Name \in Got THEN MostAlternatives - (n - 1) ELSE 0])
            IN Sum([j \in DOMAIN Claim.Requests |-> Rated(Claim.Requests[j])])

    TLA+: ClaimsRated(Pod, Node, Snapshot) ==
            LET Those == ClaimsOf(Pod, Snapshot)
                Waiting == Unallocated(Those)
                Situation == SituationOf(Node, Waiting, Snapshot)
                Way == AllocatedBy(Situation, FirstChoice(Situation))
                Place(Claim) == CHOOSE i \in DOMAIN Waiting : Waiting[i] = Claim
                Held_(Claim) == IF Claim.Allocation # Null THEN Claim.Allocation ELSE Way[Place(Claim)]
            IN IF Waiting = <<>> \/ Fails(Situation) \/ Choices(Situation) = {} THEN 0
               ELSE Sum([i \in DOMAIN Those |-> Earliness(Those[i], Held_(Those[i]))])

    TLA+: DynamicResourcesScore(Pod, Among, Snapshot) ==
            [Node \in Among |-> ClaimsRated(Pod, Node, Snapshot)]
    """
    claims = known(pod, snapshot.devices, plugins.departures)
    return {node.name: _rated(claims, node, snapshot, plugins) for node in nodes}


def _rated(claims: tuple[ResourceClaim, ...], node: Node, snapshot: Snapshot, plugins: Plugins) -> int:
    waiting = unallocated(claims)
    if not waiting:
        return 0
    situation = situation_of(node, snapshot.devices, waiting, gates(plugins.departures))
    try:
        choice = outcome(situation)
    except (Failure, NotOnNode):
        choice = None
    if choice is None:
        return 0
    made = iter(allocated_by(situation, choice))
    return sum(_earliness(claim, claim.allocation or next(made)) for claim in claims)


def _earliness(claim: ResourceClaim, allocation: Allocation) -> int:
    got = {result.request for result in allocation.results}
    return sum(
        MOST_ALTERNATIVES - place
        for request in claim.requests
        if request.alternatives
        for place, (name, _) in enumerate(request.parts)
        if name in got
    )


@looks_at("scores")
def normalised_dynamic_resources(
    scores: Scores, pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins
) -> Scores:
    """Return the scores as percentages of the highest."""
    return default_normalised(scores, reverse=False)
