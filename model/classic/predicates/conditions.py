"""The predicates about the node alone: conditions, cordon, taints, pressures, labels.

Kubernetes 1.11: CheckNodeConditionPredicate, CheckNodeMemoryPressurePredicate, CheckNodeDiskPressurePredicate and
CheckNodePIDPressurePredicate in pkg/scheduler/algorithm/predicates/predicates.go; 1.17: PodToleratesNodeTaints,
PodToleratesNodeNoExecuteTaints, CheckNodeUnschedulablePredicate and NodeLabelChecker in the same file.
"""

from typing import Final

from schedcheck.model.classic.matching import tolerates
from schedcheck.model.classic.metadata import Metadata
from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.predicates.arguments import Arguments, Predicate
from schedcheck.model.classic.reasons import (
    CORDONED,
    DISK_PRESSURE,
    LABELS_VIOLATED,
    MEMORY_PRESSURE,
    NO_NETWORK,
    NOT_READY,
    OUT_OF_DISK,
    PASSED,
    PID_PRESSURE,
    TAINTED,
    Reason,
    Reasons,
)
from schedcheck.spec.objects import Taint

UNSCHEDULABLE: Final = Taint("node.kubernetes.io/unschedulable", "NoSchedule")
REPELLING: Final = ("NoSchedule", "NoExecute")
EVICTING: Final = ("NoExecute",)


def check_node_condition(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Reject a node that is not ready, out of disk, without network, or cordoned; a status of Unknown counts too."""
    there, reasons = node.there, list[Reason]()
    if there.ready != "True":
        reasons.append(NOT_READY)
    # A condition whose status is False is not among the conditions.
    if "OutOfDisk" in there.conditions:
        reasons.append(OUT_OF_DISK)
    if "NetworkUnavailable" in there.conditions:
        reasons.append(NO_NETWORK)
    if there.unschedulable:
        reasons.append(CORDONED)
    return tuple(reasons)


def check_node_unschedulable(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Reject a cordoned node unless the pod tolerates the taint of a cordon."""
    return (CORDONED,) if node.there.unschedulable and not tolerates(meta.info.pod, UNSCHEDULABLE) else PASSED


def pod_tolerates_node_taints(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Reject a node with a NoSchedule or NoExecute taint that the pod does not tolerate."""
    for taint in node.there.taints:
        if taint.effect in REPELLING and not tolerates(meta.info.pod, taint):
            return (TAINTED,)
    return PASSED


def pod_tolerates_node_no_execute_taints(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Reject a node with a NoExecute taint that the pod does not tolerate."""
    for taint in node.there.taints:
        if taint.effect in EVICTING and not tolerates(meta.info.pod, taint):
            return (TAINTED,)
    return PASSED


def _is(node: NodeInfo, condition: str) -> bool:
    return node.there.conditions.get(condition) == "True"


def check_node_memory_pressure(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Reject a node under memory pressure for a best-effort pod."""
    return (MEMORY_PRESSURE,) if meta.best_effort and _is(node, "MemoryPressure") else PASSED


def check_node_disk_pressure(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Reject a node under disk pressure."""
    return (DISK_PRESSURE,) if _is(node, "DiskPressure") else PASSED


def check_node_pid_pressure(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Reject a node under PID pressure."""
    return (PID_PRESSURE,) if _is(node, "PIDPressure") else PASSED


def check_node_label_presence(labels: tuple[str, ...], presence: bool) -> Predicate:
    """Return the predicate that rejects a node that lacks one of the labels or, without `presence`, has one."""

    def predicate(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
        for label in labels:
            if (label in node.there.labels) is not presence:
                return (LABELS_VIOLATED,)
        return PASSED

    return predicate
