"""The priority SelectorSpreadPriority: the fewer pods of its services and controllers in node and zone, the better.

ServiceSpreadingPriority, its predecessor, considers services alone.
Kubernetes 1.6: plugin/pkg/scheduler/algorithm/priorities/selector_spreading.go, GetZoneKey in pkg/util/node. Every step
is in 32-bit floating point, and the result truncated. If no zone has any such pod, 1.5 and 1.6 divide 0 by 0; here, as
since 1.8, every zone then gets the best score. Differs: 1.7 and after count StatefulSets too.
"""

import struct
from collections.abc import Iterable

from schedcheck.spec.binding import occupants
from schedcheck.spec.classic.predicates.no_volume_zone_conflict import REGION, ZONE, place
from schedcheck.spec.classic.priorities.scale import HIGHEST, Scores
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at, of_its_namespace
from schedcheck.spec.objects import Node, Pod, Service, Snapshot
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import LabelSelector

CONTROLLERS = ("ReplicationController", "ReplicaSet")


def single(number: float) -> float:
    """Return the nearest 32-bit floating-point number.

    A sum, product or quotient of two such numbers, rounded by this, is what 32-bit arithmetic computes.
    """
    rounded: float = struct.unpack("f", struct.pack("f", number))[0]
    return rounded


OF_ZONE, OF_NODE = single(2 / 3), single(1 / 3)
"""The weights of the zone of a node and of the node itself, for a node with a zone."""


def services_of(pod: Pod, snapshot: Snapshot) -> tuple[Service, ...]:
    """Return the services that select `pod`, ordered by name; a service without a selector selects no pod."""
    return tuple(
        service
        for service in snapshot.services
        if service.namespace == pod.namespace
        and service.selector
        and selects(LabelSelector(service.selector), pod.labels, NO_FAULTS)
    )


def selectors_of(pod: Pod, snapshot: Snapshot) -> tuple[LabelSelector, ...]:
    """Return the selectors of the services, replication controllers and replica sets that select `pod`.

    An empty selector selects no pod, and a pod without labels has no controller.
    """
    return (
        *(LabelSelector(service.selector) for service in services_of(pod, snapshot)),
        *(
            controller.selector
            for controller in snapshot.controllers
            if controller.kind in CONTROLLERS
            and controller.namespace == pod.namespace
            and controller.selector not in (None, LabelSelector())
            and pod.labels
            and selects(controller.selector, pod.labels, NO_FAULTS)
            and controller.selector is not None
        ),
    )


def alike(pod: Pod, node: Node, selectors: Iterable[LabelSelector], snapshot: Snapshot) -> int:
    """Return the number of pods on `node`, in the namespace of `pod` and not terminating, that a selector selects."""
    chosen = tuple(selectors)
    return sum(
        other.namespace == pod.namespace
        and not other.terminating
        and any(selects(selector, other.labels, NO_FAULTS) for selector in chosen)
        for other in occupants(node, snapshot, NO_FAULTS)
    )


def zone_of(node: Node) -> tuple[str, str] | None:
    """Return the region and the zone of `node`; None if it has neither."""
    zone = place(REGION, node.labels), place(ZONE, node.labels)
    return zone if zone != ("", "") else None


def emptiness(count: int, most: int) -> float:
    """Return how far the count is below the maximum, from 0 to 10; 10 if the maximum is 0."""
    return single(HIGHEST * single(float(most - count) / float(most))) if most else float(HIGHEST)


def spread(pod: Pod, nodes: Iterable[Node], selectors: tuple[LabelSelector, ...], snapshot: Snapshot) -> Scores:
    """Return the score of each node, by the counts on these nodes alone."""
    rated = tuple(nodes)
    counts = {node.name: alike(pod, node, selectors, snapshot) for node in rated} if selectors else {}
    zones = {zone_of(node) for node in rated} - {None}
    in_zone = {zone: sum(counts.get(node.name, 0) for node in rated if zone_of(node) == zone) for zone in zones}
    most, most_in_zone = max(counts.values(), default=0), max(in_zone.values(), default=0)

    def score(node: Node) -> int:
        alone, zone = emptiness(counts.get(node.name, 0), most), zone_of(node)
        if zone is None or not selectors:
            return int(alone)
        return int(single(single(alone * OF_NODE) + single(OF_ZONE * emptiness(in_zone[zone], most_in_zone))))

    return {node.name: score(node) for node in rated}


@looks_at(
    "candidates.name",
    "nodes.labels",
    "pods.labels",
    "pods.terminating",
    "services",
    "controllers",
    who=of_its_namespace,
)
def selector_spread(pod: Pod, nodes: Iterable[Node], snapshot: Snapshot) -> Scores:
    """Return the scores of SelectorSpreadPriority."""
    return spread(pod, nodes, selectors_of(pod, snapshot), snapshot)


@looks_at("candidates.name", "nodes.labels", "pods.labels", "pods.terminating", "services", who=of_its_namespace)
def service_spreading(pod: Pod, nodes: Iterable[Node], snapshot: Snapshot) -> Scores:
    """Return the scores of ServiceSpreadingPriority."""
    services = services_of(pod, snapshot)
    return spread(pod, nodes, tuple(LabelSelector(service.selector) for service in services), snapshot)
