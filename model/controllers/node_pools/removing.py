"""The sets of nodes that may be marked for deletion at once: `removals`.

The candidates are judged one after the other, those without pods first. A node whose pods find places elsewhere is taken
for gone, with its pods there, when the next is judged. Any of the nodes that were found may then be marked.

Cluster autoscaler 1.34: core/scaledown/planner/planner.go, categorizeNodes and NodesToDelete.

Not modelled: limits of cores and memory, pools that scale to zero at once, and the limits of time and number of a
simulation.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from schedcheck.model.controllers.node_pools.draining import draining, movable, seen, to_evict
from schedcheck.model.controllers.node_pools.simulation import homeless, interplay, moves, subsets
from schedcheck.model.controllers.node_pools.utilization import utilization
from schedcheck.model.pooling import NodePool, NodePools
from schedcheck.spec.budgets import protects
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.profiles import Profile

Names = tuple[str, ...]

MOST_AT_ONCE = 10
"""The flag max-scale-down-parallelism."""
MOST_DRAINED = 1
"""The flag max-drain-parallelism."""


def removals(there: Snapshot, snapshot: Snapshot, pools: NodePools, profile: Profile) -> Iterator[Names]:
    """Yield the names of the nodes that may be marked at once, once the waiting pods have their places `there`.

    A terminating pod may have been terminating for long, so that it does not count.

    Cluster autoscaler 1.34: utils/drain/drain.go, IsPodLongTerminating.
    """
    nodes = {node.name for node in snapshot.nodes if pools.pool_of(node) is not None}
    terminating = tuple(pod for pod in there.pods if pod.terminating and pod.node_name in nodes)
    for ended in subsets(terminating):
        yield from Removing(snapshot, pools, profile, frozenset(ended)).sets(there)


class Removing:
    """The removals from a cluster in which the pods `ended` do not count."""

    def __init__(self, snapshot: Snapshot, pools: NodePools, profile: Profile, ended: frozenset[Pod]) -> None:
        self._snapshot, self._pools, self._profile, self._ended = snapshot, pools, profile, ended

    def sets(self, there: Snapshot) -> Iterator[Names]:
        """Yield the sets, of which each has no more than one node with pods to be moved.

        Cluster autoscaler 1.34: core/scaledown/budgets/budgets.go, CropNodes.
        Differs: that one may be any. By sortByRisk of core/scaledown/planner/planner.go it is one all of whose pods their
        budgets let go at once, unless no such node has been unneeded for long enough.
        """
        candidates = [node.name for node in there.nodes if self._eligible(node, there)]
        empty = [name for name in candidates if self._moved(name, there) == ()]
        others = [name for name in candidates if self._moved(name, there)]
        for marked in subsets(empty):
            if marked and self._within_limits(marked, 0):
                yield marked
            for name in others:
                both = tuple(sorted((*marked, name)))
                if self._within_limits(both, 1) and self._found(name, marked, empty, others, there):
                    yield both

    def _eligible(self, node: Node, there: Snapshot) -> bool:
        """Whether a node is judged at all: little used, not annotated, and of a pool that is larger than its minimum.

        Cluster autoscaler 1.34: core/scaledown/eligibility/eligibility.go, unremovableReasonAndNodeUtilization;
        processors/nodes/pre_filtering_processor.go, GetScaleDownCandidates.
        """
        pool = self._pools.pool_of(node)
        if pool is None or draining(node) or node.name in self._pools.kept or len(self._of(pool)) <= pool.least:
            return False
        used = utilization(node, self._counted(node.name, there))
        return used is not None and used <= pool.threshold

    def _moved(self, name: str, there: Snapshot) -> tuple[Pod, ...] | None:
        """Return the pods that must leave a node before it is removed; None if one of its pods forbids the removal.

        Cluster autoscaler 1.34: simulator/drain.go, GetPodsToMove.
        """
        node = next(each for each in there.nodes if each.name == name)
        counted = self._counted(name, there)
        if not movable(counted, there, self._pools):
            return None
        return tuple(pod for pod in to_evict(node, there, self._pools) if pod in counted)

    def _found(self, name: str, first: Names, empty: list[str], others: list[str], there: Snapshot) -> bool:
        """Whether a node is found removable after these empty ones, and after any others.

        Any candidate may be passed over, because it was found unremovable shortly before. If no pod of the node could
        gain a place by other removals, those of the empty nodes that are to go come first, and no more.

        Cluster autoscaler 1.34: core/scaledown/unremovable/nodes.go, IsRecent.
        """
        pods = self._moved(name, there) or ()
        nodes = [node for node in there.nodes if node.name not in (name, *first) and not draining(node)]
        if any(homeless(replace(pod, node_name=""), nodes, there, self._profile) for pod in pods):
            return False
        free = interplay(pods, there, self._profile)
        rest = [each for each in empty if each not in first] if free else []
        for more in subsets(rest):
            left = there
            for each in (*first, *more):
                left = self._after(each, (), left, left)
            if self._in_turn(name, tuple(each for each in others if free and each != name), left, set()):
                return True
        return False

    def _in_turn(self, name: str, before: Names, there: Snapshot, tried: set[tuple[Names, Snapshot]]) -> bool:
        """Whether a node is found removable now, or after one more of the nodes `before` it."""
        if (before, there) in tried:
            return False
        tried.add((before, there))
        return any(True for _ in self._judged(name, there)) or any(
            self._in_turn(name, tuple(each for each in before if each != other), left, tried)
            for other in before
            for left in self._judged(other, there)
        )

    def _judged(self, name: str, there: Snapshot) -> Iterator[Snapshot]:
        """Yield what is left of the cluster if a node is removable, and nothing otherwise.

        Cluster autoscaler 1.34: simulator/cluster.go, SimulateNodeRemoval.
        """
        pods = self._moved(name, there)
        for left in () if pods is None else moves(pods, name, there, self._profile, self._pools):
            yield self._after(name, pods or (), there, left)

    def _after(self, name: str, pods: tuple[Pod, ...], there: Snapshot, left: Snapshot) -> Snapshot:
        """Return what is left without a node, and with budgets that allow as many fewer disruptions as pods were moved.

        Cluster autoscaler 1.34: core/scaledown/pdb/basic.go, RemovePods.
        """
        gone = left - frozenset(left.pods_by_node.get(name, ()))
        nodes = tuple(node for node in left.nodes if node.name != name)
        return replace(gone, nodes=nodes, budgets=tuple(_less(each, pods) for each in there.budgets))

    def _within_limits(self, names: Names, drained: int) -> bool:
        """Whether so many nodes may be marked at once, beside those that are drained, and each pool keeps its minimum.

        Cluster autoscaler 1.34: core/scaledown/unneeded/nodes.go, verifyMinSize; core/scaledown/budgets/budgets.go, CropNodes.
        Differs: a node counts as one that is drained until the last pod has left it.
        """
        going = [node for node in self._snapshot.nodes if draining(node) and self._pools.pool_of(node) is not None]
        busy = sum(1 for node in going if to_evict(node, self._snapshot, self._pools))
        return (
            len(names) + len(going) <= MOST_AT_ONCE
            and (not drained or drained + busy <= MOST_DRAINED)
            and all(self._keeps(pool, names, going) for pool in self._pools.pools)
        )

    def _keeps(self, pool: NodePool, names: Names, going: list[Node]) -> bool:
        """Whether a pool keeps its minimum if these nodes go too, of which it may have none."""
        nodes = self._of(pool)
        lost = sum(1 for node in nodes if node.name in names)
        return not lost or len(nodes) - sum(1 for node in nodes if node in going) - lost >= pool.least

    def _counted(self, name: str, there: Snapshot) -> tuple[Pod, ...]:
        """Return the pods on a node that count."""
        node = next(each for each in there.nodes if each.name == name)
        return tuple(pod for pod in seen(node, there) if pod not in self._ended)

    def _of(self, pool: NodePool) -> list[Node]:
        """Return the nodes of a pool."""
        return [node for node in self._snapshot.nodes if self._pools.pool_of(node) is pool]


def _less(budget: PodDisruptionBudget, pods: Iterable[Pod]) -> PodDisruptionBudget:
    """Return a budget after the disruption of these pods."""
    number = sum(1 for pod in pods if protects(budget, pod))
    return replace(budget, disruptions_allowed=budget.disruptions_allowed - number) if number else budget
