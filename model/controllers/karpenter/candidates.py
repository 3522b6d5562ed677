"""The nodes that may be disrupted: `candidates`, and how many of each pool at once: `spare`.

Karpenter 1.15: pkg/controllers/disruption/types.go, NewCandidate; pkg/controllers/state/statenode.go,
ValidateNodeDisruptable and ValidatePodsDisruptable; pkg/utils/disruption and pkg/utils/pdb.
Differs: consolidateAfter has passed. A pod is unhealthy only while it is not bound.

Not modelled: drift, repair, static pools, the policy Balanced, schedules of budgets, and costs by annotations.
"""

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from schedcheck.model.controllers.karpenter.asking import asking, mirror, of_node
from schedcheck.model.controllers.karpenter.domains import in_flight
from schedcheck.model.provisioning import (
    CAPACITY_TYPE,
    INSTANCE_TYPE,
    WHEN_EMPTY,
    ZONE,
    Budget,
    InstanceType,
    Karpenter,
    Pool,
)
from schedcheck.spec.binding import completed
from schedcheck.spec.budgets import protects
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot, Taint
from schedcheck.spec.owners import version_and_kind

DISRUPTED = Taint("karpenter.sh/disrupted", "NoSchedule")
"""The taint of a node that is being disrupted."""
BASE = 1.0
"""The cost of disrupting a node without pods. Karpenter: PerNodeBaseDisruptionCost."""


class Candidate(NamedTuple):
    """A node that may be disrupted."""

    node: Node
    pool: Pool
    type: InstanceType | None
    price: float
    cost: float
    pods: tuple[Pod, ...]
    """The pods that need another place."""

    @property
    def empty(self) -> bool:
        """Whether no pod adds to the cost. Karpenter: IsEmpty."""
        return self.cost <= BASE


def disrupted(node: Node) -> bool:
    """Whether a node is marked for deletion, or waits for its replacement."""
    return DISRUPTED in node.taints


def active(pod: Pod) -> bool:
    """Whether a pod has neither ended nor is terminating."""
    return not completed(pod) and not pod.terminating


def reschedulable(pod: Pod) -> bool:
    """Whether a pod needs another place if its node goes. Karpenter: pkg/utils/pod/scheduling.go, IsReschedulable."""
    _, kind = version_and_kind(pod.owner[0])
    return not of_node(pod) and (active(pod) or (kind == "StatefulSet" and pod.terminating))


def movable(pod: Pod, snapshot: Snapshot, given: Karpenter) -> bool:
    """Whether a pod that needs another place can leave. Karpenter: pkg/utils/pdb/pdb.go, IsCurrentlyReschedulable."""
    over = protecting(pod, snapshot)
    held = evictable(pod, given) and (len(over) > 1 or any(fully_blocking(each) for each in over))
    return reschedulable(pod) and not (active(pod) and given.of(pod).do_not_disrupt) and not held


def evictable(pod: Pod, given: Karpenter) -> bool:
    """Whether Karpenter asks for the eviction of a pod. Karpenter: IsEvictable."""
    kept = mirror(pod) or given.of(pod).do_not_disrupt
    return active(pod) and not kept and not asking(pod).tolerates((DISRUPTED,))


def protecting(pod: Pod, snapshot: Snapshot) -> list[PodDisruptionBudget]:
    """Return the PodDisruptionBudgets of a pod."""
    return [budget for budget in snapshot.budgets_over((pod,)) if protects(budget, pod)]


def fully_blocking(budget: PodDisruptionBudget) -> bool:
    """Whether a budget never allows a disruption, whatever its status. Karpenter: newPdb, isFullyBlocking."""
    return budget.max_unavailable in (0, "0%") or budget.min_available == "100%"


def candidates(snapshot: Snapshot, given: Karpenter, nominated: frozenset[str]) -> Iterator[Candidate]:
    """Yield the nodes that may be disrupted but for their pool's policy; `nominated` are kept for pending pods."""
    for node in snapshot.nodes:
        pool = given.pool_of(node)
        kept = node.name in nominated or node.name in given.kept
        if pool is None or in_flight(node) or disrupted(node) or kept or not pool.consolidates:
            continue
        pods = snapshot.pods_by_node.get(node.name, ())
        if all(_disruptable(pod, snapshot, given) for pod in pods):
            type_, moved = given.type_of(node), tuple(pod for pod in pods if reschedulable(pod))
            yield Candidate(node, pool, type_, price(node, type_), cost(moved), moved)


def consolidatable(each: Candidate) -> bool:
    """Whether a node may be consolidated. Karpenter: consolidation.go, ShouldDisrupt."""
    known = each.type is not None and CAPACITY_TYPE in each.node.labels and ZONE in each.node.labels
    return known and not each.empty and each.pool.policy != WHEN_EMPTY


def _disruptable(pod: Pod, snapshot: Snapshot, given: Karpenter) -> bool:
    """Whether a pod lets its node be disrupted. Karpenter: IsDisruptable and CanEvictPods."""
    if active(pod) and given.of(pod).do_not_disrupt:
        return False
    over = protecting(pod, snapshot) if evictable(pod, given) else []
    return len(over) < 2 and all(budget.disruptions_allowed != 0 for budget in over)


def price(node: Node, type_: InstanceType | None) -> float:
    """Return the price of a node, 0 if the catalogue lacks it. Karpenter: ResolveOfferingPrice."""
    if type_ is None or INSTANCE_TYPE not in node.labels:
        return 0.0
    at = node.labels.get(ZONE, ""), node.labels.get(CAPACITY_TYPE, "")
    return next((each.price for each in type_.offerings if (each.zone, each.capacity_type) == at), 0.0)


def cost(pods: Iterable[Pod]) -> float:
    """Return the cost of moving pods, summed as upstream does. Karpenter: ComputeRescheduleDisruptionCost."""
    total = BASE
    for pod in pods:
        total += max(0.0, min(10.0, max(-10.0, 1.0 + pod.priority / 2**25)))
    return total


def spare(snapshot: Snapshot, given: Karpenter, reason: str) -> dict[str, int]:
    """Return how many nodes of each pool may still be disrupted. Karpenter: helpers.go, BuildDisruptionBudgetMapping."""
    made = {}
    for pool in given.pools:
        own = [node for node in snapshot.nodes if given.pool_of(node) is pool and not in_flight(node)]
        going = sum(disrupted(node) or node.ready != "True" for node in own)
        made[pool.name] = max(allowed(pool, len(own), reason) - going, 0)
    return made


def allowed(pool: Pool, number: int, reason: str) -> int:
    """Return how many of so many nodes may be disrupted at once. Karpenter: GetAllowedDisruptionsByReason."""
    over = (each for each in pool.budgets if each.reasons is None or reason in each.reasons)
    return min((_nodes(each, number) for each in over), default=2**31 - 1)


def _nodes(budget: Budget, number: int) -> int:
    """Return the number of nodes that a budget allows; a percentage is rounded up."""
    if isinstance(budget.nodes, int):
        return budget.nodes
    return math.ceil(int(budget.nodes.removesuffix("%")) * number / 100)
