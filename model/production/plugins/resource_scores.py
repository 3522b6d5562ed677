"""Scores of nodes by their resources: `scored`, by the strategies of NodeResourcesFit.

Kubernetes 1.34: pkg/scheduler/framework/plugins/noderesources/resource_allocation.go, least_allocated.go,
most_allocated.go, requested_to_capacity_ratio.go.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from schedcheck.model.production.framework.plugin import HIGHEST_SCORE
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.node_table import word
from schedcheck.model.production.snapshot.requests import CPU, EPHEMERAL, MEMORY, PODS, counted
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.kubernetes.plugins import ScoringStrategy

CUSTOM_SCORES = 10
"""The highest score of a point of a shape."""
ALWAYS_RATED = (CPU, MEMORY, EPHEMERAL)
"""The resources that are scored even for a pod that does not request them."""


def used_and_room(resource: str, asked: int, nodes: Nodes, *, rated: bool) -> tuple[Numbers, Numbers]:
    """Return a resource's amount used with the pod, and its allocatable amount, on each node.

    With `rated`, cpu and memory include defaults for missing requests. Both amounts are 0 for `pods`, and for a
    resource other than `ALWAYS_RATED` that the pod does not request.
    """
    column = nodes.table.resources.get(resource)
    rateable = resource in ALWAYS_RATED or (resource != PODS and counted(resource) and asked != 0)
    if column is None or not rateable:
        nowhere = np.zeros(len(nodes), np.int64)
        return nowhere, nowhere
    places = (CPU, MEMORY)
    seen = nodes.rated(places.index(resource)) if rated and resource in places else nodes.requested(column)
    return seen + word(asked), nodes.allocatable(column)


def scored(strategy: ScoringStrategy, asked: Mapping[str, int], nodes: Nodes) -> Numbers:
    """Return the weighted mean of the resources' scores over those that the node has; 0 if it has none."""
    total, weights = np.zeros(len(nodes), np.int64), np.zeros(len(nodes), np.int64)
    score = _scorer(strategy)
    for resource, weight in strategy.resources:
        used, room = used_and_room(resource, asked.get(resource, 0), nodes, rated=True)
        there = room != 0
        scores = score(used, np.where(there, room, 1))
        if strategy.kind == "RequestedToCapacityRatio":
            there &= scores > 0
        total += np.where(there, scores * weight, 0)
        weights += np.where(there, weight, 0)
    some = np.where(weights == 0, 1, weights)
    if strategy.kind == "RequestedToCapacityRatio":
        ratio = total.astype(np.float64) / some.astype(np.float64)
        return np.floor(ratio + 0.5).astype(np.int64)
    return total // some


def _scorer(strategy: ScoringStrategy) -> Callable[[Numbers, Numbers], Numbers]:
    match strategy.kind:
        case "LeastAllocated":
            return least_allocated
        case "MostAllocated":
            return most_allocated
        case _:
            return lambda used, room: by_shape(strategy.shape, used, room)


def least_allocated(used: Numbers, room: Numbers) -> Numbers:
    """Return the percentage that is left; 0 if more is used than there is."""
    return np.where(used > room, 0, (room - used) * HIGHEST_SCORE // room)


def most_allocated(used: Numbers, room: Numbers) -> Numbers:
    """Return the percentage that is used, at most 100."""
    return np.minimum(used, room) * HIGHEST_SCORE // room


def by_shape(shape: tuple[tuple[int, int], ...], used: Numbers, room: Numbers) -> Numbers:
    """Interpolate the shape linearly at the percentage that is used, which is at most 100."""
    parts = np.where(used > room, HIGHEST_SCORE, used * HIGHEST_SCORE // room)
    scale = HIGHEST_SCORE // CUSTOM_SCORES
    found = np.full_like(parts, shape[-1][1] * scale)
    for (left, low), (right, high) in reversed(list(pairwise(shape))):
        rise = (high - low) * scale * (parts - left)
        # Go's integer division truncates.
        step = np.sign(rise) * (np.abs(rise) // (right - left))
        found = np.where(parts <= right, low * scale + step, found)
    return np.where(parts <= shape[0][0], shape[0][1] * scale, found)
