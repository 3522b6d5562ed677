"""Smaller questions and fewer things are found, and they are still wrong"""

from collections.abc import Sequence

import pytest
from hypothesis import strategies as st

from schedcheck.checker.foreign.trying import fewest, first_wrong


@pytest.mark.parametrize("needed", [(), (3,), (0, 9), (2, 3, 7), tuple(range(10))])
def test_fewest_keeps_what_is_needed_and_nothing_else(needed: tuple[int, ...]) -> None:
    asked: list[tuple[int, ...]] = []

    def enough(some: Sequence[int]) -> bool:
        asked.append(tuple(some))
        return set(needed) <= set(some)

    assert fewest(range(10), enough, most=0) == needed
    assert len(asked) < 60
    assert fewest(range(10), enough) == needed


def test_fewest_of_alternatives_is_the_smallest_of_few() -> None:
    def enough(some: Sequence[int]) -> bool:
        return {1, 5} <= set(some) or {6} <= set(some)

    assert fewest(range(8), enough) == (6,)


def test_fewest_leaves_out_things_that_only_go_together() -> None:
    def enough(some: Sequence[int]) -> bool:
        return (0 in some and {2, 4, 6}.isdisjoint(some)) or {0, 2, 4, 6} <= set(some)

    assert fewest(range(7), enough, most=0) == (0, 2, 4, 6)
    assert fewest(range(7), enough) == (0,)


def test_first_wrong_question_is_made_small() -> None:
    looked: list[tuple[int, bool]] = []

    def look(number: int, smaller: bool) -> str | None:
        looked.append((number, smaller))
        return "large" if number >= 17 else None

    assert first_wrong(st.integers(0, 1000), 100, 1, look) == (17, "large")
    assert [smaller for _, smaller in looked] == sorted(smaller for _, smaller in looked)
    assert sum(not smaller for _, smaller in looked) <= 100


def test_a_smaller_question_with_another_fault_is_not_taken() -> None:
    def look(number: int, smaller: bool) -> str | None:
        return "even" if number % 2 == 0 and number > 10 else "odd" if number % 2 else None

    found = first_wrong(st.integers(0, 1000), 100, 0, look)
    assert found in ((12, "even"), (1, "odd"))


def test_nothing_wrong_is_none_after_all_questions() -> None:
    count = [0]

    def look(number: int, smaller: bool) -> None:
        count[0] += 1

    assert first_wrong(st.integers(0, 10**9), 50, 0, look) is None
    assert count == [50]


def test_what_looking_raises_ends_the_questions() -> None:
    class End(BaseException):
        pass

    def look(number: int, smaller: bool) -> str | None:
        raise End

    with pytest.raises(End):
        first_wrong(st.integers(), 10, 0, look)


def test_same_seed_asks_the_same_questions() -> None:
    def asked(start: int) -> list[int]:
        found: list[int] = []
        first_wrong(st.integers(0, 10**9), 20, start, lambda number, _: found.append(number))
        return found

    assert asked(5) == asked(5) != asked(6)
