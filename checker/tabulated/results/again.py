"""The successors of explored states, found again without counting them: `pieces`, `successors`."""

from collections.abc import Iterator

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.checker.tabulated.search.worker import PIECE


def pieces(states: Words) -> Iterator[range]:
    """Yield the numbers of these states in pieces that are expanded at a time."""
    for begin in range(0, len(states), PIECE):
        yield range(begin, min(begin + PIECE, len(states)))


def successors(explorer: Explorer, states: Words, some: range | None = None) -> Iterator[tuple[Numbers, Words]]:
    """Yield the successors of these states, or of some of them, in batches, with the number of the predecessor of each.

    Each batch is in a buffer that the next one overwrites. Missing answers are asked for: a run resumed from a
    checkpoint did not expand the earlier levels itself.
    """
    for piece in pieces(states) if some is None else (some,):
        todo = np.arange(piece.start, piece.stop)
        yield from explorer.looking.found(explorer.oracle, states, todo, explorer.answer)
