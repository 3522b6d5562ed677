"""Integer programs that state a better set of victims, and proofs that they have no solution: `Program`, `refuted`.

A variable is the number of victims of a class, or how far the victims of a budget exceed it. A row states that a weighted
sum of them is at least a bound. Every sufficient set that is better than given victims solves one of the programs of
`programs`; a solution need not be a sufficient set.

A proof is a tree. A leaf multiplies each row by a number that is not negative. Their sum is implied by the rows, and is a
contradiction if no numbers within their bounds reach it (Farkas). A branch takes an integer sum of variables, which is
either at most a number or at least the next one. All of this is checked in integers, wherever the numbers come from.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from schedcheck.checker.victims.sums import Demand
from schedcheck.spec.decisions import VictimSet
from schedcheck.spec.objects import Pod

if TYPE_CHECKING:
    from schedcheck.checker.victims.problem import Question

Numbers = tuple[int, ...]


@dataclass(frozen=True)
class Row:
    """The condition that the weighted sum of the variables is at least `least`."""

    weights: Numbers
    least: int

    def met(self, values: Sequence[int]) -> bool:
        """Whether these values of the variables meet it."""
        return sum(weight * value for weight, value in zip(self.weights, values, strict=True)) >= self.least


@dataclass(frozen=True)
class Leaf:
    """Multipliers of the rows, first those of the program and then those of the branches above."""

    multipliers: Numbers


@dataclass(frozen=True)
class Branch:
    """The two cases that a sum of the variables is at most `most`, or more."""

    weights: Numbers
    most: int
    below: "Tree"
    above: "Tree"


Tree = Leaf | Branch


@dataclass(frozen=True)
class Program:
    """Rows over variables from 0 to their `upper` bounds, the first `classes` of which count victims.

    `sums` are sums of variables on which a proof branches first, and `objective` weighs what a solution should lessen.
    """

    classes: int
    upper: Numbers
    rows: tuple[Row, ...]
    sums: tuple[Numbers, ...] = ()
    objective: Numbers = ()

    def solved(self, values: Sequence[int]) -> bool:
        """Whether these values are a solution."""
        within = all(0 <= value <= most for value, most in zip(values, self.upper, strict=True))
        return within and all(row.met(values) for row in self.rows)


def refuted(program: Program, tree: Tree) -> bool:
    """Whether the tree proves that the program has no solution."""
    left: list[tuple[tuple[Row, ...], Tree]] = [(program.rows, tree)]
    while left:
        rows, part = left.pop()
        if isinstance(part, Leaf):
            if not contradictory(rows, program.upper, part.multipliers):
                return False
        else:
            less, more = sides(part.weights, part.most)
            left += [((*rows, less), part.below), ((*rows, more), part.above)]
    return True


def sides(weights: Numbers, most: int) -> tuple[Row, Row]:
    """Return the rows of both sides of a branch: the sum is at most `most`, or at least the next integer."""
    return Row(tuple(-weight for weight in weights), -most), Row(weights, most + 1)


def contradictory(rows: Sequence[Row], upper: Numbers, multipliers: Numbers) -> bool:
    """Whether the rows, so multiplied, add up to a sum that no values from 0 to `upper` reach."""
    if min(multipliers, default=0) < 0 or len(multipliers) != len(rows):
        return False
    used = [(number, row) for number, row in zip(multipliers, rows, strict=True) if number]
    needed = sum(number * row.least for number, row in used)
    weights = [sum(number * row.weights[place] for number, row in used) for place in range(len(upper))]
    return sum(weight * most for weight, most in zip(weights, upper, strict=True) if weight > 0) < needed


def better_cases(question: "Question", victims: VictimSet, place: int) -> Iterator[tuple[Demand, ...]]:
    """Yield demands of which every set that is better by the criterion at `place` meets those of one case.

    By the criteria before it such a set is no worse. The last demand is the one that the criterion makes.
    """
    pods, snapshot, criteria = question.ordered, question.snapshot, question.judge.criteria
    before = [each.cases(pods, snapshot, victims, False) for each in criteria[:place]]
    for cases in product(*before, criteria[place].cases(pods, snapshot, victims, True)):
        yield tuple(demand for case in cases for demand in case)


def programs(question: "Question", victims: VictimSet) -> Iterator[Program]:
    """Yield programs of which every sufficient set that is better than `victims` solves one."""
    stating = Stating(question)
    for place in range(len(question.judge.criteria)):
        for demands in better_cases(question, victims, place):
            yield stating.program(demands)


class Stating:
    """The limits of a question and demands as programs."""

    def __init__(self, question: "Question") -> None:
        self._question = question

    @cached_property
    def _limits(self) -> tuple[tuple[Numbers, int], ...]:
        classes = self._question.classes
        return tuple(
            (tuple(limit.freed.get(each.any, 0) for each in classes), limit.needed) for limit in self._question.needed
        )

    def program(self, demands: Sequence[Demand]) -> Program:
        """Return the program of the limits and the demands; the last demand is the objective."""
        classes = self._question.classes
        beyond = list(dict.fromkeys(each for demand in demands for each in demand.beyond))
        nothing = (0,) * len(beyond)
        spared = frozenset[Pod]().union(*(demand.spared for demand in demands))
        upper = tuple(sum(pod not in spared for pod in each.members) for each in classes)
        weighed = [
            (self._weights(demand.weights), tuple(int(each in demand.beyond) for each in beyond)) for demand in demands
        ]
        stated = [
            *(self._within(guarded, place, len(beyond), allowed) for place, (guarded, allowed) in enumerate(beyond)),
            *(
                Row(tuple(-weight for weight in (*weights, *exceeding)), -demand.most)
                for demand, (weights, exceeding) in zip(demands, weighed, strict=True)
                if any(weights) or any(exceeding) or demand.most < 0
            ),
        ]
        alike = list(zip(*(row.weights[: len(classes)] for row in stated), strict=True))
        kinds = (*(weights for weights, _ in weighed), alike)
        return Program(
            len(classes),
            (*upper, *(len(guarded) for guarded, _ in beyond)),
            (*(Row((*freed, *nothing), needed) for freed, needed in self._limits), *stated),
            tuple(dict.fromkeys((*each, *nothing) for kind in kinds for each in _by_kind(kind))),
            tuple(number for part in weighed[-1] for number in part) if weighed else (),
        )

    def _within(self, guarded: frozenset[Pod], place: int, budgets: int, allowed: int) -> Row:
        """Return the row that the victims of a budget, less how far they exceed it, are at most those that it allows."""
        number = (-int(each.any in guarded) for each in self._question.classes)
        return Row((*number, *(int(place == other) for other in range(budgets))), -allowed)

    def _weights(self, weights: Mapping[Pod, int]) -> Numbers:
        return tuple(weights.get(each.any, 0) for each in self._question.classes)


def _by_kind(kinds: Sequence[Any]) -> Iterator[Numbers]:
    """Yield, for each of several kinds of classes, the sum that counts the victims of that kind."""
    found = sorted(set(kinds))
    if len(found) > 1:
        for kind in found:
            yield tuple(int(each == kind) for each in kinds)
