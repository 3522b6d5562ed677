"""The states that are known: `Known`, and what is `Found` of a level by each of those who look at once."""

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.places import TAIL, insert, widen
from schedcheck.checker.tabulated.loops.reserved import Reserved

FILLED = 0.75
"""How much of the places may be filled before there are made more."""

GROWTH = ((1 << 20, 1), (1 << 25, 2))
"""Up to so many places there are made as many more, or a half, or else a quarter: slower, but closer to what it needs."""

LEAST = 1 << 12


class Found:
    """The states of the level being found that one of several found, and for how many more there is room."""

    def __init__(self, words: int) -> None:
        self.room = 0
        self.crowded = False
        self._fresh = np.empty((LEAST, words), np.uint64)
        self._one = (0,) * words
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def held(self) -> int:
        """The bytes that it takes."""
        return self._fresh.nbytes

    def insert(self, places: Words, states: Words, begin: int, count: int) -> int:
        """Keep those of the states from `begin` to `count` that are not known: where it ended for want of room."""
        while begin < count:
            # Few of what is found is new, so room for all of it would mostly stay empty.
            if self._count + min(count - begin, LEAST) > len(self._fresh):
                more = self._count // 4 + LEAST
                self._fresh.resize((self._count + more, self._fresh.shape[1]), refcheck=False)
            before, most = self._count, min(len(self._fresh) - self._count, self.room)
            came_to, self._count = insert(places, states, begin, count, self._fresh, self._count, most, self._one)
            begin = int(came_to)
            self.room -= self._count - before
            self.crowded = begin < count and self._count - before < most
            if self.crowded or self.room == 0:
                break
        return begin

    def take(self) -> Words:
        """The states that were found; another level begins."""
        self._fresh.resize((self._count, self._fresh.shape[1]), refcheck=False)
        taken = self._fresh
        self._fresh = np.empty((max(LEAST, len(taken)), taken.shape[1]), np.uint64)
        self._count = 0
        return taken


class Known:
    """The states that are known, by the exact words of each. Several may put states there at once, each by its `found`.

    Meanwhile it is not made larger, so each has room for so many, and `make_room` is called when nobody is there.
    """

    def __init__(self, words: int, finders: int = 1) -> None:
        self._one = (0,) * words
        self._reserved = Reserved(LEAST + TAIL, words)
        self.found = [Found(words) for _ in range(finders)]
        self._before = 0

    def __len__(self) -> int:
        return self._before + self.fresh

    @property
    def places(self) -> Words:
        """Where the states stand."""
        return self._reserved.rows

    @property
    def fresh(self) -> int:
        """How many states of the level are found."""
        return sum(map(len, self.found))

    @property
    def held(self) -> int:
        """The bytes that it takes."""
        return self.places.nbytes + sum(each.held for each in self.found)

    def make_room(self) -> None:
        """Let each find as many more states as there is room for, and make it larger where that is little."""
        while self._left < (len(self.places) >> 6) or any(each.crowded for each in self.found):
            self._widen()
        for each in self.found:
            each.room = self._left // len(self.found)

    def insert(self, states: Words, count: int) -> None:
        """Keep those of the first `count` states that are not known. Raises MemoryError."""
        done = 0
        while done < count:
            self.make_room()
            done = self.found[0].insert(self.places, states, done, count)

    def take(self) -> Words:
        """The states of the level that was found; another begins."""
        self._before = len(self)
        found = [each.take() for each in self.found]
        return found[0] if len(found) == 1 else np.concatenate(found)

    @property
    def _left(self) -> int:
        """How many more states there may be before it is made larger."""
        return int(FILLED * (len(self.places) - TAIL)) - len(self)

    def _widen(self) -> None:
        before = len(self.places)
        size = before - TAIL
        more = size // next((part for most, part in GROWTH if size < most), 4)
        self._reserved.grow(TAIL + size + more)
        if not widen(self.places, before, self._one):
            raise MemoryError("more states than places have the highest hashes")
        for each in self.found:
            each.crowded = False
