"""Sorted runs of packed states, read in one pass: `news`, `find`, `in_pieces`.

A run is an array of states, sorted by their words and without duplicates; it may be on disk. Only a piece of each run
is read at a time, so memory use does not grow with the runs.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Truths, Words, in_order
from schedcheck.checker.tabulated.loops.compiled import bare, inlined

PIECE = 1 << 17
"""The number of states of each run that are read at a time."""


def in_pieces(states: Words) -> Iterator[Words]:
    """Yield the states, a piece at a time."""
    for begin in range(0, len(states), PIECE):
        yield states[begin : begin + PIECE]


def news(candidates: Sequence[Words], known: Sequence[Words]) -> Iterator[Words]:
    """Yield the candidates that are in no known run, sorted and without duplicates, a piece at a time.

    Candidates and known states are sorted runs. Both are read once; of a long run, only the parts near the candidates.
    """
    begins, places = [0] * len(candidates), [0] * len(known)
    while True:
        left = [run[begin:] for run, begin in zip(candidates, begins, strict=True)]
        ends = [run[PIECE - 1] for run in left if len(run) > PIECE]
        if ends:
            bound = in_order(np.stack(ends))[0]
            counts = [not_above(run, 0, bound) for run in left]
        else:
            counts = [len(run) for run in left]
        piece = in_order(np.concatenate([run[:count] for run, count in zip(left, counts, strict=True)]))
        if len(piece) == 0:
            return
        begins = [begin + count for begin, count in zip(begins, counts, strict=True)]
        is_new = first_of_each(piece)
        for number, run in enumerate(known):
            places[number] = strike(piece, is_new, run, places[number])
        yield piece[is_new]


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


def not_above(run: Words, begin: int, bound: Words) -> int:
    """Return the first place in the run, from `begin` on, that is above the bound."""
    return _not_above(run, begin, bound.reshape(1, -1))


@bare
def _not_above(run: Words, begin: int, bounds: Words) -> int:
    place = _not_before(run, begin, bounds, 0)
    while place < run.shape[0] and not _before(bounds, 0, run, place):
        place += 1
    return place


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
def strike(states: Words, is_new: Truths, run: Words, place: int) -> int:
    """Clear `is_new` for the sorted states that the run has from `place` on; return the place to continue from."""
    for number in range(states.shape[0]):
        place = _not_before(run, place, states, number)
        if place == run.shape[0]:
            return place
        if not _before(states, number, run, place):
            is_new[number] = False
    return place


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
