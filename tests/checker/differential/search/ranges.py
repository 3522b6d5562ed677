"""The search by number of cases instead of by time: the same cases on any number of processes or machines: `counted`"""

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from math import ceil
from multiprocessing import get_context
from typing import NamedTuple

from schedcheck.checker.machines.cases import in_turn
from schedcheck.checker.machines.machines import Machines
from tests.checker.differential.search.parts import PARTS, tried

SIZE = 20
"""The most cases of a range."""


class Range(NamedTuple):
    """Some cases of a part, by their numbers."""

    part: str
    first: int
    end: int


class Told(NamedTuple):
    """How many cases of a range were tried, and a difference: part, case, text."""

    part: str
    cases: int
    found: tuple[str, str, str] | None


def ranges(cases: int, parts: tuple[str, ...]) -> Iterator[Range]:
    """Yield the ranges of all parts in turn: so many cases for a share of 1, and of other parts by their share."""
    ends = {part: ceil(cases * PARTS[part].share) for part in parts}
    for first in range(0, max(ends.values()), SIZE):
        for part, end in ends.items():
            if first < end:
                yield Range(part, first, min(first + SIZE, end))


def searched(seed: str, some: Range) -> Told:
    """Try the cases of a range up to the first difference; case n has the seed `seed n`."""
    for number in range(some.first, some.end):
        found = tried(some.part, f"{seed} {number}")
        if found is not None:
            text = f"{type(found.what).__name__}: {found.what}"
            return Told(some.part, number + 1 - some.first, (found.part, found.start, text))
    return Told(some.part, some.end - some.first, None)


def counted(
    cases: int, seed: int, parts: tuple[str, ...], jobs: int, machines: Machines | None = None
) -> tuple[Counter[str], tuple[str, str, str] | None]:
    """Return the number of cases by part up to the first difference in the order of the ranges, and that difference.

    They do not depend on the number of processes or machines. An interrupt ends the search. Raises ClusterFailed.
    """
    counts: Counter[str] = Counter()
    with suppress(KeyboardInterrupt), _told(cases, seed, parts, jobs, machines) as told:
        for each in told:
            counts[each.part] += each.cases
            if each.found is not None:
                return counts, each.found
    return counts, None


@contextmanager
def _told(
    cases: int, seed: int, parts: tuple[str, ...], jobs: int, machines: Machines | None
) -> Iterator[Iterable[Told]]:
    """Yield the results of the ranges in their order; those that are not taken are given up."""
    if machines is not None:
        told = in_turn(machines, searched, str(seed), ranges(cases, parts))
        try:
            yield told
        finally:
            told.close()
        return
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        try:
            yield pool.map(partial(searched, str(seed)), ranges(cases, parts))
        finally:
            pool.shutdown(cancel_futures=True)
