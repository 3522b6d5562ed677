"""The compiled loops for sorted runs of packed states: `encode`, `decode`, `strike`, `find`.

A run is an array of states, sorted by their words and without duplicates. Encoded, it is a sequence of blocks of `BLOCK`
states. A state is written as its difference to the one before, seven bits a byte, the lowest first; the highest bit of a
byte says that another follows. The first state of a block follows a state of ones. A state that differs before its last
word is a zero (no difference is zero), the number of the first word that differs, that word's difference, and the words
after it, eight bytes each.
"""

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Flags, Numbers, Truths, Words
from schedcheck.checker.tabulated.loops.compiled import bare, inlined
from schedcheck.checker.tabulated.loops.hashing import look_up

PIECE = 1 << 17
"""The number of states of each run that are read at a time."""

BLOCK = 1 << 12
"""The number of states of each block but the last."""


class Sliced(Protocol):
    """States of which some can be read."""

    def __len__(self) -> int:
        """Return the number of states."""
        ...

    def __getitem__(self, part: slice, /) -> Words:
        """Return a part of the states."""
        ...


def in_pieces(states: Sliced) -> Iterator[Words]:
    """Yield the states, a piece at a time."""
    for begin in range(0, len(states), PIECE):
        yield states[begin : begin + PIECE]


def most_bytes(states: int, words: int) -> int:
    """Return the most bytes that these states take when they are encoded."""
    return states * (2 + 10 + 8 * (words - 1))


@inlined
def _write(data: Flags, at: int, value: np.uint64) -> int:
    """Write a number seven bits a byte; return the place after it."""
    while value >= np.uint64(128):
        data[at] = np.int64((value & np.uint64(127)) | np.uint64(128))
        value >>= np.uint64(7)
        at += 1
    data[at] = np.int64(value)
    return at + 1


@bare
def encode(states: Words, block: int, data: Flags, ends: Numbers) -> int:
    """Write the states to `data` in blocks of `block` states, and the end of each block to `ends`; return the last."""
    at, words = 0, states.shape[1]
    for number in range(states.shape[0]):
        first = number % block == 0
        if first and number > 0:
            ends[number // block - 1] = at
        word = 0
        while not first and word < words - 1 and states[number, word] == states[number - 1, word]:
            word += 1
        before = ~np.uint64(0) if first else states[number - 1, word]
        if word < words - 1:
            data[at] = 0
            data[at + 1] = word
            at += 2
        at = _write(data, at, states[number, word] - before)
        for other in range(word + 1, words):
            for part in range(8):
                data[at] = np.int64((states[number, other] >> np.uint64(8 * part)) & np.uint64(255))
                at += 1
    if states.shape[0] > 0:
        ends[(states.shape[0] - 1) // block] = at
    return at


@bare
def decode(data: Flags, block: int, states: Words) -> int:
    """Fill `states` from `data`, which begins with a block; return the place after the last byte read."""
    at, words = 0, states.shape[1]
    for number in range(states.shape[0]):
        first = number % block == 0
        word = words - 1
        if words > 1 and data[at] == 0:
            word = np.int64(data[at + 1])
            at += 2
        for other in range(word):
            states[number, other] = states[number - 1, other]
        byte = np.uint64(data[at])
        at += 1
        value, shift = byte & np.uint64(127), np.uint64(7)
        while byte >= np.uint64(128):
            byte = np.uint64(data[at])
            at += 1
            value |= (byte & np.uint64(127)) << shift
            shift += np.uint64(7)
        states[number, word] = value + (~np.uint64(0) if first else states[number - 1, word])
        for other in range(word + 1, words):
            value = np.uint64(0)
            for part in range(8):
                value |= np.uint64(data[at]) << np.uint64(8 * part)
                at += 1
            states[number, other] = value
    return at


@inlined
def _before(states: Words, number: int, others: Words, other: int) -> bool:
    for word in range(states.shape[1]):
        if states[number, word] != others[other, word]:
            return states[number, word] < others[other, word]
    return False


@bare
def _not_before(run: Words, begin: int, states: Words, number: int) -> int:
    """Return the first place in the run, from `begin` on, that is not before this state, by leaps and bisection."""
    leap, end = 1, begin
    while end < run.shape[0] and _before(run, end, states, number):
        begin = end + 1
        end += leap
        leap *= 2
    end = min(end, run.shape[0])
    while begin < end:
        middle = (begin + end) // 2
        if _before(run, middle, states, number):
            begin = middle + 1
        else:
            end = middle
    return begin


def not_before(run: Words, begin: int, bound: Words) -> int:
    """Return the first place in the run, from `begin` on, that is not before the bound."""
    return _not_before(run, begin, bound.reshape(1, -1), 0)


@bare
def mark_near(states: Words, firsts: Words, near: Truths) -> None:
    """Mark the blocks in which one of the sorted states may be; `firsts` has the first state of each block."""
    place = _not_before(states, 0, firsts, 0)
    for block in range(firsts.shape[0]):
        end = _not_before(states, place, firsts, block + 1) if block + 1 < firsts.shape[0] else states.shape[0]
        near[block] = end > place
        place = end


def first_of_each(states: Words) -> Truths:
    """Return which of the sorted states differ from the state before."""
    found = np.ones(states.shape[0], np.bool_)
    _clear_repeated(states, found)
    return found


@bare
def _clear_repeated(states: Words, found: Truths) -> None:
    for number in range(1, states.shape[0]):
        found[number] = _before(states, number - 1, states, number)


@bare
def strike(rows: Numbers, states: Words, is_new: Truths, known: Words) -> None:
    """Clear `is_new` for the states that are known; `rows` has the row of each state, by hash."""
    for number in range(known.shape[0]):
        row = look_up(rows, states, known[number])
        if row >= 0:
            is_new[row] = False


@bare
def find(states: Words, count: int, target: Words) -> int:
    """Return the number of the target among the first `count` states (in any order), -1 if it is not there."""
    for number in range(count):
        same = True
        for word in range(states.shape[1]):
            if states[number, word] != target[word]:
                same = False
                break
        if same:
            return number
    return -1
