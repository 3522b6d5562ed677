"""The new states among several sorted runs of candidates, compared with all known states in one pass: `news`.

The pass goes through the candidates in the order of their words, a segment at a time. The candidates of a segment are
sorted together and entered into a small table, in which the known states near them are looked up. Several segments are
worked on at once. Only what is near a segment is read, and memory use does not grow with the runs.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Words, in_order
from schedcheck.checker.tabulated.loops.hashing import number_states
from schedcheck.checker.tabulated.loops.runs import first_of_each, strike
from schedcheck.checker.tabulated.search.kept import Run

SEGMENT = 64
"""The number of blocks of candidates in a segment."""


def news(candidates: Sequence[Run], known: Sequence[Run], workers: int = 1) -> Iterator[Words]:
    """Yield the candidates that are in no known run, sorted and without duplicates. Raises Unusable."""
    ends = _ends(candidates)
    bounds = list(zip([None, *ends], [*ends, None], strict=True))
    with ThreadPoolExecutor(workers) as pool:
        running: deque[Future[Words]] = deque()
        try:
            for low, high in bounds:
                running.append(pool.submit(_segment, candidates, known, low, high))
                if len(running) > workers:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:
            for each in running:
                each.cancel()


def _ends(candidates: Sequence[Run]) -> list[Words]:
    """Return the states at which a segment ends and the next begins."""
    firsts = [run.firsts for run in candidates if len(run)]
    if not firsts:
        return []
    every = in_order(np.concatenate(firsts))
    chosen = every[SEGMENT::SEGMENT].copy()
    return list(chosen[first_of_each(chosen)]) if len(chosen) else []


def _segment(candidates: Sequence[Run], known: Sequence[Run], low: Words | None, high: Words | None) -> Words:
    """Return the new states from `low` on that are before `high`."""
    states = np.concatenate([run.between(low, high) for run in candidates if len(run)] or [_NONE])
    if len(states) == 0:
        return states
    states = in_order(states)
    states = states[first_of_each(states)]
    is_new = np.ones(len(states), np.bool_)
    if known:
        rows = np.full(1 << (2 * len(states)).bit_length(), -1, np.int64)
        number_states(rows, states)
        for run in known:
            for some in run.near(states):
                strike(rows, states, is_new, some)
    return states[is_new]


_NONE: Words = np.empty((0, 1), np.uint64)
