"""The pods that need a place, and their places on the nodes that exist: `leaving`, `packings`, `Packed`.

Cluster autoscaler 1.34: core/podlistprocessor/pod_list_processor.go, NewDefaultPodListProcessor.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from schedcheck.model.controllers.node_pools.draining import draining, to_evict
from schedcheck.model.controllers.node_pools.simulation import (
    Counts,
    counted,
    kinds,
    one_of_each,
    placed,
    places,
    subsets,
)
from schedcheck.model.pooling import AGAIN, Key, NodePools, daemon
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile


class Packed(NamedTuple):
    """The snapshot with waiting pods placed, and those that fit on no node; DaemonSet pods are not among these."""

    there: Snapshot
    left: tuple[Pod, ...]


def leaving(nodes: Iterable[Node], there: Snapshot, pools: NodePools) -> tuple[Pod, ...]:
    """Return a copy of each pod on drained nodes, as if it were created again already; terminating pods are left out.

    Cluster autoscaler 1.34: core/podlistprocessor/currently_drained_nodes.go, Process.
    """
    pods = (pod for node in nodes for pod in to_evict(node, there, pools) if not pod.terminating)
    return tuple(replace(pod, name=f"{pod.name}{AGAIN}", node_name="") for pod in pods)


def packings(snapshot: Snapshot, pools: NodePools, profile: Profile) -> Iterator[Packed]:
    """Yield each way in which the pods that need a place may be placed; a pod that is nominated to a node counts there.

    A node that is on its way out without pods may have been drained, or may have had none from the beginning.

    Cluster autoscaler 1.34: core/podlistprocessor/filter_out_expendable.go, filter_out_schedulable.go and
    filter_out_daemon_sets.go.
    Differs: a pod that the scheduler has not tried yet counts as one that it has.
    """
    nodes, there, waiting = {node.name: node for node in snapshot.nodes}, snapshot, []
    for pod in sorted(profile.turn(snapshot, profile), key=lambda each: each.key):
        if pod.nominated_node_name in nodes:
            there = placed(pod, nodes[pod.nominated_node_name], there)
        else:
            waiting.append(pod)
    going = [node for node in snapshot.nodes if draining(node) and pools.pool_of(node) is not None]
    drained = [node for node in going if to_evict(node, snapshot, pools)]
    doubtful = [node for node in going if node not in drained and to_evict(node, there, pools)]
    for more in subsets(doubtful):
        unplaced = (*waiting, *leaving((*drained, *more), there, pools))
        packing = Packing(profile, kinds(unplaced, pools))
        for packed in packing.ways(unplaced, (), Packed(there, ())):
            yield packed._replace(left=tuple(pod for pod in packed.left if not daemon(pod, pools.of(pod))))


class Packing:
    """The placement of waiting pods, by priority; those of equal priority in any order, and equal pods in one.

    A pod that is like one without a place is not tried there. The same comes of trying it right after that one.

    Cluster autoscaler 1.34: simulator/scheduling/hinting_simulator.go, TrySchedulePods.
    Differs: up to twelve pods of equal priority keep their order, in which those on drained nodes come last.
    """

    def __init__(self, profile: Profile, kind: Mapping[Key, int]) -> None:
        self._profile, self._kind = profile, kind
        self._tried: set[tuple[Counts, Counts]] = set()

    def ways(self, unplaced: tuple[Pod, ...], done: tuple[Pod, ...], so_far: Packed) -> Iterator[Packed]:
        """Yield the result once all pods have been tried; `done` are those that have a place."""
        here = counted(done, self._kind), counted(so_far.left, self._kind)
        if here in self._tried:
            return
        self._tried.add(here)
        if not unplaced:
            yield so_far
        for pod in one_of_each(first(unplaced), self._kind):
            rest = tuple(each for each in unplaced if each is not pod)
            found = places(pod, so_far.there.nodes, so_far.there, self._profile)
            for node in found:
                on = replace(pod, node_name=node.name)
                yield from self.ways(rest, (*done, on), so_far._replace(there=placed(pod, node, so_far.there)))
            if not found:
                left = tuple(sorted((*so_far.left, pod), key=lambda each: each.key))
                yield from self.ways(rest, done, so_far._replace(left=left))


def first(pods: tuple[Pod, ...]) -> tuple[Pod, ...]:
    """Return the pods of the highest priority.

    Cluster autoscaler 1.34: core/podlistprocessor/filter_out_schedulable.go, filterOutSchedulableByPacking.
    """
    return tuple(pod for pod in pods if pod.priority == max(each.priority for each in pods))
