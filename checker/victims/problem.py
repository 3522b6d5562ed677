"""The question which pods to evict from a node for a pod: `Question`, `question`.

For the solver the potential victims are one number for each class of interchangeable pods; for the judge they are pods.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import z3

from schedcheck.checker.victims.casualty import Class, Objective
from schedcheck.checker.victims.interchangeable import interchangeable
from schedcheck.checker.victims.judges import Judge, Limit, Objection, looks_beyond, nearby
from schedcheck.spec.decisions import VictimSet
from schedcheck.spec.objects import Node, Pod, Snapshot

Counts = tuple[int, ...]
"""The number of victims of each class."""


@dataclass(frozen=True)
class Question:
    """The question which pods to evict from `node` for `pod`.

    `snapshot` holds the node with its pods, and `whole` everything on which the node's feasibility depends.
    """

    pod: Pod
    node: Node
    snapshot: Snapshot
    whole: Snapshot
    judge: Judge
    limits: tuple[Limit, ...]
    jeopardy: VictimSet

    @cached_property
    def classes(self) -> tuple[Class, ...]:
        """The classes of interchangeable potential victims."""
        judge, near = self.judge, self.snapshot
        members = interchangeable(self.pod, self.jeopardy, near, self.limits, judge.criteria, judge.faults)
        return tuple(Class(each, z3.Int(f"n{number}")) for number, each in enumerate(members))

    @cached_property
    def ordered(self) -> tuple[Pod, ...]:
        """The potential victims, in the order of their keys."""
        return tuple(sorted(self.jeopardy, key=lambda pod: pod.key))

    @cached_property
    def needed(self) -> tuple[Limit, ...]:
        """The limits of which something must be freed."""
        return tuple(limit for limit in self.limits if limit.needed > 0)

    @cached_property
    def final(self) -> tuple[Objection, ...]:
        """The refusals that no eviction lifts: antitone ones that remain without all potential victims."""
        return tuple(each for each in self.objections(self.jeopardy) if each.antitone)

    def fits(self, victims: VictimSet) -> bool:
        """Whether the node is feasible without these victims. It is judged only if they meet the limits."""
        return all(limit.met(victims) for limit in self.needed) and self.feasible(victims)

    def feasible(self, victims: VictimSet) -> bool:
        """Whether the node is feasible without these victims."""
        return self.judge.feasibility(self.pod, self.node, self.whole, victims)

    def objections(self, victims: VictimSet) -> tuple[Objection, ...]:
        """Return the refusals of the node without these victims."""
        return self.judge.objections(self.pod, self.node, self.whole, victims)

    def casualty(self, victims: VictimSet) -> tuple[int, ...]:
        """Return the damage by the specification."""
        return self.judge.casualty(victims, self.snapshot)

    def agreed(self, victims: VictimSet) -> bool:
        """Whether the criteria agree with the specification's damage for these victims."""
        return self.casualty(victims) == tuple(each.value(victims, self.snapshot) for each in self.judge.criteria)

    @cached_property
    def objectives(self) -> tuple[Objective, ...]:
        """The criteria of the casualty, for the solver."""
        return tuple(criterion.objective(self.classes, self.snapshot) for criterion in self.judge.criteria)

    def victims(self, counts: Counts) -> VictimSet:
        """Return this many pods of each class, the first ones."""
        return frozenset(pod for each, n in zip(self.classes, counts, strict=True) for pod in each.members[:n])

    def counts(self, victims: VictimSet) -> Counts:
        """Return the number of these victims in each class."""
        return tuple(len(victims.intersection(each.members)) for each in self.classes)

    @cached_property
    def numbers(self) -> tuple[z3.BoolRef, ...]:
        """The formulas that bound the number of victims of each class."""
        return tuple(z3.And(each.number >= 0, each.number <= len(each.members)) for each in self.classes)

    @cached_property
    def freed(self) -> tuple[z3.BoolRef, ...]:
        """The formulas of the limits of which something must be freed."""
        return tuple(self.stated(limit) for limit in self.needed)

    @property
    def within_reach(self) -> bool:
        """Whether the limits can be met by evicting all potential victims; no pod frees a negative amount."""
        return all(limit.met(self.jeopardy) for limit in self.needed)

    def solver(self) -> z3.Solver:
        """Return a solver with the sizes of the classes and the limits."""
        made = z3.SolverFor("QF_LIA")
        made.add(*self.numbers, *self.freed)
        return made

    def stated(self, limit: Limit) -> z3.BoolRef:
        """Return the limit as a formula over classes."""
        return z3.Sum([limit.freed.get(each.any, 0) * each.number for each in self.classes]) >= limit.needed

    def proposal(self, model: z3.ModelRef) -> Counts:
        """Return the number of victims of each class in the solver's model."""
        return tuple(model.eval(each.number, model_completion=True).as_long() for each in self.classes)

    def more_than(self, counts: Counts) -> z3.BoolRef:
        """Return the formula that more pods of some class are evicted."""
        return z3.Or(*(each.number > n for each, n in self._beside(counts) if n < len(each.members)))

    def other_than(self, counts: Counts) -> z3.BoolRef:
        """Return the formula that another number of pods of some class is evicted."""
        return z3.Or(*(each.number != n for each, n in self._beside(counts)))

    def _beside(self, counts: Counts) -> Iterator[tuple[Class, int]]:
        return zip(self.classes, counts, strict=True)


def question(pod: Pod, node: Node, snapshot: Snapshot, judge: Judge) -> Question:
    """Return the question which pods to evict from `node` for the unbound `pod`."""
    near = nearby(node, snapshot)
    whole = snapshot if looks_beyond(pod, snapshot) else near
    return Question(pod, node, near, whole, judge, judge.limits(pod, node, near), judge.jeopardy(pod, node, near))
