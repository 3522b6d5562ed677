"""The successors of explored states, found again without counting them: `pieces`, `of_piece`, `successors`."""

from collections.abc import Iterator

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.checker.tabulated.search.worker import PIECE


def pieces(states: Words) -> Iterator[range]:
    """Yield the numbers of these states in pieces that are expanded at a time."""
    for begin in range(0, len(states), PIECE):
        yield range(begin, min(begin + PIECE, len(states)))


def of_piece(explorer: Explorer, states: Words, piece: range) -> Iterator[tuple[Numbers, Words]]:
    """Yield the successors of the states with these numbers in batches, with the number of the predecessor of each.

    Each batch is in a buffer that the next one overwrites. Missing answers are asked for: a run resumed from a
    checkpoint did not expand the earlier levels itself.
    """
    todo = np.arange(piece.start, piece.stop)
    yield from explorer.looking.found(explorer.oracle, states, todo, explorer.answer)


def successors(explorer: Explorer, states: Words) -> Iterator[tuple[Numbers, Words]]:
    """Yield the successors of all of these states in batches, as `of_piece` does."""
    for piece in pieces(states):
        yield from of_piece(explorer, states, piece)
