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
    """Return for each node 8 less the place of the alternative, summed over the requests that get one there.

    A node has 0 if no claim has to be allocated, or none can be there.
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
