"""Whether pods find places elsewhere by the filters of the scheduler: `places_elsewhere`, and on a new node: `takes`."""

from dataclasses import replace

from schedcheck.model.controllers.node_pools.draining import marked
from schedcheck.model.pooling import REMOVED
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile


def takes(node: Node, pod: Pod, snapshot: Snapshot, profile: Profile) -> bool:
    """Whether a pod passes all filters on a new node, which is added to the snapshot.

    Cluster autoscaler 1.34: core/scaleup/orchestrator/orchestrator.go, SchedulablePodGroups.
    """
    return profile.feasibility(pod, node, with_node(snapshot, node))


def with_node(snapshot: Snapshot, node: Node) -> Snapshot:
    """Return the snapshot with one more node, in the order of names."""
    return replace(snapshot, nodes=tuple(sorted((*snapshot.nodes, node), key=lambda each: each.name)))


def places_elsewhere(
    moved: tuple[Pod, ...], node: Node, snapshot: Snapshot, profile: Profile, drained: str = ""
) -> bool:
    """Whether these pods of a node find places on others, one after the other, in some order.

    The node has lost all its pods meanwhile. It is tainted, so that it still counts as a domain. In versions up to
    1.34.3 it is gone (`drained` is "removed").

    Cluster autoscaler 1.34: simulator/cluster.go, findPlaceFor and replaceWithTaintedGhostNode.
    Differs: the order of the pods is that of a list in a cache, so that any is possible.
    """
    left = snapshot - frozenset(snapshot.pods_by_node.get(node.name, ()))
    others = tuple(each for each in snapshot.nodes if each.name != node.name)
    there = replace(left, nodes=others)
    around = there if drained == REMOVED else with_node(there, replace(marked(node), unschedulable=node.unschedulable))
    unplaced = tuple(replace(pod, node_name="") for pod in moved)
    return _all_placed(unplaced, others, around, profile, set())


def _all_placed(
    pods: tuple[Pod, ...], nodes: tuple[Node, ...], snapshot: Snapshot, profile: Profile, tried: set[Snapshot]
) -> bool:
    """Whether all of these pods find places, the next of them and the node being any; `tried` were in vain."""
    if not pods:
        return True
    if snapshot in tried:
        return False
    tried.add(snapshot)
    return any(
        _all_placed((*pods[:number], *pods[number + 1 :]), nodes, _placed(pod, node, snapshot), profile, tried)
        for number, pod in enumerate(pods)
        for node in nodes
        if profile.feasibility(pod, node, snapshot)
    )


def _placed(pod: Pod, node: Node, snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with a pod placed on a node."""
    pods = sorted((*snapshot.pods, replace(pod, node_name=node.name)), key=lambda each: each.key)
    return replace(snapshot, pods=tuple(pods))
