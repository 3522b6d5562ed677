"""Filtering: the nodes on which every enabled predicate passes, and the failures of the other nodes.

If other pods of equal or higher priority are nominated to a node, the predicates must pass with these pods on the node
and without them.

Kubernetes 1.6: findNodesThatFit and podFitsOnNode in plugin/pkg/scheduler/generic_scheduler.go; 1.17: podFitsOnNode and
addNominatedPods in pkg/scheduler/core/generic_scheduler.go.
Differs: since 1.9 a node is not checked further once a predicate has failed, unless alwaysCheckAllPredicates is set.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from schedcheck.spec.classic.failures import Failure
from schedcheck.spec.classic.policy import Classic
from schedcheck.spec.classic.predicates import (
    check_node_label_presence,
    check_service_affinity,
    check_volume_binding,
    even_pods_spread,
    general,
    host_name,
    match_inter_pod_affinity,
    match_node_selector,
    max_csi_volume_count,
    max_volume_count,
    no_disk_conflict,
    no_volume_node_conflict,
    no_volume_zone_conflict,
    node_conditions,
    pod_fits_host_ports,
    pod_fits_resources,
    pod_tolerates_node_taints,
)
from schedcheck.spec.footprints import Footprint, footprint
from schedcheck.spec.objects import Node, Pod, Snapshot

Failures = tuple[Failure, ...]

PREDICATES: Final[Mapping[str, Callable[[Pod, Node, Snapshot], Failures]]] = {
    "CheckNodeCondition": node_conditions.condition_failures,
    "NoVolumeZoneConflict": no_volume_zone_conflict.failures,
    "NoVolumeNodeConflict": no_volume_node_conflict.failures,
    "CheckVolumeBinding": check_volume_binding.failures,
    "CheckNodeUnschedulable": node_conditions.unschedulable_failures,
    "MatchInterPodAffinity": match_inter_pod_affinity.failures,
    "NoDiskConflict": no_disk_conflict.failures,
    "HostName": host_name.failures,
    "PodFitsHostPorts": pod_fits_host_ports.failures,
    "PodFitsPorts": pod_fits_host_ports.failures,
    "MatchNodeSelector": match_node_selector.failures,
    "PodToleratesNodeTaints": pod_tolerates_node_taints.failures,
    "PodToleratesNodeNoExecuteTaints": pod_tolerates_node_taints.no_execute_failures,
    "EvenPodsSpread": even_pods_spread.failures,
    "MaxCSIVolumeCountPred": max_csi_volume_count.failures,
    "CheckNodeMemoryPressure": node_conditions.memory_pressure_failures,
    "CheckNodeDiskPressure": node_conditions.disk_pressure_failures,
    "CheckNodePIDPressure": node_conditions.pid_pressure_failures,
}
"""The predicates without further arguments. PodFitsPorts is the name of PodFitsHostPorts in 1.0."""

BY_RESOURCES: Final[Mapping[str, Callable[[Pod, Node, Snapshot, bool, frozenset[str]], Failures]]] = {
    "GeneralPredicates": general.failures,
    "PodFitsResources": pod_fits_resources.failures,
}
NAMES: Final = frozenset({*PREDICATES, *BY_RESOURCES, *max_volume_count.MOST})
"""The names of the predicates that a Policy lists without an argument."""

FOOTPRINTS: Final[Mapping[str, Footprint]] = {
    **{name: footprint(each) for name, each in PREDICATES.items()},
    **{name: footprint(each) for name, each in BY_RESOURCES.items()},
    **{name: footprint(max_volume_count.failures) for name in max_volume_count.MOST},
    "CheckNodeLabelPresence": footprint(check_node_label_presence.failures),
    "CheckServiceAffinity": footprint(check_service_affinity.failures),
}
"""The footprint of each predicate."""

NOT_ANTITONE: Final = frozenset({"MatchInterPodAffinity"})
"""The predicates that may fail because a pod they count is gone from the node. Removing pods from a node makes no other
predicate fail there, except CheckServiceAffinity, which a Policy gives any name."""


def antitone(name: str, classic: Classic) -> bool:
    """Whether removing pods from a node never makes the predicate of this name fail there."""
    return name not in NOT_ANTITONE and name not in {each.name for each in classic.service_affinity}


def failures_of(name: str, pod: Pod, node: Node, snapshot: Snapshot, classic: Classic) -> Failures:
    """Return the failures of the predicate of this name, one of `NAMES`, on `node`; empty if it passes."""
    if name in max_volume_count.MOST:
        most = max_volume_count.most_volumes(name, classic.most_volumes)
        return max_volume_count.failures(pod, node, snapshot, name, most)
    if name in BY_RESOURCES:
        return BY_RESOURCES[name](pod, node, snapshot, classic.by_allocatable, classic.ignored)
    return PREDICATES[name](pod, node, snapshot)


def by_predicate(pod: Pod, node: Node, snapshot: Snapshot, classic: Classic) -> Mapping[str, Failures]:
    """Return the failures of each enabled predicate, in order."""
    return {
        **{name: failures_of(name, pod, node, snapshot, classic) for name in classic.predicates},
        **{
            each.name: check_node_label_presence.failures(node, each.labels, each.presence)
            for each in classic.label_presence
        },
        **{
            each.name: check_service_affinity.failures(pod, node, snapshot, each.labels)
            for each in classic.service_affinity
        },
    }


def nominated(pod: Pod, node: Node, snapshot: Snapshot) -> frozenset[Pod]:
    """Return the other unbound pods of equal or higher priority that are nominated to `node`."""
    return frozenset(
        other
        for other in snapshot.pods
        if other.nominated_node_name == node.name
        and other.node_name == ""
        and other.key != pod.key
        and other.priority >= pod.priority
    )


def with_nominated(pod: Pod, node: Node, snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with the pods placed on `node` that are nominated to it and count for `pod`."""
    coming = nominated(pod, node, snapshot)
    pods = (replace(each, node_name=node.name) if each in coming else each for each in snapshot.pods)
    return replace(snapshot, pods=tuple(pods))


def judged(pod: Pod, node: Node, snapshot: Snapshot, classic: Classic) -> Mapping[str, Failures]:
    """Return the failures of each predicate with the pods nominated to `node` or, if it passes with them, without."""
    crowded = by_predicate(pod, node, with_nominated(pod, node, snapshot), classic)
    if nominated(pod, node, snapshot) and any(crowded.values()):
        return crowded
    return by_predicate(pod, node, snapshot, classic)


def failures(pod: Pod, node: Node, snapshot: Snapshot, classic: Classic) -> Failures:
    """Return every reason why `pod` does not fit on `node`; empty if it fits."""
    return tuple(failure for each in judged(pod, node, snapshot, classic).values() for failure in each)


def errors(pod: Pod, snapshot: Snapshot, classic: Classic) -> Failures:
    """Return the failures that are errors, on all nodes. If there is one, `pod` is bound to no node."""
    return tuple(
        failure
        for node in snapshot.nodes
        for failure in failures(pod, node, snapshot, classic)
        if failure.error
    )  # fmt: skip


def feasibility(pod: Pod, node: Node, snapshot: Snapshot, classic: Classic) -> bool:
    """Whether `pod` fits on `node`: every predicate passes there, and none ends in an error on any node."""
    return failures(pod, node, snapshot, classic) == () and errors(pod, snapshot, classic) == ()


def feasible(pod: Pod, snapshot: Snapshot, classic: Classic) -> tuple[Node, ...]:
    """Return the nodes on which `pod` fits, in order."""
    failed = {node: failures(pod, node, snapshot, classic) for node in snapshot.nodes}
    erring = any(failure.error for each in failed.values() for failure in each)
    return () if erring else tuple(node for node in snapshot.nodes if failed[node] == ())
