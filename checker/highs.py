"""Linear programs for HiGHS, which computes in floating point: `Highs`. What it finds is a proposal, to be checked in integers."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]


class Found(NamedTuple):
    """The values of the variables, and for each row by how much the cost grows with its bound, or 0 if that is not known."""

    values: Floats
    duals: Floats


class Highs:
    """A program that can grow; solved again, it begins from where it ended. One thread is used, and nothing is printed."""

    def __init__(self) -> None:
        # The class `Highs` of highspy prints who made it as soon as there is an object.
        from highspy import _Highs  # type: ignore[attr-defined]

        self._solver = _Highs()
        for option, value in (("output_flag", False), ("threads", 1)):
            self._solver.setOptionValue(option, value)

    def variable(self, cost: float, most: float) -> None:
        """Add a variable from 0 to `most`."""
        self._solver.addCol(cost, 0.0, most, 0, [], [])

    def row(self, weights: Iterable[tuple[int, float]], least: float = -math.inf, most: float = math.inf) -> None:
        """Add the condition that a weighted sum of variables, by their numbers, is at least `least` and at most `most`."""
        entries = list(weights)
        places, values = zip(*entries, strict=True) if entries else ((), ())
        self._solver.addRow(least, most, len(entries), places, values)

    def bound(self, row: int, least: float) -> None:
        """Let the row of this number be at least `least`, and anything above."""
        self._solver.changeRowBounds(row, least, math.inf)

    def integers(self, places: Sequence[int]) -> None:
        """Let the variables of these numbers be integers."""
        from highspy import HighsVarType

        self._solver.changeColsIntegrality(len(places), places, [HighsVarType.kInteger] * len(places))

    def solved(self, seconds: float = math.inf, gap: float = 0.0) -> Found | None:
        """Return a solution that is likely to have the least cost within the relative `gap`; None if none is found."""
        self._solver.setOptionValue("time_limit", self._solver.getRunTime() + seconds)
        self._solver.setOptionValue("mip_rel_gap", gap)
        self._solver.run()
        found = self._solver.getSolution()
        if not found.value_valid:
            return None
        duals = np.array(found.row_dual) if found.dual_valid else np.zeros(len(found.row_value))
        return Found(np.array(found.col_value), duals)


def scale_of(weights: Iterable[int]) -> int:
    """Return what a row of these weights is divided by, so that none is above one."""
    return max(map(abs, weights), default=1) or 1
