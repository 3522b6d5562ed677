"""States expanded once more, without counting their steps again: `successors`."""

from collections.abc import Iterator

import numpy as np

from schedcheck.checker.tabulated.explorer import Explorer
from schedcheck.checker.tabulated.layout import Numbers, Words
from schedcheck.checker.tabulated.worker import PIECE


def successors(explorer: Explorer, states: Words) -> Iterator[tuple[Numbers, Words]]:
    """The states that steps lead to, some at a time, with the numbers of those that they lead from.

    They lie in a buffer that is filled anew. What no table holds yet is asked: a run that went on from a checkpoint did
    not expand the levels before it.
    """
    for begin in range(0, len(states), PIECE):
        todo = np.arange(begin, min(begin + PIECE, len(states)))
        while len(todo):
            count, todo = _expanded(explorer, states, todo)
            buffers = explorer.looking.buffers
            yield buffers.origin[:count], buffers.successors[:count]


def _expanded(explorer: Explorer, states: Words, todo: Numbers) -> tuple[int, Numbers]:
    """How many successors of those states are in the buffer, and what is left to expand."""
    end = explorer.looking.expand(explorer.oracle, states, todo)
    buffers = explorer.looking.buffers
    left = np.concatenate([buffers.deferred[: end.deferred], todo[end.came_to :]])
    explorer.answer(states, buffers, end.missing)
    return end.successors, left
