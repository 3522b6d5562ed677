"""States expanded once more, without counting their steps again: `successors`."""

from collections.abc import Iterator

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.checker.tabulated.search.worker import PIECE


def successors(explorer: Explorer, states: Words) -> Iterator[tuple[Numbers, Words]]:
    """The states that steps lead to, some at a time, with the numbers of those that they lead from.

    They lie in a buffer that is filled anew. What no table holds yet is asked: a run that went on from a checkpoint did
    not expand the levels before it.
    """
    for begin in range(0, len(states), PIECE):
        todo = np.arange(begin, min(begin + PIECE, len(states)))
        yield from explorer.looking.found(explorer.oracle, states, todo, explorer.answer)
