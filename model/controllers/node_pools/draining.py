"""The pods that a drain moves: `movable`, `to_evict`, and the mark of a drained node: `TO_BE_DELETED`, `draining`.

Not modelled: the eviction of DaemonSet pods, which is a best effort and keeps no node; they end with their node.
"""

from collections.abc import Iterable
from dataclasses import replace

from schedcheck.model.environment import in_order
from schedcheck.model.pooling import NodePools, daemon
from schedcheck.spec.binding import completed
from schedcheck.spec.budgets import protects
from schedcheck.spec.objects import Node, Pod, Snapshot, Taint
from schedcheck.spec.owners import version_and_kind

TO_BE_DELETED = Taint("ToBeDeletedByClusterAutoscaler", "NoSchedule")
"""The taint of a node that is being drained, whatever its value."""

REPLICATED = frozenset({"ReplicationController", "Job", "ReplicaSet", "StatefulSet"})
"""The kinds of controllers that are trusted to recreate a pod, of whatever group.

Cluster autoscaler 1.34: simulator/drainability/rules/replicated/rule.go, replicatedKind.
"""

SYSTEM = "kube-system"


def draining(node: Node) -> bool:
    """Whether a node is marked for deletion.

    Cluster autoscaler 1.34: utils/taints/taints.go, HasToBeDeletedTaint.
    """
    return any(taint.key == TO_BE_DELETED.key for taint in node.taints)


def marked(node: Node) -> Node:
    """Return the node with the taint, and cordoned.

    Cluster autoscaler 1.34: utils/taints/taints.go, MarkToBeDeleted; cordon-node-before-terminating is on by default.
    """
    return in_order(replace(node, taints=(*node.taints, TO_BE_DELETED), unschedulable=True))


def unmarked(node: Node) -> Node:
    """Return the node without the taint, and schedulable.

    Cluster autoscaler 1.34: utils/taints/taints.go, CleanToBeDeleted.
    """
    taints = tuple(taint for taint in node.taints if taint.key != TO_BE_DELETED.key)
    return replace(node, taints=taints, unschedulable=False)


def seen(node: Node, snapshot: Snapshot) -> tuple[Pod, ...]:
    """Return the pods on a node that the autoscaler sees: those that have not ended."""
    return tuple(pod for pod in snapshot.pods_by_node.get(node.name, ()) if not completed(pod))


def to_evict(node: Node, snapshot: Snapshot, pools: NodePools) -> tuple[Pod, ...]:
    """Return the pods on a node that must be gone before the node is deleted: neither of DaemonSets nor mirror pods.

    Cluster autoscaler 1.34: core/scaledown/actuation/drain.go, podsToEvict and waitPodsToDisappear.
    """
    return tuple(
        pod for pod in seen(node, snapshot) if not pools.of(pod).mirror and not daemon(pod, pools.of(pod))
    )  # fmt: skip


def movable(pods: Iterable[Pod], snapshot: Snapshot, pools: NodePools) -> bool:
    """Whether no pod among these forbids the removal of its node."""
    return all(not blocks(pod, snapshot, pools) for pod in pods)


def blocks(pod: Pod, snapshot: Snapshot, pools: NodePools) -> bool:
    """Whether a pod forbids the removal of its node.

    The rules in order: mirror and DaemonSet pods never do, nor do pods that are annotated as safe to evict. Pods without
    a replicating controller do. A system pod without a budget does for an hour only, so that it may be any time, and no
    later rule is asked about it. Then block: pods annotated as unsafe to evict, with local storage, and with a budget
    that allows no disruption.

    Cluster autoscaler 1.34: simulator/drain.go, GetPodsToMove; simulator/drainability/rules/rules.go, Default.
    Differs: the controller of a pod exists, though the input may lack its object.
    """
    facts = pools.of(pod)
    if facts.mirror or daemon(pod, facts) or facts.safe_to_evict == "true":
        return False
    if version_and_kind(pod.owner[0])[1] not in REPLICATED:
        return True
    budgets = [budget for budget in snapshot.budgets_over((pod,)) if protects(budget, pod)]
    if pod.namespace == SYSTEM and not budgets:
        return False
    refused = any(budget.disruptions_allowed < 1 for budget in budgets)
    return facts.safe_to_evict == "false" or facts.local_storage or refused
