"""Linear conditions over integers from 0 to upper bounds, and proved bounds of a weighted sum under them: `ceiling`.

HiGHS computes in floating point: it proposes solutions, and multipliers of the conditions. The bound is
computed from the multipliers in integers, and holds whichever they are (weak duality).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from schedcheck.checker.highs import Highs, scale_of

Weights = Mapping[int, int]
"""The weights of variables, by number; others have 0."""

Numbers = tuple[int, ...]

SCALE = 2**80
"""A multiplier of 1 as an integer: multipliers are rounded to multiples of its inverse."""
LEAST_SECONDS = 0.01
GAP = 1e-6
"""How far a solution may be from the best, relative to it."""


@dataclass(frozen=True)
class Row:
    """The condition that a weighted sum of the variables is at most `most`."""

    weights: Weights
    most: int


def ceiling(objective: Weights, rows: Sequence[Row], upper: Numbers, multipliers: Sequence[int]) -> int:
    """Return an upper bound of the objective under the rows, from a multiplier that is not negative for each row.

    The objective is at most the sum of the rows so multiplied, and of what it then has more, at the upper bounds.
    """
    left = [0] * len(upper)
    for place, weight in objective.items():
        left[place] += SCALE * weight
    total = 0
    for row, multiplier in zip(rows, multipliers, strict=True):
        number = max(0, multiplier)
        total += number * row.most
        for place, weight in row.weights.items():
            left[place] -= number * weight
    return (total + sum(more * most for more, most in zip(left, upper, strict=True) if more > 0)) // SCALE


class Program:
    """Rows over variables from 0 to their `upper` bounds, the first `integers` of which are; more rows may be added."""

    def __init__(self, upper: Numbers, rows: Sequence[Row], integers: int) -> None:
        self.upper, self.integers = upper, integers
        self.rows = list(rows)

    def bound(self, objective: Weights, seconds: float, more: Sequence[Row] = ()) -> int:
        """Return an upper bound of the objective, also under `more` rows, proved in integers."""
        rows = (*self.rows, *more)
        return ceiling(objective, rows, self.upper, self._multipliers(objective, rows, seconds))

    def _multipliers(self, objective: Weights, rows: Sequence[Row], seconds: float) -> Numbers:
        """Return multipliers by which the bound of the relaxation without integers is likely to be the least."""
        found = self._stated(objective, rows, 1).solved(max(LEAST_SECONDS, seconds))
        if found is None:
            return (0,) * len(rows)
        duals = np.maximum(0.0, -found.duals)
        return tuple(
            round(float(dual) * SCALE / scale_of(row.weights.values())) for dual, row in zip(duals, rows, strict=True)
        )

    def solution(self, objective: Weights, seconds: float, more: Sequence[Row] = ()) -> Numbers | None:
        """Return the integers of a solution that is likely to have a great objective; None if none is found."""
        stated = self._stated(objective, (*self.rows, *more), scale_of(objective.values()))
        stated.integers(range(self.integers))
        found = stated.solved(max(LEAST_SECONDS, seconds), GAP)
        return None if found is None else tuple(round(each) for each in found.values[: self.integers])

    def _stated(self, objective: Weights, rows: Sequence[Row], scale: int) -> Highs:
        """Return the rows for HiGHS, each divided by its scale, and as its cost the objective, divided by `-scale`."""
        stated = Highs()
        for place, most in enumerate(self.upper):
            stated.variable(-objective.get(place, 0) / scale, most)
        for row in rows:
            size = scale_of(row.weights.values())
            stated.row(
                [(place, weight / size) for place, weight in row.weights.items() if weight], most=row.most / size
            )
        return stated
