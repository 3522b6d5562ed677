"""The amounts that pods would take on a node while they are on none: `Guests`, for nominated pods and trials."""

from collections.abc import Callable, Sequence

import numpy as np

from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo

MOST_REMEMBERED = 4096
"""How many pods are remembered before all are forgotten."""


class Guests:
    """The amounts of pods as arrays, one column a resource, summed once: every cycle asks for all nominated pods.

    `summed` sums those of one pod. Columns that a resource adds later are 0 in the rows before it.
    """

    def __init__(self, summed: Callable[[PodInfo], Numbers]) -> None:
        self._summed = summed
        self._row_of: dict[PodInfo, int] = {}
        self._amounts: Numbers = np.zeros((16, 4), np.int64)

    def __contains__(self, info: PodInfo) -> bool:
        return info in self._row_of

    def amounts(self, infos: Sequence[PodInfo]) -> Numbers:
        """Return the amounts of each pod."""
        row_of = self._row_of
        rows = [row_of.get(info, -1) for info in infos]
        if -1 in rows:
            if len(row_of) + len(infos) > MOST_REMEMBERED:
                row_of.clear()
                rows = [-1] * len(infos)
            rows = [self._row(info) if row < 0 else row for info, row in zip(infos, rows, strict=True)]
        found: Numbers = self._amounts[np.array(rows, np.int64)]
        return found

    def _row(self, info: PodInfo) -> int:
        """Return the row of a pod, a new one if it has none."""
        row = self._row_of.get(info)
        if row is None:
            amounts = self._summed(info)
            row = self._row_of[info] = len(self._row_of)
            self._reach(row + 1, len(amounts))
            self._amounts[row] = 0
            self._amounts[row, : len(amounts)] = amounts
        return row

    def _reach(self, rows: int, columns: int) -> None:
        height, width = self._amounts.shape
        more = max(rows, 2 * height) - height if rows > height else 0
        if more or columns > width:
            self._amounts = np.pad(self._amounts, ((0, more), (0, max(columns - width, 0))))
