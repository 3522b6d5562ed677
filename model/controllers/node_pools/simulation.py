"""Where pods find places by the filters of the scheduler.

`takes`: on a new node. `expected`: those that wait. `places_elsewhere`: those of a node that is removed.
"""

from collections.abc import Iterator
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


def expected(waiting: tuple[Pod, ...], snapshot: Snapshot, profile: Profile) -> Iterator[Snapshot]:
    """Yield the snapshot with waiting pods placed as the scheduler may come to place them; those that fit nowhere wait on.

    A pod that is nominated to a node counts there.

    Cluster autoscaler 1.34: core/podlistprocessor/filter_out_schedulable.go, filterOutSchedulableByPacking.
    Differs: the pods are taken in any order. A pod that the scheduler has not tried yet counts as well.
    """
    names = {node.name: node for node in snapshot.nodes}
    nominated = [pod for pod in waiting if pod.nominated_node_name in names]
    for pod in nominated:
        snapshot = _placed(pod, names[pod.nominated_node_name], snapshot)
    left = tuple(pod for pod in waiting if pod not in nominated)
    yield from _expected(left, snapshot, profile, set())


def _expected(
    waiting: tuple[Pod, ...], snapshot: Snapshot, profile: Profile, tried: set[Snapshot]
) -> Iterator[Snapshot]:
    """Yield the snapshot once no pod that waits fits anywhere; `tried` are those that were met before."""
    if snapshot in tried:
        return
    tried.add(snapshot)
    places = [(pod, node) for pod in waiting for node in snapshot.nodes if profile.feasibility(pod, node, snapshot)]
    if not places:
        yield snapshot
    for pod, node in places:
        rest = tuple(each for each in waiting if each != pod)
        yield from _expected(rest, _placed(pod, node, snapshot), profile, tried)


def places_elsewhere(
    moved: tuple[Pod, ...], node: Node, snapshot: Snapshot, profile: Profile, drained: str = ""
) -> bool:
    """Whether these pods of a node find places on others, one after the other, in some order.

    The node has lost all its pods meanwhile. It is tainted, so that it still counts as a domain. In 1.32.3 to 1.32.7,
    1.33.0 to 1.33.4, 1.34.0 to 1.34.3 and 1.35.0 it is gone (`drained` is "removed"). Before 1.32.3 it stayed without a
    taint, which is not modelled.

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
    others = (each for each in snapshot.pods if each.key != pod.key)
    pods = sorted((*others, replace(pod, node_name=node.name)), key=lambda each: each.key)
    return replace(snapshot, pods=tuple(pods))
