"""The printed control loop, split into the four questions of the tables: `Printed`."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schedcheck.checker.tabulated.answers.near import least_violations, near
from schedcheck.checker.tabulated.answers.oracle import (
    OF_CHOICES,
    OF_NOMINATIONS,
    OF_OPTIONS,
    OF_OUTCOMES,
    Ending,
    Option,
    broken,
)
from schedcheck.spec.decisions import Bind, Preempt
from schedcheck.spec.faults import Fault
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile
from schedcheck.spec.properties.kinds import Step
from schedcheck.spec.properties.of_decisions import budget_violations
from schedcheck.spec.published.control_loop import scheduling
from schedcheck.spec.published.operators import scheduling_enabled
from schedcheck.spec.published.preemption import considered

OF_ALL = OF_OPTIONS | OF_OUTCOMES | OF_CHOICES


@dataclass(frozen=True)
class Printed:
    """The loop of a printed profile; `judge` is asked as well, because properties of decisions refer to it.

    `wide`: a definition may look at nodes other than the one in question; otherwise it is shown that node only.
    `compares_budgets`: a property counts the budgets that evictions violate.
    """

    own: Profile
    judge: Profile
    wide: bool
    steps: tuple[Step, ...]
    compares_budgets: bool = False

    def admission(self, pod: Pod, node: Node, snapshot: Snapshot) -> Hashable:
        """Return the node's viability (None if infeasible) to the scheduler and the judge, and broken properties."""
        shown = near(pod, node, snapshot, self.wide)
        viable = tuple(
            profile.viability(pod, node, shown) if profile.feasibility(pod, node, shown) else None
            for profile in (self.own, self.judge)
        )
        return viable, broken(self.steps, Bind(pod, node), shown, OF_NOMINATIONS)

    def evictions(self, pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Hashable, Sequence[Option]]:
        """Return what matters of evictions there, above all the least casualty, and the victim sets that have it."""
        shown = near(pod, node, snapshot, self.wide)
        sets, least = self._least(pod, node, shown)
        kinds = self._kinds(sets, shown)
        by_judge = min(map(self.judge.casualty, self.judge.victim_sets(pod, node, shown)), default=None)
        feasible = self.own.feasibility(pod, node, shown), self.judge.feasibility(pod, node, shown)
        violated = least_violations(pod, node, shown, self.judge) if self.compares_budgets else None
        decisions = [Preempt(pod, node, victims) for victims in sets]
        options = [
            Option(kinds.index(self._kind(each.victims, shown)), each, broken(self.steps, each, snapshot, OF_OPTIONS))
            for each in decisions
        ]
        return (feasible, least, by_judge, tuple(kinds), violated), options

    def choice(self, pod: Pod, snapshot: Snapshot, answers: Mapping[str, Any]) -> tuple[Iterable[Ending], bool]:
        """Return bindings to the most viable nodes, and whether to ask about preemption.

        It is asked if no node is feasible, or if the fault `OVERLAPPING_CASE` lets the cases overlap.
        """
        binds = scheduling(pod, snapshot, self.own) if scheduling_enabled(pod, snapshot, self.own) else frozenset()
        endings = [Ending(bind, broken(self.steps, bind, snapshot, OF_ALL)) for bind in binds]
        return endings, not binds or Fault.OVERLAPPING_CASE in self.own.faults

    def outcome(self, pod: Pod, snapshot: Snapshot, answers: Mapping[str, Any]) -> Iterable[Ending]:
        """Return the evictions, one for each node and kind of victim set, or that the pod waits."""
        found: dict[Hashable, Ending] = {}
        for decision in sorted(self.own.decision(pod, snapshot, self.own), key=str):
            if isinstance(decision, Preempt):
                shown = near(pod, decision.node, snapshot, self.wide)
                kinds = self._kinds(self._least(pod, decision.node, shown)[0], shown)
                kind = kinds.index(self._kind(decision.victims, shown))
                breaks = broken(self.steps, decision, snapshot, OF_OUTCOMES)
                found[decision.node.name, kind] = Ending(decision, breaks, kind)
            elif not isinstance(decision, Bind):
                found[""] = Ending(decision, broken(self.steps, decision, snapshot, OF_ALL))
        return found.values()

    def _least(self, pod: Pod, node: Node, shown: Snapshot) -> tuple[Sequence[frozenset[Pod]], Hashable]:
        """Return the victim sets with the least casualty there, and that casualty."""
        sets = considered(pod, node, shown, self.own) if self.own.victim_sets(pod, node, shown) else frozenset()
        damage = {victims: self.own.casualty(victims) for victims in sets}
        least = min(damage.values(), default=None)
        return [victims for victims in damage if damage[victims] == least], least

    def _kinds(self, sets: Iterable[frozenset[Pod]], shown: Snapshot) -> list[int]:
        return sorted({self._kind(each, shown) for each in sets})

    def _kind(self, victims: frozenset[Pod], shown: Snapshot) -> int:
        """Return the number of budgets the victims violate, if asked; it tells equally costly victim sets apart."""
        return budget_violations(victims, shown) if self.compares_budgets else 0
