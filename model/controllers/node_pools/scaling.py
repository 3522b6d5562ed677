"""The steps of a cluster autoscaler: `NodeScaling`.

A node is added for a pod that fits nowhere. A little used node whose pods fit elsewhere is tainted, its pods are evicted
one by one, and it is deleted. Time is abstract: any node may have been unneeded for long enough, and no cool-down holds.

Cluster autoscaler 1.34: core/scaleup/orchestrator/orchestrator.go, ScaleUp; core/scaledown/planner/planner.go,
NodesToDelete; core/scaledown/actuation/actuator.go, StartDeletion.

Not modelled: nodes that start slowly or never, several nodes added at once, the taint
DeletionCandidateOfClusterAutoscaler, and limits of resources.
"""

from collections.abc import Iterator
from dataclasses import replace

from schedcheck.model.controllers.disruption import evicted
from schedcheck.model.controllers.node_pools.draining import (
    draining,
    marked,
    movable,
    seen,
    to_evict,
    unmarked,
)
from schedcheck.model.controllers.node_pools.simulation import expected, places_elsewhere, takes
from schedcheck.model.controllers.node_pools.utilization import utilization
from schedcheck.model.environment import NodeEvent, PodEvent, in_order
from schedcheck.model.pooling import NodePool, NodePools, daemon
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.profiles import Profile


class AddNode(NodeEvent):
    """The addition of a node to a pool, for a pod that no node takes."""


class ScaleDown(NodeEvent):
    """The decision to remove a little used node: it is tainted and cordoned."""


class GiveUp(NodeEvent):
    """The end of a drain that does not succeed: the node is schedulable again."""


class RemoveNode(NodeEvent):
    """The deletion of a drained node."""


class EvictForScaleDown(PodEvent):
    """An eviction by the autoscaler from a node that it drains, through the eviction API."""


Act = AddNode | ScaleDown | GiveUp | RemoveNode


class NodeScaling:
    """The autoscaler of a scenario; `profile` has the filters that it runs."""

    def __init__(self, scenario: Scenario, pools: NodePools, profile: Profile) -> None:
        self._scenario, self._pools, self._profile = scenario, pools, profile

    def nodes(self, snapshot: Snapshot) -> Iterator[tuple[Act, str, Node | None]]:
        """Yield each change of a node: the action, the name of the node, and the node after it, None if it is gone."""
        waiting = self._waiting(snapshot)
        stranded = self._stranded(waiting, snapshot)
        for pool in self._pools.pools:
            yield from self._added(pool, stranded, snapshot) if stranded else ()
        for node in snapshot.nodes:
            its = self._pools.pool_of(node)
            if its is not None and draining(node):
                yield from self._ending(node, snapshot)
            elif its is not None and self.may_go(node, its, waiting, snapshot):
                yield ScaleDown(node.name), node.name, marked(node)

    def evictions(self, snapshot: Snapshot) -> (
        Iterator[tuple[EvictForScaleDown, Pod, Pod | None, tuple[PodDisruptionBudget, ...]]]
    ):  # fmt: skip
        """Yield each eviction from a node that is drained: the pod, what is left of it, and the budgets after it."""
        for node in snapshot.nodes:
            for pod in to_evict(node, snapshot, self._pools) if self._drained(node) else ():
                for _, left, budgets in evicted(pod, snapshot.budgets, self._scenario):
                    yield EvictForScaleDown(str(pod)), pod, left, budgets

    def _waiting(self, snapshot: Snapshot) -> tuple[Pod, ...]:
        """Return the pods that need a place: those that wait, and those on nodes that are drained, as if they waited.

        Cluster autoscaler 1.34: core/podlistprocessor/currently_drained_nodes.go and filter_out_daemon_sets.go.
        """
        drained = (node for node in snapshot.nodes if self._drained(node))
        leaving = (pod for node in drained for pod in to_evict(node, snapshot, self._pools) if not pod.terminating)
        found = (*self._profile.turn(snapshot, self._profile), *(replace(pod, node_name="") for pod in leaving))
        return tuple(sorted((pod for pod in found if not daemon(pod, self._pools.of(pod))), key=lambda pod: pod.key))

    def _stranded(self, waiting: tuple[Pod, ...], snapshot: Snapshot) -> tuple[Pod, ...]:
        """Return the pods for which a node may be added: no node takes them, and they are nominated to none.

        Cluster autoscaler 1.34: core/podlistprocessor/filter_out_schedulable.go; core/utils/expendable.go,
        FilterOutExpendableAndSplit.
        """
        names = {node.name for node in snapshot.nodes}
        return tuple(
            pod
            for pod in waiting
            if pod.nominated_node_name not in names
            and not any(self._profile.feasibility(pod, node, snapshot) for node in snapshot.nodes)
        )

    def _added(
        self, pool: NodePool, stranded: tuple[Pod, ...], snapshot: Snapshot
    ) -> Iterator[tuple[AddNode, str, Node]]:
        """Yield the addition of a node, if the pool is below its maximum and the node would take a pod.

        Any pool that would do is possible, as with the expander `random`. Nodes that are drained count.

        Cluster autoscaler 1.34: expander/random/random.go; core/scaleup/orchestrator/orchestrator.go, ScaleUp.
        """
        if len(self._of(pool, snapshot)) >= pool.most:
            return
        names = {node.name for node in snapshot.nodes}
        fresh = in_order(pool.fresh(next(name for name in pool.names if name not in names)))
        if any(takes(fresh, pod, snapshot, self._profile) for pod in stranded):
            yield AddNode(fresh.name), fresh.name, fresh

    def may_go(self, node: Node, pool: NodePool, waiting: tuple[Pod, ...], snapshot: Snapshot) -> bool:
        """Whether a node may be chosen for removal, once the waiting pods have found places.

        Cluster autoscaler 1.34: core/scaledown/eligibility/eligibility.go, unremovableReasonAndNodeUtilization;
        core/scaledown/unneeded/nodes.go, unremovableReason; core/scaledown/planner/planner.go, categorizeNodes.
        """
        staying = [each for each in self._of(pool, snapshot) if not draining(each)]
        if node.name in self._pools.kept or len(staying) <= pool.least or not self._allowed(node, pool, snapshot):
            return False
        return any(self._removable(node, pool, there, snapshot) for there in expected(waiting, snapshot, self._profile))

    def _allowed(self, node: Node, pool: NodePool, there: Snapshot) -> tuple[tuple[Pod, ...], ...]:
        """Return the pods on a little used node with none that forbids its removal; each way in which they may count.

        A terminating pod may or may not be counted: it is not once it has been terminating for long.

        Cluster autoscaler 1.34: utils/drain/drain.go, IsPodLongTerminating.
        """
        pods = seen(node, there)
        lasting = tuple(pod for pod in pods if not pod.terminating)
        return tuple(
            counted
            for counted in dict.fromkeys((pods, lasting))
            if (used := utilization(node, counted)) is not None
            and used <= pool.threshold
            and movable(counted, there, self._pools)
        )

    def _removable(self, node: Node, pool: NodePool, there: Snapshot, snapshot: Snapshot) -> bool:
        """Whether the pods that are expected on a node allow its removal, and find places elsewhere.

        No two nodes whose pods are still to be moved are drained at once.

        Cluster autoscaler 1.34: simulator/cluster.go, SimulateNodeRemoval; config/flags/flags.go, max-drain-parallelism.
        """
        alone = not any(self._drained(each) and to_evict(each, snapshot, self._pools) for each in snapshot.nodes)
        ways = (
            tuple(pod for pod in to_evict(node, there, self._pools) if pod in counted)
            for counted in self._allowed(node, pool, there)
        )
        return any(
            not moved or (alone and places_elsewhere(moved, node, there, self._profile, self._pools.drained))
            for moved in ways
        )

    def _ending(self, node: Node, snapshot: Snapshot) -> Iterator[tuple[Act, str, Node | None]]:
        """Yield the deletion of a node without pods to be moved, or the end of a drain that cannot go on.

        It cannot go on while an eviction is refused, or while an unreachable node ends no pod.

        Cluster autoscaler 1.34: core/scaledown/actuation/drain.go, evictPod and waitPodsToDisappear;
        core/scaledown/actuation/delete_in_batch.go, CleanUpAndRecordErrorForFailedScaleDownEvent.
        """
        pods = to_evict(node, snapshot, self._pools)
        if not pods:
            yield RemoveNode(node.name), node.name, None
        elif any(self._held(pod, node, snapshot) for pod in pods):
            yield GiveUp(node.name), node.name, unmarked(node)

    def _held(self, pod: Pod, node: Node, snapshot: Snapshot) -> bool:
        """Whether a pod can at present not be brought to leave its node."""
        if pod.terminating:
            return node.ready == "Unknown"
        return not any(True for _ in evicted(pod, snapshot.budgets, self._scenario))

    def _of(self, pool: NodePool, snapshot: Snapshot) -> list[Node]:
        """Return the nodes of a pool."""
        return [node for node in snapshot.nodes if self._pools.pool_of(node) is pool]

    def _drained(self, node: Node) -> bool:
        """Whether a node of a pool is being drained."""
        return draining(node) and self._pools.pool_of(node) is not None
