"""The printed control loop, taken apart for the tables: `Printed`."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from schedcheck.checker.tabulated.oracle import Option, least_violations, near
from schedcheck.spec.decisions import Bind, Decision, Preempt, Wait
from schedcheck.spec.faults import Fault
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.preemption import considered
from schedcheck.spec.profiles import Profile
from schedcheck.spec.properties import budget_violations
from schedcheck.spec.scheduling import scheduling, scheduling_enabled


@dataclass(frozen=True)
class Printed:
    """The loop of a printed profile; `judge` is asked as well, as the properties of decisions speak of it.

    `wide`: a definition may look at other nodes than the one that it is asked of. Else it is shown no other.
    `compares_budgets`: it is asked how many budgets evictions violate.
    """

    own: Profile
    judge: Profile
    wide: bool
    compares_budgets: bool = False

    def admission(self, pod: Pod, node: Node, snapshot: Snapshot) -> Hashable:
        """Whether the node is feasible and how viable it then is, to the scheduler and to the judge."""
        shown = near(pod, node, snapshot, self.wide)
        return tuple(
            profile.viability(pod, node, shown) if profile.feasibility(pod, node, shown) else None
            for profile in (self.own, self.judge)
        )

    def evictions(self, pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Hashable, Sequence[Option]]:
        """The least casualty of evictions there, and who these are."""
        shown = near(pod, node, snapshot, self.wide)
        sets, least = self._least(pod, node, shown)
        kinds = self._kinds(sets, shown)
        by_judge = min(map(self.judge.casualty, self.judge.victim_sets(pod, node, shown)), default=None)
        feasible = self.own.feasibility(pod, node, shown), self.judge.feasibility(pod, node, shown)
        violated = least_violations(pod, node, shown, self.judge) if self.compares_budgets else None
        options = [Option(kinds.index(self._kind(each, shown)), Preempt(pod, node, each)) for each in sets]
        return (feasible, least, by_judge, tuple(kinds), violated), options

    def choice(self, pod: Pod, snapshot: Snapshot) -> tuple[Iterable[Bind | Wait], bool]:
        """The most viable nodes; preemption is asked about if there are none, or where a fault lets it overlap."""
        binds = scheduling(pod, snapshot, self.own) if scheduling_enabled(pod, snapshot, self.own) else frozenset()
        return binds, not binds or Fault.OVERLAPPING_CASE in self.own.faults

    def outcome(self, pod: Pod, snapshot: Snapshot) -> Iterable[tuple[Decision, int]]:
        """The nodes on which somebody is evicted, one set of victims standing for all of a kind, or that it waits."""
        found: dict[Hashable, tuple[Decision, int]] = {}
        for decision in sorted(self.own.decision(pod, snapshot, self.own), key=str):
            if isinstance(decision, Preempt):
                shown = near(pod, decision.node, snapshot, self.wide)
                kinds = self._kinds(self._least(pod, decision.node, shown)[0], shown)
                kind = kinds.index(self._kind(decision.victims, shown))
                found[decision.node.name, kind] = (decision, kind)
            elif not isinstance(decision, Bind):
                found[""] = (decision, 0)
        return found.values()

    def _least(self, pod: Pod, node: Node, shown: Snapshot) -> tuple[Sequence[frozenset[Pod]], Hashable]:
        """The sets of victims there that do the least damage, and what that is."""
        sets = considered(pod, node, shown, self.own) if self.own.victim_sets(pod, node, shown) else frozenset()
        damage = {victims: self.own.casualty(victims) for victims in sets}
        least = min(damage.values(), default=None)
        return [victims for victims in damage if damage[victims] == least], least

    def _kinds(self, sets: Iterable[frozenset[Pod]], shown: Snapshot) -> list[int]:
        return sorted({self._kind(each, shown) for each in sets})

    def _kind(self, victims: frozenset[Pod], shown: Snapshot) -> int:
        """What tells sets of victims apart that do the same damage: how many budgets they violate, if that is asked."""
        return budget_violations(victims, shown) if self.compares_budgets else 0
