"""The numbers of nodes by which a pool may grow for pods that fit on no node: `expansions`.

Cluster autoscaler 1.34: core/scaleup/orchestrator/orchestrator.go, ScaleUp; estimator/binpacking_estimator.go, Estimate.

Not modelled: limits of cores, memory and all nodes, similar pools, and pools that scale from zero to their maximum at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from schedcheck.model.controllers.node_pools.draining import draining, seen
from schedcheck.model.controllers.node_pools.packing import Packed
from schedcheck.model.controllers.node_pools.simulation import alike, placed, places, too_uneven, with_node
from schedcheck.model.pooling import HOSTNAME, NodePool, NodePools, daemon
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile
from schedcheck.spec.requests import request

Group = tuple[Pod, ...]


@dataclass(frozen=True)
class Bins:
    """New nodes of a simulation, in the order of their addition; the nodes used so far; whether one more may be added."""

    there: Snapshot
    new: tuple[Node, ...] = ()
    used: frozenset[str] = frozenset()
    more: bool = True

    def with_pod(self, pod: Pod, node: Node) -> "Bins":
        """Return the bins with a pod on a node."""
        return replace(self, there=placed(pod, node, self.there), used=self.used | {node.name})

    def last(self) -> Node | None:
        """Return the node that was added last."""
        return self.new[-1] if self.new else None


class Estimation:
    """The growth of one pool, with a new node that has these pods of DaemonSets, and `room` for so many nodes."""

    def __init__(self, pool: NodePool, room: int, daemons: tuple[Pod, ...], profile: Profile) -> None:
        self._pool, self._room, self._daemons, self._profile = pool, room, daemons, profile

    def numbers(self, packed: Packed) -> frozenset[int]:
        """Return the numbers of nodes that may be asked for, 0 for none; one beyond the maximum of the pool is cut.

        Cluster autoscaler 1.34: processors/nodegroupset/balancing_processor.go, BalanceScaleUpBetweenGroups.
        """
        groups = self._helped(packed)
        return frozenset(min(len(bins.used), self._room) for bins in self._packed(groups, Bins(packed.there), set()))

    def _helped(self, packed: Packed) -> tuple[Group, ...]:
        """Return the groups of like pods of which the first passes the filters on a new node.

        Cluster autoscaler 1.34: core/scaleup/orchestrator/orchestrator.go, SchedulablePodGroups.
        """
        node, there = self._added(packed.there, "")
        return tuple(group for group in groups_of(packed.left) if self._profile.feasibility(group[0], node, there))

    def _packed(
        self, groups: tuple[Group, ...], bins: Bins, tried: set[tuple[tuple[Group, ...], Bins]]
    ) -> Iterator[Bins]:
        """Yield the bins once all groups have been tried: the larger first, equally large ones in any order."""
        if (groups, bins) in tried:
            return
        tried.add((groups, bins))
        if not groups:
            yield bins
            return
        largest = max(self._size(group[0]) for group in groups)
        for number, group in enumerate(groups):
            if self._size(group[0]) == largest:
                rest = (*groups[:number], *groups[number + 1 :])
                for after in self._on_new_nodes(group, bins):
                    yield from self._packed(rest, after, tried)

    def _size(self, pod: Pod) -> float:
        """Return how much of a new node a pod requests."""
        return size(pod, self._pool.template)

    def _on_new_nodes(self, pods: Group, bins: Bins) -> Iterator[Bins]:
        """Yield the bins with like pods on new nodes: each on any that takes it, until one finds none; then on further ones.

        Cluster autoscaler 1.34: estimator/binpacking_estimator.go, tryToScheduleOnExistingNodes.
        """
        found = places(pods[0], bins.new, bins.there, self._profile) if pods else ()
        for node in found:
            yield from self._on_new_nodes(pods[1:], bins.with_pod(pods[0], node))
        if not found:
            yield from self._on_further_nodes(pods, bins) if bins.more else (bins,)

    def _on_further_nodes(self, pods: Group, bins: Bins) -> Iterator[Bins]:
        """Yield the bins with each of these pods on the last node or, if that does not take it, on one more.

        A pod that is spread over hostnames, and that the last node would make too uneven, may go to any other node, even
        to one that is not new. That node then counts as one that is needed. No node is added after one without pods.

        Cluster autoscaler 1.34: estimator/binpacking_estimator.go, tryToScheduleOnNewNodes.
        """
        last = bins.last()
        if not pods:
            yield bins
        elif last is not None and self._profile.feasibility(pods[0], last, bins.there):
            yield from self._on_further_nodes(pods[1:], bins.with_pod(pods[0], last))
        elif others := self._others(pods[0], bins):
            for node in others:
                yield from self._on_further_nodes(pods[1:], bins.with_pod(pods[0], node))
        elif last is not None and last.name not in bins.used:
            yield bins
        elif len(bins.new) >= self._room:
            yield replace(bins, more=False)
        else:
            yield from self._on_one_more(pods, bins)

    def _others(self, pod: Pod, bins: Bins) -> tuple[Node, ...]:
        """Return the nodes other than the last that may take a pod which is spread over hostnames."""
        last = bins.last()
        if last is None or all(each.topology_key != HOSTNAME for each in pod.spread):
            return ()
        if not too_uneven(pod, last, bins.there, self._profile):
            return ()
        nodes = (node for node in bins.there.nodes if node.name != last.name and not node.unschedulable)
        return places(pod, nodes, bins.there, self._profile)

    def _on_one_more(self, pods: Group, bins: Bins) -> Iterator[Bins]:
        """Yield the bins with one more node, and the first of these pods on it; without the others if it does not fit."""
        node, there = self._added(bins.there, f"-e-{len(bins.new)}")
        after = replace(bins, there=there, new=(*bins.new, node))
        if self._profile.feasibility(pods[0], node, there):
            yield from self._on_further_nodes(pods[1:], after.with_pod(pods[0], node))
        else:
            yield after

    def _added(self, there: Snapshot, suffix: str) -> tuple[Node, Snapshot]:
        """Return a new node, which no pod names, and the snapshot with it."""
        node = self._pool.fresh(f"template-node-for-{self._pool.name}{suffix}")
        after = with_node(there, node)
        for pod in self._daemons:
            after = placed(replace(pod, name=f"{pod.name}{suffix}-new"), node, after)
        return node, after


def size(pod: Pod, template: Node) -> float:
    """Return the sum of the shares of cpu and memory of a node like the template that a pod requests.

    Cluster autoscaler 1.34: estimator/decreasing_pod_orderer.go, calculatePodScore.
    """
    resources = (each for each in ("cpu", "memory") if template.allocatable.get(each, 0) > 0)
    return sum(request(pod, each, NO_FAULTS) / template.allocatable[each] for each in resources)


def groups_of(pods: tuple[Pod, ...]) -> tuple[Group, ...]:
    """Return the pods in groups of like ones.

    Cluster autoscaler 1.34: core/scaleup/equivalence/groups.go, BuildPodGroups.
    """
    found: list[list[Pod]] = []
    for pod in pods:
        group = next((each for each in found if alike(pod, each[0])), None)
        if group is None:
            found.append([pod])
        else:
            group.append(pod)
    return tuple(tuple(group) for group in found)


def expansions(
    pool: NodePool, packed: Packed, snapshot: Snapshot, pools: NodePools, profile: Profile
) -> frozenset[int]:
    """Return the numbers of nodes by which a pool may grow, of which 0 is one if it need not. Nodes that are drained count.

    A new node has the DaemonSet pods and mirror pods of some ready node of the pool, none if there is no such node.

    Cluster autoscaler 1.34: processors/nodeinfosprovider/mixed_nodeinfos_processor.go, Process.
    Differs: without such a node it has the pods of the DaemonSets that the cluster lists, which are not read here.
    """
    nodes = [node for node in snapshot.nodes if pools.pool_of(node) is pool]
    room = pool.most - len(nodes)
    if room <= 0 or not packed.left:
        return frozenset({0})
    good = [node for node in nodes if node.ready == "True" and not node.unschedulable and not draining(node)]
    examples = dict.fromkeys(_daemons(node, snapshot, pools) for node in good) or {(): None}
    found = (Estimation(pool, room, daemons, profile).numbers(packed) for daemons in examples)
    return frozenset[int]().union(*found)


def _daemons(node: Node, snapshot: Snapshot, pools: NodePools) -> tuple[Pod, ...]:
    """Return the pods on a node that a new one is expected to have.

    Cluster autoscaler 1.34: simulator/node_info_utils.go, podsExpectedOnFreshNode.
    """
    return tuple(
        pod
        for pod in seen(node, snapshot)
        if not pod.terminating and (pools.of(pod).mirror or daemon(pod, pools.of(pod)))
    )
