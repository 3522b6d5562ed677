"""Viability: how well a feasible node suits a pod, the sum of the ratings."""

from collections.abc import Callable
from dataclasses import dataclass

from schedcheck.spec.faults import Faults
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.published.least_allocated import least_allocated
from schedcheck.spec.published.preferred import avoided_pods, preferred_nodes, preferred_pods


@dataclass(frozen=True)
class Rating:
    """A rating with its name: a function to an integer, the higher the better, given the rated resource."""

    name: str
    value: Callable[[Pod, Node, Snapshot, str, Faults], int]


RATINGS = (
    Rating("LeastAllocated", least_allocated),
    Rating("PreferredNodes", preferred_nodes),
    Rating("PreferredPods", preferred_pods),
    Rating("AvoidedPods", avoided_pods),
)


def viability(pod: Pod, node: Node, snapshot: Snapshot, resource: str, faults: Faults) -> int:
    """Return the sum of the ratings of `node` for `pod`; `resource` is the rated one.

    TLA+: Viability(Pod, Node, Snapshot) ==
            LeastAllocated(Pod, Node, Snapshot)
            + PreferredNodes(Pod, Node, Snapshot)
            + PreferredPods(Pod, Node, Snapshot)
            + AvoidedPods(Pod, Node, Snapshot)
    """
    return sum(rating.value(pod, node, snapshot, resource, faults) for rating in RATINGS)
