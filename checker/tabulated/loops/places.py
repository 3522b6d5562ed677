"""The compiled hash set of known states: `insert`, `widen`.

A state stands at the first free place from the one its hash names; `EMPTY` marks a free place. States are stored with
all bits inverted, so that memory that was never written to is empty. No state is ever removed. So threads that insert
at the same time need no lock: one of them gets the free place, and the others look at it again. The places are in the
order of the hashes. So the set is enlarged in place, from its end to its start; no other thread may use it meanwhile.
"""

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.bits import claim, fetch, publish, seen
from schedcheck.checker.tabulated.loops.compiled import bare, inlined
from schedcheck.checker.tabulated.loops.hashing import mixed

EMPTY = np.uint64(0)
"""Marks a free place. No inverted state is zero, as the highest bit of each word is never used."""

BUSY = np.uint64(1)
"""Marks a place where a thread is writing a state of several words."""

AHEAD = 32
"""The number of states looked up together."""

TAIL = 1 << 10
"""The number of extra places at the end, for states that find no free place before."""

One = tuple[int, ...]
"""As many zeros as a state has words; loops are compiled separately for each number of words."""


@inlined
def hash_of(states: Words, number: int | np.uint64, one: One) -> np.uint64:
    """Return the hash of a state."""
    found = states[number, 0]
    for word in range(1, len(one)):
        found = mixed(found) + states[number, word]
    # The upper half, which names the place, then depends on every bit.
    found ^= found >> np.uint64(31)
    return found * np.uint64(0x9E3779B97F4A7C15)


@inlined
def _place(of: np.uint64, size: np.uint64) -> np.uint64:
    """Return the place that a hash names among `size` (less than 2^32): its upper half as a fraction of them."""
    return ((of >> np.uint64(32)) * size) >> np.uint64(32)


@bare
def insert(
    known: Words, states: Words, begin: int, count: int, fresh: Words, found: int, most: int, one: One, places: Words
) -> tuple[int | np.uint64, int]:
    """Insert the new ones among the states from `begin` to `count` into `known`, and append them to `fresh`.

    Several threads may do so at once, each with its own `fresh`; a new state is fresh for exactly one of them. Stop
    after `most` new states, or when no place is free. `places` is room for `AHEAD` words. Return the place of the first
    state not visited, and the end of `fresh`.
    """
    size = np.uint64(known.shape[0] - TAIL)
    end = found + most
    first = np.uint64(begin)
    all_of_them = np.uint64(count)
    while first < all_of_them:
        # The first places of several states are fetched together, so that the waits overlap.
        several = min(np.uint64(AHEAD), all_of_them - first)
        for each in range(several):
            places[each] = _place(hash_of(states, first + each, one), size)
            fetch(known, places[each])
        for each in range(several):
            own, place = first + each, places[each]
            word = ~states[own, 0]
            # Mostly it stands near by. All four places are compared: a wrong branch prediction would cost more.
            if len(one) == 1 and (
                (known[place, 0] == word)
                | (known[place + np.uint64(1), 0] == word)
                | (known[place + np.uint64(2), 0] == word)
                | (known[place + np.uint64(3), 0] == word)
            ):
                continue
            if found == end:
                return own, found
            while place < known.shape[0]:
                there = seen(known, place)
                if there == EMPTY:
                    if claim(known, place, EMPTY, BUSY if len(one) > 1 else word):
                        for other in range(1, len(one)):
                            known[place, other] = ~states[own, other]
                        if len(one) > 1:
                            publish(known, place, word)
                        for other in range(len(one)):
                            fresh[found, other] = states[own, other]
                        found += 1
                        break
                    continue
                if len(one) > 1 and there == BUSY:
                    continue
                same = there == word
                for other in range(1, len(one)):
                    same = same and known[place, other] == ~states[own, other]
                if same:
                    break
                place += np.uint64(1)
            if place == known.shape[0]:
                return own, found
        first += several
    return first, found


@bare
def widen(known: Words, before: int, one: One, taken: Words) -> int | np.int64:
    """Move the states in the first `before` places to their places in the enlarged set.

    Return 0; if a state found no place, -1; and if `taken` has not enough rows for adjacent states, how many of the first
    places are left.

    The last states move first. If a state moves backwards, all states in its way were moved before. At the start of the
    set a state may stay or move forwards. There, adjacent states are taken out together: none is put before the first
    of them, nor in the way of states that are still to be moved.
    """
    size = np.uint64(known.shape[0] - TAIL)
    end = np.uint64(before)
    while end > 0:
        last = end - np.uint64(1)
        if known[last, 0] == EMPTY:
            end = last
            continue
        for word in range(len(one)):
            taken[0, word] = ~known[last, word]
        begin = last
        if _place(hash_of(taken, 0, one), size) <= last:
            while begin > 0 and known[begin - np.uint64(1), 0] != EMPTY:
                begin -= np.uint64(1)
        count = np.int64(end - begin)
        if count > taken.shape[0]:
            return np.int64(end)
        for number in range(count):
            for word in range(len(one)):
                taken[number, word] = ~known[begin + np.uint64(number), word]
                known[begin + np.uint64(number), word] = EMPTY
        for number in range(count):
            place = _place(hash_of(taken, number, one), size)
            while place < known.shape[0] and known[place, 0] != EMPTY:
                place += np.uint64(1)
            if place == known.shape[0]:
                return -1
            for word in range(len(one)):
                known[place, word] = ~taken[number, word]
        end = begin
    return 0
