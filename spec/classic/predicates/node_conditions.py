"""The predicates CheckNodeMemoryPressure, CheckNodeDiskPressure, CheckNodePIDPressure, CheckNodeCondition.

Kubernetes 1.6: plugin/pkg/scheduler/algorithm/predicates/predicates.go for the first two, GetPodQOS in pkg/kubelet/qos;
1.11: pkg/scheduler/algorithm/predicates/predicates.go for the others. Since 1.12 taints of the controllers replace
them.
"""

from schedcheck.spec.classic.failures import (
    NETWORK_UNAVAILABLE,
    NOT_READY,
    OUT_OF_DISK,
    UNDER_DISK_PRESSURE,
    UNDER_MEMORY_PRESSURE,
    UNDER_PID_PRESSURE,
    UNSCHEDULABLE,
    Failure,
)
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.tolerations import CORDON, tolerated


def best_effort(pod: Pod) -> bool:
    """Whether `pod` is BestEffort: no container requests any cpu or memory.

    Differs: a container with a limit above its request of zero makes a pod Burstable; limits are not read.
    """
    requests = (container.requests for container in pod.containers)
    return all(each.get(resource, 0) == 0 for each in requests for resource in ("cpu", "memory"))


def reports(node: Node, condition: str) -> bool:
    """Whether the condition of this type is True; Unknown and absent do not count."""
    return node.conditions.get(condition) == "True"


def check_node_memory_pressure(pod: Pod, node: Node) -> bool:
    """Whether `pod` is not BestEffort, or `node` has no memory pressure."""
    return not best_effort(pod) or not reports(node, "MemoryPressure")


def check_node_disk_pressure(pod: Pod, node: Node) -> bool:
    """Whether `node` has no disk pressure."""
    return not reports(node, "DiskPressure")


def check_node_pid_pressure(pod: Pod, node: Node) -> bool:
    """Whether `node` has no PID pressure."""
    return not reports(node, "PIDPressure")


def check_node_condition(pod: Pod, node: Node) -> bool:
    """Whether `node` is ready and not cordoned, and OutOfDisk and NetworkUnavailable are False or absent.

    No toleration helps. In 1.6 and before, such nodes were left out of the node list given to the predicates.
    """
    return (
        node.ready == "True"
        and "OutOfDisk" not in node.conditions
        and "NetworkUnavailable" not in node.conditions
        and not node.unschedulable
    )


def check_node_unschedulable(pod: Pod, node: Node) -> bool:
    """Whether `node` is not cordoned, or `pod` tolerates the unschedulable taint.

    Kubernetes 1.12 to 1.17: CheckNodeUnschedulablePredicate.
    """
    return not node.unschedulable or tolerated(CORDON, pod, NO_FAULTS)


@looks_at("node.unschedulable")
def unschedulable_failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failure of CheckNodeUnschedulable on `node`; empty if it passes."""
    return () if check_node_unschedulable(pod, node) else (UNSCHEDULABLE,)


@looks_at("node.conditions")
def memory_pressure_failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failure of CheckNodeMemoryPressure on `node`; empty if it passes."""
    return () if check_node_memory_pressure(pod, node) else (UNDER_MEMORY_PRESSURE,)


@looks_at("node.conditions")
def disk_pressure_failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failure of CheckNodeDiskPressure on `node`; empty if it passes."""
    return () if check_node_disk_pressure(pod, node) else (UNDER_DISK_PRESSURE,)


@looks_at("node.conditions")
def pid_pressure_failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failure of CheckNodePIDPressure on `node`; empty if it passes."""
    return () if check_node_pid_pressure(pod, node) else (UNDER_PID_PRESSURE,)


@looks_at("node.ready", "node.conditions", "node.unschedulable")
def condition_failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failures of CheckNodeCondition on `node`, one for each condition; empty if it passes."""
    reasons = (
        (node.ready != "True", NOT_READY),
        ("OutOfDisk" in node.conditions, OUT_OF_DISK),
        ("NetworkUnavailable" in node.conditions, NETWORK_UNAVAILABLE),
        (node.unschedulable, UNSCHEDULABLE),
    )
    return tuple(failure for fails, failure in reasons if fails)
