"""The priorities of a policy: the scores of each, and their weighted sums: `prioritized`.

Kubernetes 1.17: prioritizeNodes in pkg/scheduler/core/generic_scheduler.go.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from schedcheck.model.classic.priorities.affinity import inter_pod_affinity, node_affinity
from schedcheck.model.classic.priorities.others import (
    equal,
    image_locality,
    node_label,
    prefer_avoid_pods,
    taint_toleration,
)
from schedcheck.model.classic.priorities.rating import Begin, Rating, only
from schedcheck.model.classic.priorities.resources import balanced_resource_allocation, least_requested, most_requested
from schedcheck.model.classic.priorities.spreading import selector_spread, service_anti_affinity, service_spreading
from schedcheck.spec.classic.policy import Weighted

PRIORITIES: Final[dict[str, Begin]] = {
    "SelectorSpreadPriority": selector_spread,
    "ServiceSpreadingPriority": service_spreading,
    "LeastRequestedPriority": only(least_requested),
    "MostRequestedPriority": only(most_requested),
    "BalancedResourceAllocation": only(balanced_resource_allocation),
    "NodeAffinityPriority": node_affinity,
    "InterPodAffinityPriority": inter_pod_affinity,
    "TaintTolerationPriority": taint_toleration,
    "ImageLocalityPriority": only(image_locality),
    "NodePreferAvoidPodsPriority": only(prefer_avoid_pods),
    "EqualPriority": only(equal),
}


@dataclass(frozen=True)
class Scores:
    """The scores of each priority by node before its weight, and the weighted sums by node."""

    by_priority: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    totals: Mapping[str, int] = field(default_factory=dict)


def priority(each: Weighted) -> Begin:
    """Return the priority that an entry of a policy names, or that its argument makes."""
    if each.label is not None:
        return service_anti_affinity(each.label)
    if each.preference is not None:
        return node_label(each.preference.label, each.preference.presence)
    return PRIORITIES[each.name]


def unknown(priorities: tuple[Weighted, ...]) -> tuple[str, ...]:
    """Return the priorities of the policy that this scheduler does not have."""
    return tuple(
        each.name
        for each in priorities
        if each.label is None and each.preference is None and each.name not in PRIORITIES
    )


def prioritized(rating: Rating, priorities: tuple[Weighted, ...]) -> Scores:
    """Return the scores of the nodes on which the pod fits; 1 for each node if the policy has no priority."""
    names = [node.there.name for node in rating.nodes]
    if not priorities:
        return Scores({}, dict.fromkeys(names, 1))
    totals, by_priority = dict.fromkeys(names, 0), {}
    for each in priorities:
        rate, reduce = priority(each)(rating)
        scores = reduce(rating, [rate(rating, node) for node in rating.nodes])
        by_priority[each.name] = dict(zip(names, scores, strict=True))
        for name, score in by_priority[each.name].items():
            totals[name] += each.weight * score
    return Scores(by_priority, totals)
