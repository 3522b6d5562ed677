"""Ranking: the weighted sum of the enabled priorities, each from 0 to 10, and the best nodes by it.

Kubernetes 1.6: PrioritizeNodes in plugin/pkg/scheduler/generic_scheduler.go.
Differs: any of the best nodes may be chosen; 1.6 takes them in turn (selectHost), later versions draw one.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from schedcheck.spec.classic.extenders import kept, points
from schedcheck.spec.classic.filtering import feasible
from schedcheck.spec.classic.policy import Classic, Weighted
from schedcheck.spec.classic.priorities.balanced_resource_allocation import balanced_resource_allocation
from schedcheck.spec.classic.priorities.even_pods_spread import even_pods_spread
from schedcheck.spec.classic.priorities.image_locality import image_locality
from schedcheck.spec.classic.priorities.inter_pod_affinity import inter_pod_affinity
from schedcheck.spec.classic.priorities.least_requested import least_requested
from schedcheck.spec.classic.priorities.most_requested import most_requested
from schedcheck.spec.classic.priorities.node_affinity import node_affinity
from schedcheck.spec.classic.priorities.node_label import node_label
from schedcheck.spec.classic.priorities.node_prefer_avoid_pods import node_prefer_avoid_pods
from schedcheck.spec.classic.priorities.requested_to_capacity_ratio import requested_to_capacity_ratio
from schedcheck.spec.classic.priorities.scale import Scores
from schedcheck.spec.classic.priorities.selector_spread import selector_spread, service_spreading
from schedcheck.spec.classic.priorities.service_anti_affinity import service_anti_affinity
from schedcheck.spec.classic.priorities.taint_toleration import taint_toleration
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot


@looks_at("node.name")
def equal(pod: Pod, nodes: Iterable[Node], snapshot: Snapshot) -> Scores:
    """Return the scores of EqualPriority: 1 for each node."""
    return {node.name: 1 for node in nodes}


PRIORITIES: Final[Mapping[str, Callable[[Pod, Iterable[Node], Snapshot], Scores]]] = {
    "SelectorSpreadPriority": selector_spread,
    "ServiceSpreadingPriority": service_spreading,
    "ImageLocalityPriority": image_locality,
    "NodeAffinityPriority": node_affinity,
    "TaintTolerationPriority": taint_toleration,
    "NodePreferAvoidPodsPriority": node_prefer_avoid_pods,
    "EvenPodsSpreadPriority": even_pods_spread,
    "EqualPriority": equal,
}
BY_RESOURCES: Final[Mapping[str, Callable[[Pod, Iterable[Node], Snapshot, bool], Scores]]] = {
    "LeastRequestedPriority": least_requested,
    "MostRequestedPriority": most_requested,
    "BalancedResourceAllocation": balanced_resource_allocation,
}
INTER_POD: Final = "InterPodAffinityPriority"
NAMES: Final = frozenset({*PRIORITIES, *BY_RESOURCES, INTER_POD})
"""The names of the priorities that a Policy lists without an argument."""


def scores_of(each: Weighted, pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, classic: Classic) -> Scores:
    """Return the scores of a priority for these nodes, before its weight; it is one of `NAMES`, or has an argument."""
    if each.label is not None:
        return service_anti_affinity(pod, nodes, snapshot, each.label)
    if each.preference is not None:
        return node_label(nodes, each.preference)
    if each.ratio is not None:
        return requested_to_capacity_ratio(pod, nodes, snapshot, each.ratio, classic.by_allocatable)
    if each.name == INTER_POD:
        return inter_pod_affinity(pod, nodes, snapshot, classic.hard_weight)
    if each.name in BY_RESOURCES:
        return BY_RESOURCES[each.name](pod, nodes, snapshot, classic.by_allocatable)
    return PRIORITIES[each.name](pod, nodes, snapshot)


def by_priority(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, classic: Classic) -> Mapping[str, Scores]:
    """Return the scores of each enabled priority for these nodes, before its weight."""
    return {each.name: scores_of(each, pod, nodes, snapshot, classic) for each in classic.priorities}


def weighted_sum(scores: Iterable[int], weights: Iterable[int]) -> int:
    """Return the weighted sum of the scores."""
    return sum(weight * score for weight, score in zip(weights, scores, strict=True))


def totals(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, classic: Classic) -> Scores:
    """Return the final score of each of these nodes, with the points of extenders; all equal if no priority is on."""
    scores, more = by_priority(pod, nodes, snapshot, classic), points(pod, nodes, classic.extenders)
    if not scores and not classic.extenders:
        return equal(pod, nodes, snapshot)
    weights = [each.weight for each in classic.priorities]
    return {
        node.name: weighted_sum((each[node.name] for each in scores.values()), weights) + more[node.name]
        for node in nodes
    }


def remaining(pod: Pod, snapshot: Snapshot, classic: Classic) -> tuple[Node, ...]:
    """Return the nodes on which `pod` fits and that the asked extenders keep, in order."""
    return kept(pod, feasible(pod, snapshot, classic), classic.extenders).nodes


def viability(pod: Pod, node: Node, snapshot: Snapshot, classic: Classic) -> int:
    """Return the final score of `node` among the remaining nodes; 0 if it is not one of them."""
    return totals(pod, remaining(pod, snapshot, classic), snapshot, classic).get(node.name, 0)


def highest(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, classic: Classic) -> tuple[Node, ...]:
    """Return those of these nodes that have the highest final score, in order."""
    scores = totals(pod, nodes, snapshot, classic)
    return tuple(node for node in nodes if scores[node.name] == max(scores.values()))


def best(pod: Pod, snapshot: Snapshot, classic: Classic) -> tuple[Node, ...]:
    """Return the nodes of the highest final score, in order, any of which `pod` may be bound to."""
    return highest(pod, remaining(pod, snapshot, classic), snapshot, classic)
