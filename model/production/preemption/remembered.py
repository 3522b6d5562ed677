"""Dry runs that are remembered: `Remembered`, the worlds of pods that ask for the same.

A Deployment's pods are equal, and most nodes are as they were in the cycle before. The reprieve on a node then ends as it did.
"""

from collections.abc import Hashable, Iterable

import numpy as np

from schedcheck.model.production.preemption.worlds import World
from schedcheck.model.production.snapshot.labels import Mask, Numbers
from schedcheck.model.production.snapshot.lower_pods import LowerTable

MOST_REMEMBERED = 8
"""For how many kinds of pods worlds are remembered before all are forgotten."""


class Remembered:
    """The world of each row, as long as the pods that it may lose are the same, and what is left of each resource without them."""

    def __init__(self, lower: LowerTable, resources: int) -> None:
        rows = len(lower.versions)
        self._lower = lower
        self._versions: Numbers = np.full(rows, -1, np.int64)
        self._left: Numbers = np.zeros((rows, resources), np.int64)
        self._worlds: list[World] = [World(())] * rows

    def __len__(self) -> int:
        return len(self._worlds)

    def stale(self, rows: Numbers, left: Numbers) -> Mask:
        """Return which of these rows, on which so much is left, have no world that is remembered."""
        found: Mask = self._versions[rows] != self._lower.versions[rows]
        found |= (self._left[rows] != left).any(axis=1)
        return found

    def put(self, rows: Numbers, left: Numbers, worlds: Iterable[World]) -> None:
        """Remember the worlds of these rows."""
        self._versions[rows], self._left[rows] = self._lower.versions[rows], left
        for row, world in zip(rows.tolist(), worlds, strict=True):
            self._worlds[row] = world

    def at(self, rows: Numbers) -> list[World]:
        """Return the worlds of these rows."""
        return [self._worlds[row] for row in rows.tolist()]


def remembered(lower: LowerTable, kind: Hashable, resources: int) -> Remembered:
    """Return what is remembered for a kind of pods, which are compared with the ceilings of so many resources."""
    known: Remembered | None = lower.derived.get(kind)
    if known is None or len(known) < len(lower.versions):
        if len(lower.derived) >= MOST_REMEMBERED:
            lower.derived.clear()
        known = lower.derived[kind] = Remembered(lower, resources)
    return known
