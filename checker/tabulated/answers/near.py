"""The part of a snapshot for a question about one node, and the budgets violated there: `near`, `least_violations`."""

from dataclasses import replace

from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile
from schedcheck.spec.properties.of_decisions import budget_violations


def near(pod: Pod, node: Node, snapshot: Snapshot, wide: bool) -> Snapshot:
    """Return what a loop sees of the snapshot for a question about one node: everything if `wide`, else that node.

    Its pods are those bound or nominated to the node, and the pod to be placed.
    """
    if wide:
        return snapshot
    pods = tuple(
        other for other in snapshot.pods if node.name in (other.node_name, other.nominated_node_name) or other is pod
    )
    return replace(snapshot, pods=pods, nodes=(node,))


def least_violations(pod: Pod, node: Node, snapshot: Snapshot, judge: Profile) -> int | None:
    """Return the fewest budgets violated by any evictions that make room on the node; None if no evictions do."""
    sets = judge.victim_sets(pod, node, snapshot)
    return min((budget_violations(victims, snapshot) for victims in sets), default=None)
