"""The states that are known: `Known`.

They are shared out over parts by their hashes, so that each part can be looked through by a worker of its own.
"""

import numpy as np

from schedcheck.checker.tabulated.layout import Words
from schedcheck.checker.tabulated.loops import EMPTY, insert, move_over

FILLED = 0.6
"""How much of a part may be filled before it is made larger."""


class Known:
    """A part of the states that are known, by the exact words of each; `fresh` are those of the level being found."""

    def __init__(self, part: int, parts: int, words: int) -> None:
        self.part = part
        self.parts = parts
        self._places = np.full((1 << 12, words), EMPTY, np.uint64)
        self._fresh = np.empty((1 << 12, words), np.uint64)
        self._found = 0
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def held(self) -> int:
        """The bytes that it takes."""
        return self._places.nbytes + self._fresh.nbytes

    @property
    def found(self) -> int:
        """How many states of the level are found."""
        return self._found

    def insert(self, states: Words, count: int) -> None:
        """Keep those of the first `count` states that belong here and are not known."""
        # Where there are many, about as many belong to each part; where there are few, room does not matter.
        more = count if count < 4096 else count // self.parts + count // 8
        self._make_room(more)
        done = 0
        while done < count:
            before = self._found
            done, self._found = insert(
                self._places, self.part, self.parts, states, done, count, self._fresh, self._found, more
            )
            self._count += self._found - before
            if done < count:
                self._make_room(more)

    def take(self) -> Words:
        """The states of the level that was found; another begins."""
        taken: Words = self._fresh[: self._found].copy()
        self._found = 0
        self._fresh = np.empty((max(1 << 12, len(taken)), taken.shape[1]), np.uint64)
        return taken

    def _make_room(self, more: int) -> None:
        if self._found + more > len(self._fresh):
            larger = np.empty((self._found + more + self._found // 2, self._fresh.shape[1]), np.uint64)
            larger[: self._found] = self._fresh[: self._found]
            self._fresh = larger
        size = len(self._places)
        while self._count + more > FILLED * size:
            size *= 2
        if size > len(self._places):
            places = np.full((size, self._places.shape[1]), EMPTY, np.uint64)
            move_over(self._places, places, self.parts)
            self._places = places
