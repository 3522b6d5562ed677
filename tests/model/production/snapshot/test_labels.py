"""Selectors evaluated on single values and on columns of labels"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.checker.drawing import objects as strategies
from schedcheck.model.production.snapshot.labels import Column, LabelColumns, holds, integer, selects
from schedcheck.spec.terms import LabelSelector, Requirement


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0), ("-1", -1), ("+7", 7), ("007", 7), (str(2**63 - 1), 2**63 - 1), (str(-(2**63)), -(2**63)),
        (str(2**63), None), (str(-(2**63) - 1), None), ("0" * 40 + "5", 5), ("", None), ("1.5", None), ("x", None),
        (" 1", None), ("1_0", None), ("--1", None), ("\u0661", None),
    ],
)  # fmt: skip
def test_a_label_is_parsed_as_a_64_bit_integer_or_none(text: str, number: int | None) -> None:
    assert integer(text) == number


@pytest.mark.parametrize(
    ("operator", "values", "yes", "no"),
    [
        ("In", ("a", "b"), ["a", "b"], ["c", None]),
        ("NotIn", ("a",), ["b", None], ["a"]),
        ("Exists", (), ["", "a"], [None]),
        ("DoesNotExist", (), [None], ["", "a"]),
        ("Gt", ("5",), ["6", "10"], ["5", "4", "x", None]),
        ("Lt", ("5",), ["4", "-1"], ["5", "6", "x", None]),
        ("Gt", ("x",), [], ["6"]),
        ("Other", ("a",), [], ["a", None]),
    ],
)
def test_a_requirement_holds_for_exactly_these_values(
    operator: str, values: tuple[str, ...], yes: list[str | None], no: list[str | None]
) -> None:
    requirement = Requirement("k", operator, values)
    assert [value for value in (*yes, *no) if holds(requirement, value)] == yes


def test_a_null_selector_selects_nothing_and_an_empty_one_everything() -> None:
    assert not selects(None, {}) and selects(LabelSelector(), {}) and selects(LabelSelector(), {"a": "b"})


@given(st.lists(strategies.labels(), max_size=30), st.lists(strategies.label_selectors(), min_size=1, max_size=3))
def test_a_column_agrees_with_the_labels_of_each_row(rows: list[Any], selectors: list[Any]) -> None:
    """Also for rows added or replaced after the first query."""
    columns = LabelColumns(1)
    latest: dict[int, Any] = {}
    for number, labels in enumerate(rows):
        row = number % 20
        columns.put(row, labels)
        latest[row] = labels
        for selector in selectors:
            expected = [selects(selector, latest[each]) for each in sorted(latest)]
            assert columns.selected(selector, np.arange(len(latest))).tolist() == expected
            assert columns.selected(selector, slice(0, len(latest))).tolist() == expected


@given(
    st.lists(st.lists(st.sampled_from("abcde"), max_size=3), min_size=1, max_size=4),
    st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist"]),
    st.lists(st.sampled_from("abcdef"), max_size=4),
)
def test_a_column_also_answers_for_values_added_later(
    batches: list[list[str]], operator: str, wanted: list[str]
) -> None:
    column = Column(4)
    requirement = Requirement("key", operator, tuple(wanted))
    for batch in batches:
        for value in batch:
            column.number(value)
        expected = [holds(requirement, value) for value in column.values]
        assert column.answers(requirement).tolist() == expected


@pytest.mark.parametrize("row", [0, 7, 8, 20, 100])
def test_columns_grow_for_any_row(row: int) -> None:
    columns = LabelColumns(8)
    columns.put(row, {"key": "value"})
    assert columns.column("key").numbers[row] != 0
    assert np.count_nonzero(columns.column("key").numbers) == 1
