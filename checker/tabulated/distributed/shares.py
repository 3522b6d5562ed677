"""The division of successors among the parts of the state space, by hash: `Dealer`, `owner`."""

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.loops.bits import fetch
from schedcheck.checker.tabulated.loops.compiled import bare
from schedcheck.checker.tabulated.loops.hashing import mixed
from schedcheck.checker.tabulated.loops.places import AHEAD, One, hash_of


@bare
def _sift(
    states: Words, begin: int, count: int, sent: Words, parts: int, owners: Numbers, one: One, hashes: Words
) -> int:
    """Move the states that were not sent lately to the place `begin`; note the owner of each; return their end.

    `sent` holds the states sent last, by their hashes. `hashes` is room for `AHEAD` words.
    """
    left, last, of = begin, np.uint64(sent.shape[0] - 1), np.uint64(parts)
    first = begin
    while first < count:
        # As in the set of known states, the places of several states are fetched together.
        several = min(AHEAD, count - first)
        for each in range(several):
            # That set is ordered by its own hash: with the same one, the states of a part would lie close together.
            hashes[each] = mixed(hash_of(states, first + each, one) + np.uint64(0x9E3779B97F4A7C15))
            fetch(sent, hashes[each] & last)
        for each in range(several):
            own, place = first + each, hashes[each] & last
            same = True
            for word in range(len(one)):
                same = same and sent[place, word] == states[own, word]
            if same:
                continue
            for word in range(len(one)):
                sent[place, word] = states[left, word] = states[own, word]
            owners[left] = np.int64(((hashes[each] >> np.uint64(32)) * of) >> np.uint64(32))
            left += 1
        first += several
    return left


@bare
def _deal(states: Words, count: int, owners: Numbers, ends: Numbers, dealt: Words) -> None:
    """Order the states by their owners; `ends` has the first place of each owner, and in the end that after its last."""
    for number in range(count):
        place = ends[owners[number]]
        ends[owners[number]] += 1
        for word in range(states.shape[1]):
            dealt[place, word] = states[number, word]


class Dealer:
    """Divides the states of a buffer among the parts, and drops those that it sent lately.

    It remembers the last of `places` states, a power of two. A state that it no longer remembers is sent again, which
    its owner notices.
    """

    def __init__(self, words: int, parts: int, places: int, room: int) -> None:
        self.parts = parts
        self._one, self._hashes = (0,) * words, np.empty(AHEAD, np.uint64)
        self._owners = np.empty(room, np.int64)
        # A word of ones stands for no state.
        self._sent = np.full((places, words), ~np.uint64(0))

    def forget(self) -> None:
        """Forget the states that were sent."""
        self._sent[:] = ~np.uint64(0)

    def sift(self, states: Words, begin: int, count: int) -> int:
        """Drop those states from `begin` to `count` that were sent lately; return where the others end."""
        return _sift(states, begin, count, self._sent, self.parts, self._owners, self._one, self._hashes)

    def by_owner(self, states: Words, count: int) -> list[Words]:
        """Return the first `count` states, which were sifted, as an array for each owner."""
        numbers = np.bincount(self._owners[:count], minlength=self.parts)
        places = (np.cumsum(numbers) - numbers).astype(np.int64)
        begins, dealt = places.tolist(), np.empty((count, states.shape[1]), np.uint64)
        _deal(states, count, self._owners, places, dealt)
        return [dealt[begin:end] for begin, end in zip(begins, places.tolist(), strict=True)]


def owner(words: Words, parts: int) -> int:
    """Return the part that a single state belongs to."""
    dealer, state = Dealer(words.shape[-1], parts, 1, 1), words.reshape(1, -1).copy()
    dealer.sift(state, 0, 1)
    return next(number for number, each in enumerate(dealer.by_owner(state, 1)) if len(each))
