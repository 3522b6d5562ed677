"""Classes of places that agree in everything that some definition reads: `Classes`, `alike`, `combined`."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Ranked = tuple[Numbers, int]
"""Numbers from 0 on, and a bound that they stay below."""

SPARSE = 8
"""The most possible numbers for each place that are ranked by a table; more of them are sorted."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The number of each place's class, and the first place of each class."""

    numbers: Numbers
    first: Numbers

    def expanded(self, values: Sequence[int]) -> Numbers:
        """Return for each place the value of its class."""
        return np.array(values, np.int64)[self.numbers]


def alike(values: Iterable[Hashable]) -> Classes:
    """Return the classes of places with equal values, in the order of their first places."""
    known: dict[Hashable, int] = {}
    numbers = np.array([known.setdefault(each, len(known)) for each in values], np.int64)
    return Classes(numbers, _first(numbers, len(known)))


def combined(columns: Iterable[Numbers | Mask], places: int) -> Classes:
    """Return the classes of places that agree in every column, in the order of their first places."""
    numbers, size = np.zeros(places, np.int64), min(places, 1)
    for column in columns:
        own, several = _numbered(column)
        if several > 1:
            numbers, size = numbers * several + own, size * several
        if size > SPARSE * places:
            numbers, size = _ranked(numbers, size)
    numbers, size = _ranked(numbers, size)
    first = _first(numbers, size)
    order = np.argsort(first)
    rank = np.empty(size, np.int64)
    rank[order] = np.arange(size)
    return Classes(rank[numbers], first[order])


def _first(numbers: Numbers, size: int) -> Numbers:
    """Return the first place of each of the numbers below `size`."""
    first = np.full(size, len(numbers), np.int64)
    np.minimum.at(first, numbers, np.arange(len(numbers)))
    return first


def _numbered(column: Numbers | Mask) -> Ranked:
    """Return numbers for the values of a column, equal ones for equal values."""
    if column.dtype == np.bool_:
        return column.astype(np.int64), 2
    if len(column) == 0:
        return np.zeros(0, np.int64), 1
    least, most = int(column.min()), int(column.max())
    if most - least < SPARSE * len(column):
        return (column - least).astype(np.int64), most - least + 1
    _, numbers = np.unique(column, return_inverse=True)
    return numbers, int(numbers.max()) + 1


def _ranked(numbers: Numbers, size: int) -> Ranked:
    """Return the ranks of numbers below `size`, and how many ranks there are."""
    if size > SPARSE * len(numbers):
        _, ranks = np.unique(numbers, return_inverse=True)
        return ranks, int(ranks.max(initial=-1)) + 1
    used = np.zeros(size, np.bool_)
    used[numbers] = True
    return (np.cumsum(used) - 1)[numbers], int(used.sum())
