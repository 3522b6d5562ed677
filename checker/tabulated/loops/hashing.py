"""Hash tables with exact keys: `Table`, `look_up`, `enter`.

A hash only says where to look; the key found there is compared word by word.
"""

from typing import NamedTuple

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.loops.compiled import bare, inlined


class Table(NamedTuple):
    """A hash table with open addressing: `rows` holds the row of a key, -1 for an empty place."""

    rows: Numbers
    keys: Words


@inlined
def mixed(word: np.uint64) -> np.uint64:
    """Return a word of which every bit depends on every bit of this one; different words stay different."""
    word ^= word >> np.uint64(32)
    word *= np.uint64(0xD6E8FEB86659FD93)
    word ^= word >> np.uint64(32)
    word *= np.uint64(0xD6E8FEB86659FD93)
    word ^= word >> np.uint64(32)
    return word


@inlined
def hashed(key: Words, words: int) -> np.uint64:
    """Return the hash of the first `words` words of the key."""
    # The multiplications are independent of each other, so the processor overlaps them.
    found, factor = np.uint64(0), np.uint64(0x9E3779B97F4A7C15)
    for number in range(words):
        found += (key[number] ^ (key[number] >> np.uint64(29))) * factor
        factor += np.uint64(0xBF58476D1CE4E5B8)
    return mixed(found)


@bare
def look_up(rows: Numbers, keys: Words, key: Words) -> int:
    """Return the row of the key, -1 if it has none."""
    words = keys.shape[1]
    last = np.uint64(rows.shape[0] - 1)
    place = hashed(key, words) & last
    while True:
        row = rows[place]
        if row < 0:
            return row
        same = True
        for number in range(words):
            if keys[row, number] != key[number]:
                same = False
                break
        if same:
            return row
        place = (place + np.uint64(1)) & last


@bare
def enter(rows: Numbers, keys: Words, row: int) -> None:
    """Enter a row at the first free place for its key."""
    last = np.uint64(rows.shape[0] - 1)
    place = hashed(keys[row], keys.shape[1]) & last
    while rows[place] >= 0:
        place = (place + np.uint64(1)) & last
    rows[place] = row


@bare
def number_states(rows: Numbers, states: Words) -> None:
    """Enter all states, so that the number of each can be looked up."""
    for row in range(states.shape[0]):
        enter(rows, states, row)


@bare
def enter_from(rows: Numbers, keys: Words, begin: int) -> None:
    """Enter the rows from number `begin` on."""
    for row in range(begin, keys.shape[0]):
        enter(rows, keys, row)


@bare
def look_up_each(rows: Numbers, states: Words, wanted: Words, found: Numbers) -> None:
    """Look up as many of the wanted states as there is room for their numbers."""
    for row in range(found.shape[0]):
        found[row] = look_up(rows, states, wanted[row])


def numbers_of(rows: Numbers, states: Words, wanted: Words, count: int) -> Numbers:
    """Return the numbers of the first `count` wanted states."""
    found = np.empty(count, np.int64)
    look_up_each(rows, states, wanted, found)
    return found
