"""Classes of places that agree in some columns equal those of a comparison place by place"""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from schedcheck.checker.vectors import classes
from schedcheck.checker.vectors.classes import Classes, Numbers, alike, combined

VALUES = st.one_of(st.integers(-3, 3), st.sampled_from((-(2**63), 2**62, 2**63 - 1)))
LARGE = st.one_of(st.integers(-3, 3), st.sampled_from((2**64, 2**70)))
KINDS = ((st.booleans(), np.bool_), (VALUES, np.int64), (LARGE, object))


@st.composite
def columns(draw: st.DrawFn) -> tuple[list[Numbers], int]:
    """Some columns of truth values, of words, and of larger integers, and their length."""
    places = draw(st.integers(0, 12))
    kinds = draw(st.lists(st.sampled_from(KINDS), max_size=5))
    return [
        np.array(draw(st.lists(values, min_size=places, max_size=places)), kind) for values, kind in kinds
    ], places  # fmt: skip


def one_by_one(given: list[Numbers], places: int) -> tuple[list[int], list[int]]:
    """The number of each place's class in the order of their first places, and these places."""
    rows = [tuple(column[place] for column in given) for place in range(places)]
    seen = list(dict.fromkeys(rows))
    return [seen.index(row) for row in rows], [rows.index(row) for row in seen]


def told(made: Classes) -> tuple[list[int], list[int]]:
    return made.numbers.tolist(), made.first.tolist()


@given(columns())
@example(([np.arange(9) * 2**40, np.arange(9) % 2, np.arange(9) == 4], 9))
def test_combined_columns_give_the_classes_of_equal_rows(given: tuple[list[Numbers], int]) -> None:
    assert told(combined(*given)) == one_by_one(*given)


@given(st.lists(st.sampled_from("abc")))
def test_equal_values_are_one_class(values: list[str]) -> None:
    assert told(alike(values)) == one_by_one([np.array(values, object)], len(values))


@given(columns(), st.integers(0, 2))
def test_ranks_are_the_same_from_a_table_and_by_sorting(given: tuple[list[Numbers], int], sparse: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(classes, "SPARSE", sparse)
        assert told(combined(*given)) == one_by_one(*given)


def test_columns_whose_combinations_are_not_told_apart_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])]
    assert told(combined(rows, 4)) == one_by_one(rows, 4)
    numbered = classes._numbered
    monkeypatch.setattr(classes, "_numbered", lambda column: (numbered(column)[0], 1))
    assert told(combined(rows, 4)) != one_by_one(rows, 4)
