"""The division of successors among the parts of the state space, by hash: `sift`, `deal`."""

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.loops.compiled import bare
from schedcheck.checker.tabulated.loops.hashing import mixed
from schedcheck.checker.tabulated.loops.places import AHEAD, One, hash_of
from schedcheck.checker.tabulated.loops.bits import fetch


@bare
def sift(
    states: Words, begin: int, count: int, sent: Words, parts: int, owners: Numbers, one: One, hashes: Words
) -> int:
    """Move the states that were not sent lately to the place `begin`; note the owner of each; return their end.

    `sent` holds the states sent last, by their hashes. A state that it no longer holds is sent again, which its owner
    notices. `hashes` is room for `AHEAD` words.
    """
    left, last, of = np.int64(begin), np.uint64(sent.shape[0] - 1), np.uint64(parts)
    first = np.int64(begin)
    while first < count:
        # As in the set of known states, the places of several states are fetched together.
        several = min(AHEAD, count - first)
        for each in range(several):
            # That set is ordered by another hash: with the same one, each part's states would lie close together.
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
def deal(states: Words, count: int, owners: Numbers, ends: Numbers, dealt: Words) -> None:
    """Order the states by their owners; `ends` has the first place of each owner, and in the end that after its last."""
    for number in range(count):
        place = ends[owners[number]]
        ends[owners[number]] += 1
        for word in range(states.shape[1]):
            dealt[place, word] = states[number, word]


def by_owner(states: Words, count: int, owners: Numbers, parts: int) -> list[Words]:
    """Return the first `count` states of each owner, as an array each."""
    numbers = np.bincount(owners[:count], minlength=parts)
    ends = np.cumsum(numbers) - numbers
    dealt = np.empty((count, states.shape[1]), np.uint64)
    places = ends.astype(np.int64)
    deal(states, count, owners, places, dealt)
    return [dealt[begin:end] for begin, end in zip(ends.tolist(), places.tolist(), strict=True)]


def owner(words: Words, parts: int) -> int:
    """Return the part that a single state belongs to."""
    owners = np.zeros(1, np.int64)
    one, room = (0,) * words.shape[-1], np.empty(AHEAD, np.uint64)
    sift(words.reshape(1, -1).copy(), 0, 1, nothing_sent(len(one), 1), parts, owners, one, room)
    return int(owners[0])


def nothing_sent(words: int, places: int) -> Words:
    """Return room for the states sent last; a word of ones stands for no state."""
    return np.full((places, words), ~np.uint64(0))
