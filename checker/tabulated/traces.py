"""The shortest way to a state, found again without having stored where each was found from: `least_predecessors`."""

import numpy as np

from schedcheck.checker.tabulated.explorer import Explorer
from schedcheck.checker.tabulated.layout import Words, in_order
from schedcheck.checker.tabulated.loops import expand
from schedcheck.checker.tabulated.orbits import canonicalise


def least_predecessors(explorer: Explorer, target: Words) -> list[Words]:
    """A shortest way to the state, the least predecessor each time, in the order of its words.

    It depends on the states of each level alone, and not on the order in which they were found.
    """
    level = next(number for number, states in enumerate(explorer.levels) if np.any(np.all(states == target, axis=1)))
    path = [target]
    for states in reversed(explorer.levels[:level]):
        path.append(_least(explorer, states, path[-1]))
    return path[::-1]


def _least(explorer: Explorer, states: Words, target: Words) -> Words:
    """The least of the states from which a step leads to the target."""
    ordered = in_order(states)
    for begin in range(0, len(ordered), 1024):
        piece = ordered[begin : begin + 1024]
        if _leads(explorer, piece, target):
            return next(
                piece[number] for number in range(len(piece)) if _leads(explorer, piece[number : number + 1], target)
            )
    raise AssertionError("every state but the first was found from one of the level before")


def _leads(explorer: Explorer, states: Words, target: Words) -> bool:
    """Whether a step leads from one of the states to the target."""
    buffers = explorer.buffers_for_looking
    begin = 0
    while begin < len(states):
        begin, count, missing, _ = expand(
            explorer.plan.program,
            explorer.oracle.answers(),
            states,
            np.arange(len(states)),
            begin,
            explorer.judged,
            buffers,
        )
        assert missing == 0, "what was expanded before is known"
        if explorer.orbits is not None:
            canonicalise(explorer.plan.program, explorer.orbits, buffers.successors, count)
        if np.any(np.all(buffers.successors[:count] == target, axis=1)):
            return True
    return False
