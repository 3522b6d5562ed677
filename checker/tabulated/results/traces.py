"""A shortest path to a state, found without stored predecessors: `least_predecessors`."""

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Words, in_order
from schedcheck.checker.tabulated.loops.runs import find, in_pieces
from schedcheck.checker.tabulated.results.again import successors
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.checker.tabulated.search.kept import Kept, Level


def least_predecessors(explorer: Explorer, target: Words) -> list[Words]:
    """Return a shortest path to the state, always through the least predecessor in the order of the words.

    It depends only on the states of each level, not on the order in which they were found.
    """
    # A state beyond a constraint is in no level; it was found from the last level that was expanded.
    level = next(
        (number for number, states in enumerate(explorer.levels) if _has(states, target)),
        explorer.reached,
    )
    path = [target]
    for states in reversed(explorer.levels[:level]):
        path.append(_least(explorer, states, path[-1]))
    return path[::-1]


def _has(states: Level, target: Words) -> bool:
    """Whether the target is one of the states."""
    return states.has(target) if isinstance(states, Kept) else bool(find(states, len(states), target) >= 0)


def _least(explorer: Explorer, states: Level, target: Words) -> Words:
    """Return the least of the states from which a step leads to the target."""
    for ordered in in_pieces(states) if isinstance(states, Kept) else [in_order(np.asarray(states))]:
        for begin in range(0, len(ordered), 1024):
            piece = ordered[begin : begin + 1024]
            if _leads(explorer, piece, target):
                return next(
                    piece[number]
                    for number in range(len(piece))
                    if _leads(explorer, piece[number : number + 1], target)
                )
    raise AssertionError("every state but the first was found from one of the level before")


def _leads(explorer: Explorer, states: Words, target: Words) -> bool:
    """Whether a step leads from one of the states to the target."""
    return any(find(found, len(found), target) >= 0 for _, found in successors(explorer, states))
