"""Proposals of solutions of an integer program, and of multipliers that refute it: `solution`, `Elastic`."""

import math
from collections.abc import Sequence

import numpy as np

from schedcheck.checker.highs import Floats, Highs, scale_of
from schedcheck.checker.victims.program import Numbers, Program, Row

SCALE = 2**40
"""A multiplier of 1 as an integer: multipliers are rounded to multiples of its inverse."""


class Elastic:
    """The relaxation without integers of a program, in which all rows together are violated least.

    A branch changes bounds, so that a relaxation takes a few steps from the one before. The row of a sum of variables is added
    with the first branch on it; while no branch bounds it, it may be anything.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self._highs = Highs()
        self._scales: list[int] = []
        self._places: dict[Numbers, int] = {}
        self._bounds: dict[int, int] = {}
        for most in program.upper:
            self._highs.variable(0.0, most)
        for row in program.rows:
            self._add(row.weights)

    def solved(self, branches: Sequence[Row]) -> tuple[Floats, Numbers]:
        """Return values, not all of them integers, and multipliers of the program's rows and those of the branches.

        Of branches with the same weights only the one with the greatest bound has a multiplier.
        """
        rows = (*self.program.rows, *branches)
        used = self._used(branches)
        self._bound({place: rows[number].least for place, number in used.items()})
        found = self._highs.solved()
        if found is None:
            return np.zeros(len(self.program.upper)), (0,) * len(rows)
        multipliers = [0] * len(rows)
        largest = max((self._scales[place] for place in used), default=1)
        for place, number in used.items():
            multipliers[number] = round(max(0.0, found.duals[place]) * SCALE) * largest // self._scales[place]
        return found.values[: len(self.program.upper)], tuple(multipliers)

    def _used(self, branches: Sequence[Row]) -> dict[int, int]:
        """Return the places of the rows that are used, each with the number of the row that bounds it."""
        before = len(self.program.rows)
        used = {number: number for number in range(before)}
        for number, row in enumerate(branches, before):
            if row.weights not in self._places:
                self._places[row.weights] = len(self._scales)
                self._add(row.weights)
            place = self._places[row.weights]
            if place not in used or branches[used[place] - before].least < row.least:
                used[place] = number
        return used

    def _add(self, weights: Numbers) -> None:
        """Add a row of these weights, divided by its scale, and a variable for how far it is violated."""
        scale = scale_of(weights)
        self._scales.append(scale)
        self._highs.variable(1.0, math.inf)
        violated = len(weights) + len(self._scales) - 1
        self._highs.row([*_scaled(weights, scale), (violated, 1.0)])

    def _bound(self, bounds: dict[int, int]) -> None:
        """Let each row at one of these places be at least its bound, and any other row anything."""
        for place in self._bounds.keys() - bounds.keys():
            self._highs.bound(place, -math.inf)
        for place, least in bounds.items():
            if self._bounds.get(place) != least:
                self._highs.bound(place, least / self._scales[place])
        self._bounds = bounds


def solution(program: Program, seconds: float) -> Numbers | None:
    """Return a solution that is likely to have the least objective; None if none is found, which proves nothing."""
    highs = Highs()
    largest = scale_of(program.objective)
    for place, most in enumerate(program.upper):
        highs.variable(program.objective[place] / largest if program.objective else 0.0, most)
    for row in program.rows:
        scale = scale_of(row.weights)
        highs.row(_scaled(row.weights, scale), row.least / scale)
    highs.integers(range(len(program.upper)))
    found = highs.solved(seconds)
    values = () if found is None else tuple(map(round, found.values))
    return values if found is not None and program.solved(values) else None


def _scaled(weights: Numbers, scale: int) -> list[tuple[int, float]]:
    return [(place, weight / scale) for place, weight in enumerate(weights) if weight]
