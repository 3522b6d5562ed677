"""Solutions of integer programs about victims, and proofs that there are none: `Programs`.

HiGHS computes in floating point. What it finds is only a proposal: a solution is checked in integers, and so
is each contradiction, whose multipliers are the duals of a relaxation.
"""

from math import floor
from typing import TYPE_CHECKING

import numpy as np

from schedcheck.checker.highs import Floats
from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.victims.elastic import Elastic, solution
from schedcheck.checker.victims.program import (
    Branch,
    Leaf,
    Numbers,
    Program,
    Row,
    Stating,
    Tree,
    better_cases,
    contradictory,
    programs,
    sides,
)
from schedcheck.spec.decisions import VictimSet

if TYPE_CHECKING:
    from schedcheck.checker.victims.problem import Question

MOST_BRANCHES = 2_000
"""The most relaxations that are solved for one program."""
DEEPEST = 100
CLEAR = 1e-6
"""What is nearer than this to an integer counts as one."""
LONGEST = 10.0
"""The most seconds for one solution."""


class Programs:
    """The integer programs of a question; what is refuted once is kept."""

    def __init__(self, question: "Question", spent: Spent) -> None:
        self.question, self.spent = question, spent
        self._stating = Stating(question)
        self._refuted: dict[Program, Tree] = {}

    def lightest(self, known: VictimSet | None) -> VictimSet | None:
        """Return a set that meets the limits and is likely to be least, from a known one or none; None if none is found."""
        best = known if known is not None else self._solved(self._stating.program(()))
        if best is not None:
            for place in range(len(self.question.judge.criteria)):
                best = self._lessened(best, place)
        return best

    def _lessened(self, victims: VictimSet, place: int) -> VictimSet:
        """Return the victims, or a set that is better by the criterion at `place`."""
        casualty = self.question.casualty
        case, number = 0, 1
        while case < number:
            cases = list(better_cases(self.question, victims, place))
            number = len(cases)
            program = self._stating.program(cases[case])
            found = self._solved(program)
            if found is not None and casualty(found) < casualty(victims):
                victims = found
                # The objective is least then, so this case has no other solution; without one there may be.
                case += any(program.objective)
            else:
                case += 1
        return victims

    def _solved(self, program: Program) -> VictimSet | None:
        """Return the victims of a solution; None if none is found."""
        tree = Relaxations(program, self.spent).leaf()
        if tree is not None:
            self._refuted[program] = tree
            return None
        self.spent.bound()
        values = solution(program, max(0.01, min(LONGEST, self.spent.left)))
        return None if values is None else self.question.victims(values[: program.classes])

    def refutations(self, victims: VictimSet) -> tuple[Tree, ...] | None:
        """Return a proof, for each program of a better set, that it has no solution; None if one is not found."""
        trees: list[Tree] = []
        for program in programs(self.question, victims):
            tree = self._refuted.get(program) or Relaxations(program, self.spent).tree()
            if tree is None:
                return None
            trees.append(tree)
        return tuple(trees)


class Relaxations:
    """The search for a proof that a program has no solution."""

    def __init__(self, program: Program, spent: Spent) -> None:
        self.program, self.spent = program, spent
        self.solved = 0
        self._elastic = Elastic(program)
        self._sums = np.array(program.sums, np.float64).reshape(len(program.sums), len(program.upper))

    def leaf(self) -> Leaf | None:
        """Return the proof without branches; None if there is none."""
        return self._leaf(())[1]

    def tree(self, more: tuple[Row, ...] = (), depth: int = 0) -> Tree | None:
        """Return a proof for the program with these rows of branches; None if no proof is found. Raises Beyond."""
        self.solved += 1
        if self.solved > MOST_BRANCHES or depth > DEEPEST:
            return None
        values, leaf = self._leaf(more)
        if leaf is not None:
            return leaf
        split = self._split(values)
        if split is None:
            return None
        weights, most = split
        parts: list[Tree] = []
        for row in sides(weights, most):
            part = self.tree((*more, row), depth + 1)
            if part is None:
                return None
            parts.append(part)
        return Branch(weights, most, *parts)

    def _leaf(self, more: tuple[Row, ...]) -> tuple[Floats, Leaf | None]:
        """Return the values of the relaxation with these rows, and the proof if it is one."""
        self.spent.bound()
        values, multipliers = self._elastic.solved(more)
        proved = contradictory((*self.program.rows, *more), self.program.upper, multipliers)
        return values, Leaf(multipliers) if proved else None

    def _split(self, values: Floats) -> tuple[Numbers, int] | None:
        """Return the sum of variables that is farthest from an integer, and the integer below it; None if all are near."""
        for sums in (self._sums @ values, values):
            apart = np.abs(sums - np.round(sums))
            place = int(apart.argmax()) if len(apart) else 0
            if len(apart) and apart[place] > CLEAR:
                single = tuple(int(place == other) for other in range(len(values)))
                return self.program.sums[place] if sums is not values else single, floor(sums[place])
        return None
