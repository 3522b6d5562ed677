"""By how much pods on one node lower each other's scores of NodeResourcesFit, as linear conditions: `losses`.

By LeastAllocated a pod loses the shares of the other pods on its node. With k pods each loses k - 1 shares, and each
share is at least the smallest one, s. So together they lose at least k (k - 1) s, which for each integer t is at least
(2 t k - t (t + 1)) s. Truncation may hide a part of the loss of each pod.
"""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

from schedcheck.checker.placement.linear import Row
from schedcheck.checker.placement.score_bounds import FIT, LARGEST
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import Plugins, Weights
from schedcheck.spec.kubernetes.scores.arithmetic import HIGHEST
from schedcheck.spec.kubernetes.scores.node_resources_fit import (
    rated_occupation,
    rated_request_of_placed,
    rating_of,
    strategy_of,
)
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.requests import NATIVE, allocatable

PARTS = 1000
"""The parts of one point of the score in which losses are counted."""

TANGENTS = 6
"""The most rows that state the loss of one node."""


def losses(info: NodeInfo, there: Mapping[Pod, int], loss: int, plugins: Plugins) -> Iterator[Row]:
    """Yield rows between the variables of the pods that may be on the node, and the variable of its `loss`.

    No rows if the scores do not fall so: by another strategy, or if the node may be filled beyond its capacity.
    """
    resources = _resources(info.node, plugins)
    if not resources or not _linear(info, tuple(there), resources, plugins):
        return
    points, departures = PARTS * plugins.weights[FIT], plugins.departures
    adds = [{name: rated_occupation(pod, name, departures) for name, _ in resources} for pod in there]
    share = min(math.floor(points * _part(each, info.node, resources)) for each in adds)
    hidden = {pod: math.ceil(points * _truncated(info, pod, resources, plugins)) for pod in there}
    for t in range(1, min(TANGENTS, len(there) - 1) + 1):
        yield Row(
            {place: 2 * t * share - hidden[pod] for pod, place in there.items()} | {loss: -1}, t * (t + 1) * share
        )


def _resources(node: Node, plugins: Plugins) -> Weights:
    """Return the resources by which all pods are rated on the node; none if they are not rated by LeastAllocated."""
    strategy = plugins.arguments.scoring_strategy
    kept = tuple((name, weight) for name, weight in strategy.resources if allocatable(node, name) != 0)
    plain = all(name in NATIVE and weight > 0 for name, weight in kept)
    return kept if plain and strategy.kind == "LeastAllocated" and FIT in plugins.at("score") else ()


def _linear(info: NodeInfo, pods: tuple[Pod, ...], resources: Weights, plugins: Plugins) -> bool:
    """Whether even all of the pods together do not exceed the node's capacity, and no product wraps."""
    return all(
        _used(info, name, plugins)
        + sum(max(_own(pod, name, plugins), rated_occupation(pod, name, plugins.departures)) for pod in pods)
        <= allocatable(info.node, name)
        < LARGEST
        for name, _ in resources
    )


def _truncated(info: NodeInfo, pod: Pod, resources: Weights, plugins: Plugins) -> Fraction:
    """Return by how much the score of the pod alone is less than it would be without truncation."""
    used = {name: _used(info, name, plugins) for name, _ in resources}
    own = {name: _own(pod, name, plugins) for name, _ in resources}
    exact = HIGHEST - _part({name: used[name] + own[name] for name in used}, info.node, resources)
    every = [name for name, _ in plugins.arguments.scoring_strategy.resources]
    rated = rating_of(
        dict.fromkeys(every, 0) | used, dict.fromkeys(every, 0) | own, info.node, strategy_of(plugins.arguments)
    )
    return exact - rated


def _part(amounts: Mapping[str, int], node: Node, resources: Weights) -> Fraction:
    """Return the score that these amounts cost."""
    whole = sum(weight for _, weight in resources)
    parts = (Fraction(HIGHEST * weight * amounts[name], allocatable(node, name) * whole) for name, weight in resources)
    return sum(parts, Fraction())


def _used(info: NodeInfo, name: str, plugins: Plugins) -> int:
    return sum(rated_occupation(each, name, plugins.departures) for each in info.pods)


def _own(pod: Pod, name: str, plugins: Plugins) -> int:
    return rated_request_of_placed(pod, name, plugins.departures)
