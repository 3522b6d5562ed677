"""The nodes that Karpenter disrupts next: `commands`, by the methods emptiness, multi-node and single-node consolidation.

Karpenter 1.15: pkg/controllers/disruption/controller.go, emptiness.go, consolidation.go, multinodeconsolidation.go,
singlenodeconsolidation.go and helpers.go.
Differs: a command is validated in the state in which it was computed, not 15 seconds later.

Not modelled: consolidation of spot nodes by cheaper spot nodes, which is off by default, and time limits of the search.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from schedcheck.model.controllers.karpenter.candidates import (
    DISRUPTED,
    Candidate,
    candidates,
    consolidatable,
    disrupted,
    movable,
    spare,
)
from schedcheck.model.controllers.karpenter.choosing import Choices
from schedcheck.model.controllers.karpenter.domains import in_flight
from schedcheck.model.controllers.karpenter.hosts import compatible_offerings
from schedcheck.model.controllers.karpenter.requirements import EXISTS, Requirements, joined, of_labels, one_of
from schedcheck.model.controllers.karpenter.solving import Claim, Solution, solved
from schedcheck.model.provisioning import (
    CAPACITY_TYPE,
    EMPTY,
    ON_DEMAND,
    SPOT,
    UNDERUTILIZED,
    InstanceType,
    Karpenter,
)
from schedcheck.spec.objects import Node, Pod, Snapshot

WITHOUT_END = float("inf")


class Command(NamedTuple):
    """The nodes to disrupt, for a reason, and the node that replaces them, if any."""

    reason: str
    nodes: tuple[str, ...]
    replacement: Claim | None = None


@dataclass(frozen=True)
class Disrupting:
    """One look at the cluster: what it holds, the pending pods that count, and the choices that are made."""

    given: Karpenter
    snapshot: Snapshot
    pending: tuple[Pod, ...]
    choices: Choices

    def command(self) -> Command | None:
        """Return what is done next; None for nothing. Karpenter: Reconcile, which tries one method after the other."""
        return self.after(frozenset(node.name for node, _ in self.simulated(()).placed))

    def after(self, nominated: frozenset[str]) -> Command | None:
        """Return what is done next if the provisioner counts on these nodes for pods; they are not disrupted."""
        there = tuple(candidates(self.snapshot, self.given, nominated))
        return self._emptiness(there) or self._several(there) or self._single(there)

    def simulated(self, gone: Iterable[Candidate]) -> Solution:
        """Return where pods find places without these nodes. Karpenter: SimulateScheduling, and Provisioner.Schedule."""
        moved = tuple(gone)
        names = {each.node.name for each in moved}
        nodes = [node for node in self.snapshot.nodes if not disrupted(node) and node.name not in names]
        leaving = [
            pod
            for node in self.snapshot.nodes
            for pod in self.snapshot.pods_by_node.get(node.name, ())
            if (disrupted(node) or node.name in names) and movable(pod, self.snapshot, self.given)
        ]
        pods = (*self.pending, *leaving)
        if not pods:
            return Solution((), (), ())
        return solved(self.given, self.snapshot, nodes, pods, self.choices)

    def _emptiness(self, there: Sequence[Candidate]) -> Command | None:
        """Return the removal of empty nodes, as many as the budgets allow. Karpenter: Emptiness.ComputeCommands."""
        empty = self._some_within([each for each in there if each.empty], EMPTY)
        return Command(EMPTY, _names(empty)) if empty else None

    def _several(self, there: Sequence[Candidate]) -> Command | None:
        """Return the consolidation of the first nodes, as many as a binary search finds. Karpenter: firstNConsolidationOption."""
        ordered = self._within(self._by_worth([each for each in there if consolidatable(each)]), UNDERUTILIZED)
        found, least, most = None, 1, min(100, len(ordered) - 1)
        while least <= most:
            middle = (least + most) // 2
            some = ordered[: middle + 1]
            command = self._consolidated(some)
            if command is not None and command.replacement is not None:
                command = self._other_types(command, some)
            if command is not None:
                found, least = command, middle + 1
            else:
                most = middle - 1
        return found if found is not None and self._valid(found, there) else None

    def _single(self, there: Sequence[Candidate]) -> Command | None:
        """Return the consolidation of the first node for which there is one. Karpenter: SingleNodeConsolidation."""
        budget = spare(self.snapshot, self.given, UNDERUTILIZED)
        for each in self._in_turn(self._by_worth([each for each in there if consolidatable(each)])):
            if budget[each.pool.name] > 0 and (command := self._consolidated((each,))) is not None:
                return command if self._valid(command, there) else None
        return None

    def _valid(self, command: Command, there: Sequence[Candidate]) -> bool:
        """Whether a second simulation, which may choose otherwise, agrees. Karpenter: validation.go, validateCommand."""
        some = [each for each in there if each.node.name in command.nodes]
        result = self.simulated(some)
        if self._unplaced(result, some) or len(result.claims) != (command.replacement is not None):
            return False
        wanted = command.replacement.types if command.replacement is not None else ()
        return all(each in result.claims[0].types for each in wanted)

    def _consolidated(self, some: Sequence[Candidate]) -> Command | None:
        """Return how to do without these nodes, with at most one cheaper node. Karpenter: computeConsolidation."""
        result = self.simulated(some)
        if self._unplaced(result, some):
            return None
        if not result.claims:
            return Command(UNDERUTILIZED, _names(some))
        if len(result.claims) > 1:
            return None
        claim = result.claims[0]
        allowed = claim.requirements.get(CAPACITY_TYPE, EXISTS)
        if allowed.has(SPOT) and all(each.node.labels[CAPACITY_TYPE] == SPOT for each in some):
            return None
        claim = self._cheaper(claim, sum(each.price for each in some))
        if not claim.types:
            return None
        if allowed.has(SPOT) and allowed.has(ON_DEMAND):
            claim = claim._replace(requirements=joined(claim.requirements, {CAPACITY_TYPE: one_of(SPOT)}))
        return Command(UNDERUTILIZED, _names(some), claim)

    def _unplaced(self, result: Solution, some: Sequence[Candidate]) -> bool:
        """Whether a pod that runs now has no place, or only one on a node in flight. Karpenter: AllNonPendingPodsScheduled."""
        waiting = {pod.key for pod in self.pending}
        gone = {each.node.name for each in some}
        unsure = (pod for node, pods in result.placed if in_flight(node) for pod in pods if pod.node_name in gone)
        return any(pod.key not in waiting for pod in (*result.failed, *unsure))

    def _other_types(self, command: Command, some: Sequence[Candidate]) -> Command | None:
        """Return the command without replacements that cost as much as a node of a type that goes, None if none is left.

        Karpenter: filterOutSameInstanceType.
        """
        claim, prices = command.replacement, dict[str, float]()
        assert claim is not None
        there = [(each, each.type) for each in some if each.type is not None]
        for each, type_ in there:
            for offering in compatible_offerings(type_, of_labels(each.node.labels), self.given):
                prices[type_.name] = min(prices.get(type_.name, WITHOUT_END), offering.price)
        # A type whose nodes have offerings that the catalogue lacks counts as free.
        same = {type_.name for _, type_ in there} & {each.name for each in claim.types}
        limit = min((prices.get(name, 0.0) for name in same), default=WITHOUT_END)
        claim = self._cheaper(claim, limit)
        return command._replace(replacement=claim) if claim.types else None

    def _cheaper(self, claim: Claim, limit: float) -> Claim:
        """Return the claim with the types that cost less at worst. Karpenter: RemoveInstanceTypeOptionsByPriceAndMinValues."""
        worst = ((each, worst_price(each, claim.requirements, self.given)) for each in claim.types)
        return claim._replace(types=tuple(each for each, most in worst if most < limit))

    def _within(self, ordered: Iterable[Candidate], reason: str) -> list[Candidate]:
        """Return the first of these nodes that the disruption budgets allow together."""
        budget, kept = spare(self.snapshot, self.given, reason), []
        for each in ordered:
            if budget[each.pool.name] > 0:
                budget[each.pool.name] -= 1
                kept.append(each)
        return kept

    def _some_within(self, some: Sequence[Candidate], reason: str) -> list[Candidate]:
        """Return which of these nodes the disruption budgets allow together, if their order does not matter.

        Of several orders of equal nodes those that keep the same ones are looked at once.
        """
        budget, kept = spare(self.snapshot, self.given, reason), list[Candidate]()
        worths = {each.node.name: each.price / each.cost for each in some}
        for name, worth in sorted({(each.pool.name, -worths[each.node.name]) for each in some}):
            equal = [each for each in some if (each.pool.name, -worths[each.node.name]) == (name, worth)]
            taken = self.choices.some(equal, budget[name])
            budget[name] -= len(taken)
            kept.extend(taken)
        return kept

    def _by_worth(self, some: Sequence[Candidate]) -> list[Candidate]:
        """Return the nodes by what they cost for each pod moved, the dearest first, equal ones in any order."""
        ordered: list[Candidate] = []
        for worth in sorted({each.price / each.cost for each in some}, reverse=True):
            ordered.extend(self.choices.order([each for each in some if each.price / each.cost == worth]))
        return ordered

    def _in_turn(self, ordered: Sequence[Candidate]) -> Iterator[Candidate]:
        """Yield one node of each pool after the other, the pools in any order. Karpenter: shuffleCandidates."""
        pools = {each.pool.name: [other for other in ordered if other.pool is each.pool] for each in ordered}
        names = self.choices.order(sorted(pools))
        for place in range(max((len(each) for each in pools.values()), default=0)):
            yield from (pools[name][place] for name in names if place < len(pools[name]))


def worst_price(each: InstanceType, requirements: Requirements, given: Karpenter) -> float:
    """Return the highest price at which a node may be launched, as spot if that is possible. Karpenter: WorstLaunchPrice."""
    there = [offering for offering in compatible_offerings(each, requirements, given) if offering.available]
    for capacity_type in (SPOT, ON_DEMAND):
        if some := [offering.price for offering in there if offering.capacity_type == capacity_type]:
            return max(some)
    return WITHOUT_END


def marked(node: Node) -> Node:
    """Return the node with the taint of disruption."""
    return replace(node, taints=tuple(sorted((*node.taints, DISRUPTED), key=str)))


def _names(some: Iterable[Candidate]) -> tuple[str, ...]:
    """Return the names of nodes, sorted."""
    return tuple(sorted(each.node.name for each in some))
