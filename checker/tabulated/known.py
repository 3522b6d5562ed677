"""The states that are known: `Known`.

They are shared out over parts by their hashes, so that each part can be looked through by a worker of its own.
"""

import numpy as np

from schedcheck.checker.tabulated.layout import Words
from schedcheck.checker.tabulated.places import TAIL, insert, widen

FILLED = 0.75
"""How much of a part may be filled before it is made larger."""

LARGE = 1 << 24
"""Up to so many places a part is made larger by a half, from then on by a quarter: slower, but closer to what it needs."""


class Known:
    """A part of the states that are known, by the exact words of each; `fresh` are those of the level being found."""

    def __init__(self, part: int, parts: int, words: int) -> None:
        self.part = part
        self.parts = parts
        self._one = (0,) * words
        self._places = np.zeros(((1 << 12) + TAIL, words), np.uint64)
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
        """Keep those of the first `count` states that belong here and are not known. Raises MemoryError."""
        # Few of what is found is new, so room for all of it would mostly stay empty.
        done, more = 0, min(count, 1 << 12)
        while done < count:
            self._make_room(more)
            before = self._found
            came_to, self._found = insert(
                self._places,
                self.part,
                self.parts,
                states,
                done,
                count,
                self._fresh,
                self._found,
                min(len(self._fresh) - self._found, self._left),
                self._one,
            )
            done = int(came_to)
            self._count += self._found - before
            if done < count and self._found - before < more:
                self._widen()

    def take(self) -> Words:
        """The states of the level that was found; another begins."""
        self._fresh.resize((self._found, self._fresh.shape[1]), refcheck=False)
        taken = self._fresh
        self._found = 0
        self._fresh = np.empty((max(1 << 12, len(taken)), taken.shape[1]), np.uint64)
        return taken

    @property
    def _left(self) -> int:
        """How many more states there may be before it is made larger."""
        return int(FILLED * (len(self._places) - TAIL)) - self._count

    def _make_room(self, more: int) -> None:
        if self._found + more > len(self._fresh):
            self._fresh.resize((self._found + more + self._found // 4, self._fresh.shape[1]), refcheck=False)
        while more > self._left:
            self._widen()

    def _widen(self) -> None:
        before = len(self._places)
        size = before - TAIL
        self._places.resize((TAIL + size + size // (2 if size < LARGE else 4), len(self._one)), refcheck=False)
        if not widen(self._places, before, self._one):
            raise MemoryError("more states than places have the highest hashes")
