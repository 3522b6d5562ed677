"""The states in the memory of a device: `States` holds those that are known, and the levels that are expanded and found."""

from typing import TYPE_CHECKING, Any

import numpy as np

from schedcheck.checker.tabulated.device.kernels import CROWDED, LEVEL, Lanes, gather_lanes, insert_lanes, move_lanes
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.places import TAIL
from schedcheck.checker.tabulated.search.known import FILLED

if TYPE_CHECKING:
    from schedcheck.checker.tabulated.device.cuda import Device

LEAST = 1 << 20
"""The places of the set at first."""

MOST = (1 << 32) - 1
"""The most places that a hash can name."""


class States:
    """The set of known states, the last level and the level that is being found; all with their exact words."""

    def __init__(self, device: "Device", words: int, least: int = LEAST) -> None:
        """Raises Full."""
        self._device, self._words = device, words
        self._one = (0,) * words
        self._places = device.zeros((least + TAIL, words), np.uint64)
        self.level, self._found = self._rows(1), self._rows(1)
        self._known = 0
        self.fresh = 0
        """The number of states found of the next level."""

    @property
    def size(self) -> int:
        """The number of places of the set, without those at its end."""
        return int(self._places.shape[0]) - TAIL

    def insert(self, lanes: Lanes, count: int, successors: int) -> None:
        """Insert the successors in the first `count` lanes, so many in all; append the new ones to the next level.

        Raises Full.
        """
        device, counters = self._device, lanes.buffers.handed_back
        if self._known + self.fresh + successors > FILLED * self.size:
            self._enlarge(lanes, self._known + self.fresh + successors)
        if self.fresh + successors > self._found.shape[0]:
            self._found = self._longer(self._found, 2 * (self.fresh + successors))
        while True:
            self._count_from_zero(counters)
            device.launch(insert_lanes, count, self._places, lanes, self._one, count)
            if device.read(counters)[CROWDED] == 0:
                break
            self._enlarge(lanes, 0)
        device.launch(gather_lanes, count, self._found, lanes, self._one, count)
        self.fresh = int(device.read(counters)[LEVEL])

    def take(self) -> Words:
        """Return the states found of the next level, which is now the last one."""
        found: Words = (
            self._device.read(self._found[: self.fresh]) if self.fresh else np.empty((0, self._words), np.uint64)
        )
        self.level, self._found = self._found, self.level
        self._known += self.fresh
        self.fresh = 0
        return found

    def _count_from_zero(self, counters: Any) -> None:
        values = np.zeros(counters.shape, np.int64)
        values[LEVEL] = self.fresh
        self._device.copy(counters, values)

    def _enlarge(self, lanes: Lanes, states: int) -> None:
        """Move all known states into a set of twice as many places or more, with room for so many. Raises Full."""
        from schedcheck.checker.tabulated.device.cuda import Full

        size, most = self.size, int(lanes.begins.shape[0])
        while True:
            size = min(2 * size, MOST - TAIL)
            if size == self.size:
                raise Full
            if states > FILLED * size:
                continue
            into = self._device.zeros((size + TAIL, self._words), np.uint64)
            self._count_from_zero(lanes.buffers.handed_back)
            for begin in range(0, self._places.shape[0], most):
                count = min(most, self._places.shape[0] - begin)
                self._device.launch(move_lanes, count, self._places, into, lanes, self._one, begin, count)
            if self._device.read(lanes.buffers.handed_back)[CROWDED] == 0:
                self._places = into
                return

    def _rows(self, count: int) -> Any:
        return self._device.zeros((count, self._words), np.uint64)

    def _longer(self, rows: Any, count: int) -> Any:
        longer = self._rows(count)
        if self.fresh:
            self._device.copy(longer[: self.fresh], rows[: self.fresh])
        return longer
