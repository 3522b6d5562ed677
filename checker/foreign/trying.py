"""Random questions until one shows something wrong, shrunk by Hypothesis: `first_wrong`; smaller sets of things: `fewest`."""

from collections.abc import Callable, Hashable, Sequence
from itertools import combinations
from typing import TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky

Question = TypeVar("Question")
Thing = TypeVar("Thing")

Look = Callable[[Question, bool], Hashable | None]
"""Says what is wrong with a question, None if nothing is; the second argument: the question is a smaller one."""


class _Wrong(Exception):
    """Something is wrong, which Hypothesis takes for a failed test."""


def first_wrong(
    strategy: st.SearchStrategy[Question], count: int, start: int, look: Look[Question]
) -> tuple[Question, Hashable] | None:
    """Look at up to `count` questions drawn from the seed `start`; return the first wrong one, made small.

    It is made smaller as long as the same is wrong with it. What else `look` raises is passed on.
    """
    found: list[tuple[Question, Hashable]] = []

    @seed(start)
    @settings(
        max_examples=count, database=None, deadline=None, derandomize=False, report_multiple_bugs=False, print_blob=False,
        phases=[Phase.generate, Phase.shrink], suppress_health_check=list(HealthCheck), verbosity=Verbosity.quiet,
    )  # fmt: skip
    @given(strategy)
    def test(question: Question) -> None:
        said = look(question, found != [])
        if said is not None and (not found or said == found[-1][1]):
            found.append((question, said))
            raise _Wrong

    try:
        test()
    except (_Wrong, Flaky):
        return found[-1]
    return None


def fewest(things: Sequence[Thing], enough: Callable[[Sequence[Thing]], bool], most: int = 8) -> tuple[Thing, ...]:
    """Return some of the things, in order, which are enough, while no chunk of them can be left out.

    All things together are enough. Chunks get smaller down to single things; of at most `most` things that are left,
    every set is tried, so that no smaller one is enough.
    """
    kept = _without_chunks(tuple(things), enough)
    if len(kept) > most:
        return kept
    smaller = (some for size in range(len(kept)) for some in combinations(kept, size))
    return next((some for some in smaller if enough(some)), kept)


def _without_chunks(kept: tuple[Thing, ...], enough: Callable[[Sequence[Thing]], bool]) -> tuple[Thing, ...]:
    size = len(kept)
    while size:
        place, left_out = 0, False
        while place < len(kept):
            fewer = (*kept[:place], *kept[place + size :])
            if enough(fewer):
                kept, left_out = fewer, True
            else:
                place += size
        size = size // 2 if size > 1 else int(left_out)
    return kept
