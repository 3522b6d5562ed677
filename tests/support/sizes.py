"""Two sizes of a test: a part that the quick tests run, and the whole that `make slow` runs"""

from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def quick_but(slow: Collection[str], every: Iterable[str]) -> tuple[Any, ...]:
    """The cases of a test, of which those named `slow` are marked medium. Raises: ValueError if there is no such case."""
    cases = tuple(every)
    if unknown := set(slow) - set(cases):
        raise ValueError(f"no case is named {', '.join(sorted(unknown))}")
    return tuple(pytest.param(each, marks=pytest.mark.medium) if each in slow else each for each in cases)


def part_and_whole(part: int, whole: int) -> tuple[Any, ...]:
    """The two sizes, as values of one parameter of a test."""
    return part, pytest.param(whole, marks=pytest.mark.medium)


def on_examples(number: int, strategy: st.SearchStrategy[Any], check: Callable[[Any], None]) -> None:
    """Check as many examples; health checks are off, as most of these tests draw large clusters. Raises: what `check` raises."""
    settings(max_examples=number, suppress_health_check=list(HealthCheck))(given(strategy)(check))()
