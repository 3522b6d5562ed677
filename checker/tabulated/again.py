"""States expanded once more, without counting their steps again: `successors`."""

from collections.abc import Iterator

import numpy as np

from schedcheck.checker.tabulated.explorer import Explorer
from schedcheck.checker.tabulated.layout import Numbers, Words
from schedcheck.checker.tabulated.loops import expand
from schedcheck.checker.tabulated.orbits import canonicalise
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
            buffers = explorer.buffers_for_looking
            yield buffers.origin[:count], buffers.successors[:count]


def _expanded(explorer: Explorer, states: Words, todo: Numbers) -> tuple[int, Numbers]:
    """How many successors of those states are in the buffer, and what is left to expand."""
    buffers, plan = explorer.buffers_for_looking, explorer.plan
    came_to, count, missing, deferred = expand(
        plan.program, explorer.oracle.answers(), states, todo, 0, explorer.judged, buffers
    )
    if explorer.orbits is not None:
        canonicalise(plan.program, explorer.orbits, buffers.successors, count)
    left = np.concatenate([buffers.deferred[:deferred], todo[came_to:]])
    explorer.answer(states, buffers, missing)
    return count, left
