"""A pod that is to get room on a node by evictions, put to a solver and to the judge: `Question`, `question`.

To the solver the pods that may go are numbers, one for each class of interchangeable pods; to the judge they are pods.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import z3

from schedcheck.checker.victims.casualty import Class, Objective
from schedcheck.checker.victims.interchangeable import interchangeable
from schedcheck.checker.victims.judges import Judge, Limit, Objection, looks_beyond, nearby
from schedcheck.spec.objects import Node, Pod, Snapshot

Counts = tuple[int, ...]
"""How many pods of each class go."""

Victims = frozenset[Pod]


@dataclass(frozen=True)
class Question:
    """Whom to evict from `node` for `pod`.

    `snapshot` holds the node with its pods, and `whole` everything on which it depends whether the node is feasible.
    """

    pod: Pod
    node: Node
    snapshot: Snapshot
    whole: Snapshot
    judge: Judge
    limits: tuple[Limit, ...]
    jeopardy: Victims

    @cached_property
    def classes(self) -> tuple[Class, ...]:
        """The pods that may go, those together that nobody can tell apart."""
        judge, near = self.judge, self.snapshot
        members = interchangeable(self.pod, self.jeopardy, near, self.limits, judge.criteria, judge.faults)
        return tuple(Class(each, z3.Int(f"n{number}")) for number, each in enumerate(members))

    @cached_property
    def ordered(self) -> tuple[Pod, ...]:
        """The pods that may go, in the order of their keys."""
        return tuple(sorted(self.jeopardy, key=lambda pod: pod.key))

    @cached_property
    def needed(self) -> tuple[Limit, ...]:
        """The limits of which something must be freed."""
        return tuple(limit for limit in self.limits if limit.needed > 0)

    @cached_property
    def final(self) -> tuple[Objection, ...]:
        """The refusals that no evictions lift: those with all gone that are refusals as well with more pods there."""
        return tuple(each for each in self.objections(self.jeopardy) if each.antitone)

    def fits(self, victims: Victims) -> bool:
        """Whether the node is feasible once they are gone, which is asked only where they free what must be freed."""
        return all(limit.met(victims) for limit in self.needed) and self.feasible(victims)

    def feasible(self, victims: Victims) -> bool:
        """Whether the node is feasible once they are gone."""
        return self.judge.feasibility(self.pod, self.node, self.whole, victims)

    def objections(self, victims: Victims) -> tuple[Objection, ...]:
        """Who refuses the node once they are gone, and why."""
        return self.judge.objections(self.pod, self.node, self.whole, victims)

    def casualty(self, victims: Victims) -> tuple[int, ...]:
        """The damage, as the specification has it."""
        return self.judge.casualty(victims, self.snapshot)

    def agreed(self, victims: Victims) -> bool:
        """Whether the criteria have the values that the specification gives the damage."""
        return self.casualty(victims) == tuple(each.value(victims, self.snapshot) for each in self.judge.criteria)

    @cached_property
    def objectives(self) -> tuple[Objective, ...]:
        """The criteria of the casualty, for the solver."""
        return tuple(criterion.objective(self.classes, self.snapshot) for criterion in self.judge.criteria)

    def victims(self, counts: Counts) -> Victims:
        """The first pods of each class, so many of them."""
        return frozenset(pod for each, n in zip(self.classes, counts, strict=True) for pod in each.members[:n])

    def counts(self, victims: Victims) -> Counts:
        """How many of each class they are."""
        return tuple(len(victims.intersection(each.members)) for each in self.classes)

    @cached_property
    def numbers(self) -> tuple[z3.BoolRef, ...]:
        """How many pods there are of each class."""
        return tuple(z3.And(each.number >= 0, each.number <= len(each.members)) for each in self.classes)

    @cached_property
    def freed(self) -> tuple[z3.BoolRef, ...]:
        """What must be freed."""
        return tuple(self.stated(limit) for limit in self.needed)

    @property
    def within_reach(self) -> bool:
        """Whether all that must be freed is freed if all pods go that may; no pod frees less than nothing."""
        return all(limit.met(self.jeopardy) for limit in self.needed)

    def solver(self) -> z3.Solver:
        """A solver that knows how many pods there are, and what must be freed."""
        made = z3.SolverFor("QF_LIA")
        made.add(*self.numbers, *self.freed)
        return made

    def stated(self, limit: Limit) -> z3.BoolRef:
        """The limit, of classes."""
        return z3.Sum([limit.freed.get(each.any, 0) * each.number for each in self.classes]) >= limit.needed

    def proposal(self, model: z3.ModelRef) -> Counts:
        """How many of each class go in a model that the solver has found."""
        return tuple(model.eval(each.number, model_completion=True).as_long() for each in self.classes)

    def more_than(self, counts: Counts) -> z3.BoolRef:
        """That of some class more go."""
        return z3.Or(*(each.number > n for each, n in self._beside(counts) if n < len(each.members)))

    def other_than(self, counts: Counts) -> z3.BoolRef:
        """That of some class not so many go."""
        return z3.Or(*(each.number != n for each, n in self._beside(counts)))

    def _beside(self, counts: Counts) -> Iterator[tuple[Class, int]]:
        return zip(self.classes, counts, strict=True)


def question(pod: Pod, node: Node, snapshot: Snapshot, judge: Judge) -> Question:
    """Whom to evict from `node` for `pod`, which is not bound."""
    near = nearby(node, snapshot)
    whole = snapshot if looks_beyond(pod, snapshot) else near
    return Question(pod, node, near, whole, judge, judge.limits(pod, node, near), judge.jeopardy(pod, node, near))
