"""The steps of a cluster autoscaler: `NodeScaling`.

Nodes are added for pods that fit nowhere. Little used nodes whose pods fit elsewhere are tainted; their pods are evicted
one by one, and they are deleted. Time is abstract: any node may have been unneeded for long enough, and no cool-down holds.

Cluster autoscaler 1.34: core/static_autoscaler.go, RunOnce; core/scaledown/actuation/actuator.go, StartDeletion.

Not modelled: nodes that start slowly or never, the taint DeletionCandidateOfClusterAutoscaler, limits of resources, and
clusters with so many unready nodes that the autoscaler stops.
"""

from collections.abc import Iterator

from schedcheck.model.controllers.disruption import evicted
from schedcheck.model.controllers.node_pools.draining import draining, marked, to_evict, unmarked
from schedcheck.model.controllers.node_pools.estimating import expansions
from schedcheck.model.controllers.node_pools.packing import packings
from schedcheck.model.controllers.node_pools.removing import removals
from schedcheck.model.environment import NodeEvent, PodEvent, in_order
from schedcheck.model.pooling import NodePool, NodePools
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.profiles import Profile

Nodes = tuple[tuple[str, Node | None], ...]
"""Names of nodes, each with the node after a step, None if it is gone."""


class AddNode(NodeEvent):
    """The addition of nodes to a pool, for pods that no node takes; their names are separated by commas."""


class ScaleDown(NodeEvent):
    """The decision to remove little used nodes: they are tainted and cordoned. Their names are separated by commas."""


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

    def nodes(self, snapshot: Snapshot) -> Iterator[tuple[Act, Nodes]]:
        """Yield each change of nodes: those that are added or marked, and each drain that ends."""
        yield from dict.fromkeys(self._decisions(snapshot))
        for node in snapshot.nodes:
            if self._drained(node):
                yield from self._ending(node, snapshot)

    def _decisions(self, snapshot: Snapshot) -> Iterator[tuple[Act, Nodes]]:
        """Yield what may be decided: nodes are removed only if no pool can grow for the pods that fit nowhere.

        Any pool that may grow is possible, as with the expander `random`.

        Cluster autoscaler 1.34: core/static_autoscaler.go, RunOnce and isScaleDownInCooldown; expander/random/random.go.
        """
        there = {node.name: node for node in snapshot.nodes}
        for packed in packings(snapshot, self._pools, self._profile):
            found = [
                (pool, expansions(pool, packed, snapshot, self._pools, self._profile)) for pool in self._pools.pools
            ]
            for pool, numbers in found:
                yield from (self._added(pool, number, snapshot) for number in sorted(numbers - {0}))
            if all(0 in numbers for _, numbers in found):
                for names in removals(packed.there, snapshot, self._pools, self._profile):
                    yield ScaleDown(", ".join(names)), tuple((name, marked(there[name])) for name in names)

    def _added(self, pool: NodePool, number: int, snapshot: Snapshot) -> tuple[AddNode, Nodes]:
        """Return the addition of so many nodes, which have the first free names."""
        taken = {node.name for node in snapshot.nodes}
        names = [name for name in pool.names if name not in taken][:number]
        return AddNode(", ".join(names)), tuple((name, in_order(pool.fresh(name))) for name in names)

    def evictions(self, snapshot: Snapshot) -> (
        Iterator[tuple[EvictForScaleDown, Pod, Pod | None, tuple[PodDisruptionBudget, ...]]]
    ):  # fmt: skip
        """Yield each eviction from a node that is drained: the pod, what is left of it, and the budgets after it."""
        for node in snapshot.nodes:
            for pod in to_evict(node, snapshot, self._pools) if self._drained(node) else ():
                for _, left, budgets in evicted(pod, snapshot.budgets, self._scenario):
                    yield EvictForScaleDown(str(pod)), pod, left, budgets

    def _ending(self, node: Node, snapshot: Snapshot) -> Iterator[tuple[Act, Nodes]]:
        """Yield the deletion of a node without pods to be moved, or the end of a drain that cannot go on.

        It cannot go on while an eviction is refused, or while an unreachable node ends no pod.

        Cluster autoscaler 1.34: core/scaledown/actuation/drain.go, evictPod and waitPodsToDisappear;
        core/scaledown/actuation/delete_in_batch.go, CleanUpAndRecordErrorForFailedScaleDownEvent.
        """
        pods = to_evict(node, snapshot, self._pools)
        if not pods:
            yield RemoveNode(node.name), ((node.name, None),)
        elif any(self._held(pod, node, snapshot) for pod in pods):
            yield GiveUp(node.name), ((node.name, unmarked(node)),)

    def _held(self, pod: Pod, node: Node, snapshot: Snapshot) -> bool:
        """Whether a pod can at present not be brought to leave its node."""
        if pod.terminating:
            return node.ready == "Unknown"
        return not any(True for _ in evicted(pod, snapshot.budgets, self._scenario))

    def _drained(self, node: Node) -> bool:
        """Whether a node of a pool is being drained."""
        return draining(node) and self._pools.pool_of(node) is not None
