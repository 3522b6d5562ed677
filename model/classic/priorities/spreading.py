"""The priorities that spread the pods of services and controllers: over nodes and zones, and over values of a label.

Kubernetes 1.6: plugin/pkg/scheduler/algorithm/priorities/selector_spreading.go, GetZoneKey in pkg/util/node. Single
precision throughout. Differs: a zone in which no pod counts is the best one, as since 1.8, where 1.6 divides 0 by 0.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.predicates.volumes import REGION, ZONE, constraints
from schedcheck.model.classic.priorities.rating import MOST, Begin, Map, Rating, Reduce
from schedcheck.model.production.snapshot.labels import selects
from schedcheck.spec.terms import LabelSelector

ZONE_WEIGHT: Final = np.float32(2 / 3)
NODE_WEIGHT: Final = np.float32(1 / 3)


def selector_spread(rating: Rating) -> tuple[Map, Reduce]:
    """Spread the pods of the services, replication controllers and replica sets of the pod."""
    pod, listers = rating.info.pod, rating.listers
    selectors = [LabelSelector(each.selector) for each in listers.services_of(pod)]
    selectors += [each.selector for each in listers.controllers_of(pod) if each.selector is not None]
    return _spread(selectors)


def service_spreading(rating: Rating) -> tuple[Map, Reduce]:
    """Spread the pods of the services of the pod."""
    return _spread([LabelSelector(each.selector) for each in rating.listers.services_of(rating.info.pod)])


def _spread(selectors: Sequence[LabelSelector]) -> tuple[Map, Reduce]:
    def rate(rating: Rating, node: NodeInfo) -> int:
        namespace = rating.info.pod.namespace
        there = (info.pod for info in node.pods.values())
        return sum(
            pod.namespace == namespace and not pod.terminating and any(selects(each, pod.labels) for each in selectors)
            for pod in there
        )

    def reduce(rating: Rating, counts: list[int]) -> list[int]:
        zones = [_zone(node) for node in rating.nodes]
        by_zone: Counter[tuple[str, str]] = Counter()
        # Without a selector no zone is counted, and none has a weight.
        for zone, count in zip(zones, counts, strict=True):
            if zone is not None and selectors:
                by_zone[zone] += count
        most, most_of_zone = max(counts, default=0), max(by_zone.values(), default=0)
        scores = []
        for zone, count in zip(zones, counts, strict=True):
            score = _below(count, most)
            if zone is not None and zone in by_zone:
                score = score * NODE_WEIGHT + ZONE_WEIGHT * _below(by_zone[zone], most_of_zone)
            scores.append(int(score))
        return scores

    return rate, reduce


def _below(count: int, most: int) -> np.float32:
    """Return how far the count is below the greatest, from 0 to 10."""
    if most == 0:
        return np.float32(MOST)
    return np.float32(MOST) * (np.float32(most - count) / np.float32(most))


def _zone(node: NodeInfo) -> tuple[str, str] | None:
    """Return region and zone of a node, None if it names neither."""
    named = constraints(node.there.labels)
    found = named.get(REGION, ""), named.get(ZONE, "")
    return found if any(found) else None


def service_anti_affinity(label: str) -> Begin:
    """Return the priority that spreads the pods of the pod's first service over the values of a label."""

    def begin(rating: Rating) -> tuple[Map, Reduce]:
        pod, listers = rating.info.pod, rating.listers
        services = listers.services_of(pod)
        selector = LabelSelector(services[0].selector) if services else None
        alike = [
            other.node_name
            for other in listers.cache.pods()
            if other.namespace == pod.namespace and selects(selector, other.labels)
        ]
        per_node = Counter(alike)

        def rate(rating: Rating, node: NodeInfo) -> int:
            return per_node[node.there.name]

        def reduce(rating: Rating, counts: list[int]) -> list[int]:
            values = [node.there.labels.get(label) for node in rating.nodes]
            per_value: Counter[str] = Counter()
            for value, count in zip(values, counts, strict=True):
                if value is not None:
                    per_value[value] += count
            return [0 if value is None else int(_below(per_value[value], len(alike))) for value in values]

        return rate, reduce

    return begin
