"""The pods that need a place, and their places on the nodes that exist: `waiting`, `packings`, `Packed`.

Cluster autoscaler 1.34: core/podlistprocessor/pod_list_processor.go, NewDefaultPodListProcessor.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from schedcheck.model.controllers.node_pools.draining import draining, to_evict
from schedcheck.model.controllers.node_pools.simulation import alike, placed, places
from schedcheck.model.pooling import NodePools, daemon
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import Profile

AGAIN = " (again)"
"""What the name of a pod ends with that is going to be created again: the pod that leaves is still there."""


class Packed(NamedTuple):
    """The snapshot with waiting pods placed, and those that fit on no node; DaemonSet pods are not among these."""

    there: Snapshot
    left: tuple[Pod, ...]


def waiting(snapshot: Snapshot, pools: NodePools, profile: Profile) -> tuple[Pod, ...]:
    """Return the pods that need a place: those that wait, and a copy of each pod on a node that is drained.

    Cluster autoscaler 1.34: core/podlistprocessor/currently_drained_nodes.go, Process.
    Differs: a pod that the scheduler has not tried yet counts as one that it has.
    """
    drained = (node for node in snapshot.nodes if draining(node) and pools.pool_of(node) is not None)
    leaving = (pod for node in drained for pod in to_evict(node, snapshot, pools) if not pod.terminating)
    copies = (replace(pod, name=f"{pod.name}{AGAIN}", node_name="") for pod in leaving)
    return tuple(sorted((*profile.turn(snapshot, profile), *copies), key=lambda pod: pod.key))


def packings(snapshot: Snapshot, pools: NodePools, profile: Profile) -> Iterator[Packed]:
    """Yield each way in which the waiting pods may be placed; a pod that is nominated to a node counts there.

    Cluster autoscaler 1.34: core/podlistprocessor/filter_out_expendable.go, filter_out_schedulable.go and
    filter_out_daemon_sets.go.
    """
    nodes, there, unplaced = {node.name: node for node in snapshot.nodes}, snapshot, []
    for pod in waiting(snapshot, pools, profile):
        if pod.nominated_node_name in nodes:
            there = placed(pod, nodes[pod.nominated_node_name], there)
        else:
            unplaced.append(pod)
    for packed in _packed(tuple(unplaced), Packed(there, ()), profile, set()):
        yield packed._replace(left=tuple(pod for pod in packed.left if not daemon(pod, pools.of(pod))))


def _packed(
    unplaced: tuple[Pod, ...], so_far: Packed, profile: Profile, tried: set[tuple[tuple[Pod, ...], Packed]]
) -> Iterator[Packed]:
    """Yield the result once all pods have been tried, by priority; those of equal priority in any order.

    A pod that is like one without a place is not tried, unless the simulation remembers a node for it.

    Cluster autoscaler 1.34: simulator/scheduling/hinting_simulator.go, TrySchedulePods.
    """
    if (unplaced, so_far) in tried:
        return
    tried.add((unplaced, so_far))
    if not unplaced:
        yield so_far
        return
    for pod in _first(unplaced):
        rest = tuple(each for each in unplaced if each is not pod)
        found = places(pod, so_far.there.nodes, so_far.there, profile)
        for node in found:
            yield from _packed(rest, so_far._replace(there=placed(pod, node, so_far.there)), profile, tried)
        if not found or any(alike(pod, each) for each in so_far.left):
            yield from _packed(rest, so_far._replace(left=_sorted((*so_far.left, pod))), profile, tried)


def _first(unplaced: tuple[Pod, ...]) -> tuple[Pod, ...]:
    """Return the pods that may be tried next; one of those that are alike, as their names make no difference."""
    top = max(pod.priority for pod in unplaced)
    found: list[Pod] = []
    for pod in unplaced:
        if pod.priority == top and not any(alike(pod, each) for each in found):
            found.append(pod)
    return tuple(found)


def _sorted(pods: tuple[Pod, ...]) -> tuple[Pod, ...]:
    return tuple(sorted(pods, key=lambda pod: pod.key))
