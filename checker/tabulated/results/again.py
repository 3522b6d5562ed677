"""The successors of explored states, found again without counting them: `successors`."""

from collections.abc import Iterator

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.checker.tabulated.search.worker import PIECE


def successors(explorer: Explorer, states: Words) -> Iterator[tuple[Numbers, Words]]:
    """Yield the successors of these states in batches, with the number of the predecessor of each.

    Each batch is in a buffer that the next one overwrites. Missing answers are asked for: a run resumed from a
    checkpoint did not expand the earlier levels itself.
    """
    for begin in range(0, len(states), PIECE):
        todo = np.arange(begin, min(begin + PIECE, len(states)))
        yield from explorer.looking.found(explorer.oracle, states, todo, explorer.answer)
