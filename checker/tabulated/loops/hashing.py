"""Exact words found again by their hashes: `Table`, `look_up`, `enter`.

A hash only says where to look; what is found is compared word by word.
"""

from typing import NamedTuple

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.loops.compiled import bare, compiled, inlined


class Table(NamedTuple):
    """Which row answers a key: `rows` is open to all hashes, -1 where it is empty."""

    rows: Numbers
    keys: Words


@inlined
def mixed(word: np.uint64) -> np.uint64:
    """A word of which every bit depends on every bit of this one; no two words are mixed into one."""
    word ^= word >> np.uint64(32)
    word *= np.uint64(0xD6E8FEB86659FD93)
    word ^= word >> np.uint64(32)
    word *= np.uint64(0xD6E8FEB86659FD93)
    word ^= word >> np.uint64(32)
    return word


@inlined
def hashed(key: Words, words: int) -> np.uint64:
    """The hash of so many words."""
    # The multiplications do not wait for each other.
    found, factor = np.uint64(0), np.uint64(0x9E3779B97F4A7C15)
    for number in range(words):
        found += (key[number] ^ (key[number] >> np.uint64(29))) * factor
        factor += np.uint64(0xBF58476D1CE4E5B8)
    return mixed(found)


@bare
def look_up(rows: Numbers, keys: Words, key: Words) -> int:
    """The row that answers the key, -1 if none does."""
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


@compiled
def enter(rows: Numbers, keys: Words, row: int) -> None:
    """Put a row where its key is looked for."""
    last = np.uint64(rows.shape[0] - 1)
    place = hashed(keys[row], keys.shape[1]) & last
    while rows[place] >= 0:
        place = (place + np.uint64(1)) & last
    rows[place] = row


@compiled
def number_states(rows: Numbers, states: Words) -> None:
    """Make it possible to find the number of each state."""
    for row in range(states.shape[0]):
        enter(rows, states, row)


@compiled
def numbers_of(rows: Numbers, states: Words, wanted: Words, count: int) -> Numbers:
    """The numbers of the first `count` of the wanted states."""
    found = np.empty(count, np.int64)
    for row in range(count):
        found[row] = look_up(rows, states, wanted[row])
    return found
