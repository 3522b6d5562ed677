"""The virtual clock and what is to happen when: `Agenda`."""

import heapq
from collections.abc import Callable
from random import Random

from schedcheck.model.simulation.delays import Delays

Act = Callable[[], None]


class Agenda:
    """Actions by the time at which they happen, in seconds since the start; those of one time in the order of planning."""

    def __init__(self, delays: Delays, chance: Random) -> None:
        self.now = 0.0
        self.done = 0
        """The number of actions so far."""
        self._delays = delays
        self._chance = chance
        self._heap: list[tuple[float, int, Act]] = []
        self._count = 0

    def draw(self, delay: str) -> float:
        """Return the seconds of one delay."""
        return self._delays.draw(delay, self._chance)

    def gap(self, mean: float) -> float:
        """Return the seconds to the next event of a rate, exponentially distributed."""
        return self._chance.expovariate(1.0 / mean)

    def at(self, time: float, act: Act) -> None:
        """Plan an action, not before now."""
        self._count += 1
        heapq.heappush(self._heap, (max(time, self.now), self._count, act))

    def after(self, delay: str, act: Act, *, times: float = 1.0) -> None:
        """Plan an action after a delay, multiplied by `times`."""
        self.at(self.now + times * self.draw(delay), act)

    def next(self, until: float) -> bool:
        """Take the next action; return False, with the clock at `until`, if there is none until then."""
        if not self._heap or self._heap[0][0] > until:
            self.now = until
            return False
        self.now, _, act = heapq.heappop(self._heap)
        self.done += 1
        act()
        return True
