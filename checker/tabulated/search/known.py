"""The set of known states: `Known`, and the states that each worker has `Found` of a level."""

from collections.abc import Iterator

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.places import AHEAD, TAIL, insert, widen
from schedcheck.checker.tabulated.loops.reserved import Reserved

FILLED = 0.75
"""The fraction of places that may be filled before the set is enlarged."""

GROWTH = ((1 << 16, 1), (1 << 25, 2))
"""Growth up to a number of places: by 1/1, then by 1/2, beyond by 1/4, which is slower but wastes less memory."""

LEAST = 1 << 12


def enlarged(size: int) -> int:
    """Return the next size of a set, without the extra places at its end."""
    return size + size // next((part for most, part in GROWTH if size < most), 4)


def sizes(most: int) -> Iterator[int]:
    """Yield the sizes of a set, up to `most`."""
    size = LEAST
    while size <= most:
        yield size
        size = enlarged(size)


class Found:
    """The new states of a level that one worker found, and the room left for more."""

    def __init__(self, words: int) -> None:
        self.room = 0
        self.crowded = False
        self._fresh = np.empty((LEAST, words), np.uint64)
        self._one = (0,) * words
        self._places = np.empty(AHEAD, np.uint64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def held(self) -> int:
        """The size in bytes."""
        return self._fresh.nbytes

    def insert(self, places: Words, states: Words, begin: int, count: int) -> int:
        """Keep the new ones among the states from `begin` to `count`; return where it stopped for lack of room."""
        while begin < count:
            # Few successors are new, so room for all of them would mostly stay empty.
            if self._count + min(count - begin, LEAST) > len(self._fresh):
                more = self._count // 4 + LEAST
                self._fresh.resize((self._count + more, self._fresh.shape[1]), refcheck=False)
            before, most = self._count, min(len(self._fresh) - self._count, self.room)
            came_to, self._count = insert(
                places, states, begin, count, self._fresh, self._count, most, self._one, self._places
            )
            begin = int(came_to)
            self.room -= self._count - before
            self.crowded = begin < count and self._count - before < most
            if self.crowded or self.room == 0:
                break
        return begin

    def take(self) -> Words:
        """Return the states found, and begin another level."""
        self._fresh.resize((self._count, self._fresh.shape[1]), refcheck=False)
        taken = self._fresh
        self._fresh = np.empty((max(LEAST, len(taken)), taken.shape[1]), np.uint64)
        self._count = 0
        return taken


class Known:
    """The set of known states, with their exact words. Several workers may insert at once, each by its own `found`.

    The set does not grow meanwhile; each worker has room for a number of states. `make_room` is called when none
    inserts.
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
        """The places of the hash set."""
        return self._reserved.rows

    @property
    def fresh(self) -> int:
        """The number of states found of the current level."""
        return sum(map(len, self.found))

    @property
    def held(self) -> int:
        """The size in bytes."""
        return self.places.nbytes + sum(each.held for each in self.found)

    def make_room(self) -> None:
        """Divide the room left among the workers; enlarge the set first if little is left."""
        while self._left < (len(self.places) >> 6) or any(each.crowded for each in self.found):
            self._widen()
        for each in self.found:
            each.room = self._left // len(self.found)

    def insert(self, states: Words, count: int) -> None:
        """Insert the new ones among the first `count` states. Raises MemoryError."""
        done = 0
        while done < count:
            self.make_room()
            done = self.found[0].insert(self.places, states, done, count)

    def take(self) -> Words:
        """Return the states found on the current level, and begin the next one."""
        found = self.taken()
        return found[0] if len(found) == 1 else np.concatenate(found)

    def taken(self) -> list[Words]:
        """Return the states found on the current level by each worker, and begin the next one."""
        self._before = len(self)
        return [each.take() for each in self.found]

    @property
    def _left(self) -> int:
        """The number of states that fit before the set is enlarged."""
        return int(FILLED * (len(self.places) - TAIL)) - len(self)

    def _widen(self) -> None:
        before = len(self.places)
        self._reserved.grow(TAIL + enlarged(before - TAIL))
        left, room = before, 64
        while left > 0:
            left = int(widen(self.places, left, self._one, np.empty((room, len(self._one)), np.uint64)))
            room *= 4
        if left < 0:
            raise MemoryError("more states than places have the highest hashes")
        for each in self.found:
            each.crowded = False
