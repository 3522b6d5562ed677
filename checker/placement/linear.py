"""Linear conditions over integers from 0 to upper bounds, and proved bounds of a weighted sum under them: `ceiling`.

HiGHS, by scipy, computes in floating point: it proposes solutions, and multipliers of the conditions. The bound is
computed from the multipliers in integers, and holds whichever they are (weak duality).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Weights = Mapping[int, int]
"""The weights of variables, by number; others have 0."""

Numbers = tuple[int, ...]

SCALE = 2**80
"""A multiplier of 1 as an integer: multipliers are rounded to multiples of its inverse."""


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
        from scipy.optimize import linprog

        matrix, most, scales = self._scaled(rows)
        found = linprog(
            -self._vector(objective), A_ub=matrix, b_ub=most, method="highs",
            bounds=np.column_stack([np.zeros(len(self.upper)), np.array(self.upper, np.float64)]),
            options={"time_limit": max(0.01, seconds)},
        )  # fmt: skip
        if found.x is None or found.ineqlin.marginals is None:
            return (0,) * len(rows)
        duals = np.maximum(0.0, -found.ineqlin.marginals)
        return tuple(round(float(dual) * SCALE / float(scale)) for dual, scale in zip(duals, scales, strict=True))

    def solution(self, objective: Weights, seconds: float, more: Sequence[Row] = ()) -> Numbers | None:
        """Return the integers of a solution that is likely to have a great objective; None if none is found."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        matrix, most, _ = self._scaled((*self.rows, *more))
        found = milp(
            -self._vector(objective) / max(1, *map(abs, objective.values())),
            constraints=LinearConstraint(matrix, -np.inf, most),
            integrality=np.arange(len(self.upper)) < self.integers,
            bounds=Bounds(0, np.array(self.upper, np.float64)),
            options={"time_limit": max(0.01, seconds), "mip_rel_gap": 1e-6},
        )
        return None if found.x is None else tuple(round(each) for each in found.x[: self.integers])

    def _vector(self, objective: Weights) -> Any:
        made = np.zeros(len(self.upper))
        for place, weight in objective.items():
            made[place] = weight
        return made

    def _scaled(self, rows: Sequence[Row]) -> tuple[Any, Any, Any]:
        """Return the matrix and the bounds of the rows, each divided by its scale, and the scales."""
        from scipy.sparse import csr_array

        scales = np.array([max(map(abs, row.weights.values()), default=1) or 1 for row in rows], np.float64)
        entries = [(i, place, weight) for i, row in enumerate(rows) for place, weight in row.weights.items()]
        places, columns, weights = (np.array(each) for each in zip(*entries, strict=True)) if entries else ([], [], [])
        shape = (len(rows), len(self.upper))
        values = np.array(weights, np.float64) / scales[np.array(places, np.int64)]
        matrix = csr_array((values, (np.array(places, np.int64), np.array(columns, np.int64))), shape=shape)
        return matrix, np.array([row.most for row in rows], np.float64) / scales, scales
