"""Selectors: each operator at its boundary, numbers up to the limits of 64 bits, and empty and null selectors"""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.checker.drawing.objects import labels, requirements
from schedcheck.spec.faults import NO_FAULTS, Fault
from schedcheck.spec.selectors import less, match_ns, match_term, numeral, selects
from schedcheck.spec.terms import LabelSelector, Requirement
from tests.support.building import node, node_term, selector

MOST, LEAST = 2**63 - 1, -(2**63)


@pytest.mark.parametrize(
    ("operator", "values", "on_a", "on_b", "on_none"),
    [
        ("In", ("a",), True, False, False),
        ("In", ("a", "b"), True, True, False),
        ("In", (), False, False, False),
        ("NotIn", ("a",), False, True, True),
        ("NotIn", ("a", "b"), False, False, True),
        ("NotIn", (), True, True, True),
        ("Exists", (), True, True, False),
        ("DoesNotExist", (), False, False, True),
        ("Gt", ("0",), False, False, False),
        ("Lt", ("0",), False, False, False),
        ("Exits", (), False, False, False),
        ("in", ("a",), False, False, False),
        ("", ("a",), False, False, False),
    ],
)
def test_each_operator_on_a_matching_another_and_a_missing_value(
    operator: str, values: tuple[str, ...], on_a: bool, on_b: bool, on_none: bool
) -> None:
    requirement = Requirement("key", operator, values)
    found = [match_ns(requirement, labels, NO_FAULTS) for labels in ({"key": "a"}, {"key": "b"}, {"other": "a"})]
    assert found == [on_a, on_b, on_none]


@pytest.mark.parametrize(
    ("label", "value", "greater", "lesser"),
    [
        ("6", "5", True, False),
        ("5", "5", False, False),
        ("4", "5", False, True),
        ("10", "9", True, False),
        ("-1", "0", False, True),
        ("+5", "05", False, False),
        ("-0", "0", False, False),
        ("5", "x", False, False),
        ("x", "5", False, False),
        ("", "5", False, False),
        ("5", "", False, False),
        ("5.0", "4", False, False),
        ("5 ", "4", False, False),
        ("1_0", "4", False, False),
        ("٥", "4", False, False),
        (str(MOST), str(MOST - 1), True, False),
        (str(LEAST), str(LEAST + 1), False, True),
        (str(MOST + 1), "0", False, False),
        (str(LEAST - 1), "0", False, False),
        ("0" * 30 + "7", "6", True, False),
    ],
)
def test_gt_and_lt_compare_only_64_bit_integers(label: str, value: str, greater: bool, lesser: bool) -> None:
    assert match_ns(Requirement("key", "Gt", (value,)), {"key": label}, NO_FAULTS) == greater
    assert match_ns(Requirement("key", "Lt", (value,)), {"key": label}, NO_FAULTS) == lesser


def test_gt_must_exceed_every_value_and_lt_be_below_every_one() -> None:
    """As printed: above the maximum of the values."""
    assert match_ns(Requirement("key", "Gt", ("1", "3")), {"key": "4"}, NO_FAULTS)
    assert not match_ns(Requirement("key", "Gt", ("1", "3")), {"key": "2"}, NO_FAULTS)
    assert match_ns(Requirement("key", "Lt", ("1", "3")), {"key": "0"}, NO_FAULTS)
    assert not match_ns(Requirement("key", "Lt", ("1", "3")), {"key": "2"}, NO_FAULTS)


@given(st.integers(-(2**65), 2**65))
def test_a_64_bit_integer_is_parsed_as_written(number: int) -> None:
    assert numeral(str(number)) == (number if LEAST <= number <= MOST else None)


@given(st.text("+-0123456789 _x", max_size=6))
def test_a_text_that_python_cannot_read_as_an_integer_is_none(text: str) -> None:
    assert (numeral(text) is None) or int(text) == numeral(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9" * 1_000_000, None),
        ("-" + "9" * 1_000_000, None),
        ("0" * 1_000_000, 0),
        ("-" + "0" * 1_000_000 + "7", -7),
        ("+-1", None),
        ("--1", None),
        ("+", None),
    ],
    ids=["nines", "negative nines", "zeros", "zeros before a seven", "two signs", "two minus", "a sign"],
)
def test_a_huge_numeral_is_parsed_at_once(text: str, value: int | None) -> None:
    before = time.perf_counter()
    assert numeral(text) == value
    assert time.perf_counter() - before < 1


@given(requirements(), labels())
def test_opposite_operators_disagree(requirement: Requirement, found: dict[str, str]) -> None:
    for one, other in (("In", "NotIn"), ("Exists", "DoesNotExist")):
        key, values = requirement.key, requirement.values
        assert match_ns(Requirement(key, one, values), found, NO_FAULTS) != match_ns(
            Requirement(key, other, values), found, NO_FAULTS
        )


@given(st.integers(-9, 9).map(str) | st.just("x"), st.integers(-9, 9).map(str) | st.just("y"))
def test_less_is_the_order_of_integers(text: str, other: str) -> None:
    numbers = not {"x", "y"} & {text, other}
    assert less(text, other, NO_FAULTS) == (numbers and int(text) < int(other))


# Terms.

A, B = Requirement("a", "Exists"), Requirement("b", "Exists")
NAMED = Requirement("metadata.name", "In", ("n",))


def test_a_term_needs_all_its_requirements() -> None:
    assert match_term(node_term(A, B), node("n", labels={"a": "", "b": ""}), NO_FAULTS)
    assert not match_term(node_term(A, B), node("n", labels={"a": ""}), NO_FAULTS)


def test_a_term_without_requirements_matches_no_node() -> None:
    assert not match_term(node_term(), node("n"), NO_FAULTS)


def test_fields_and_labels_must_both_match() -> None:
    assert match_term(node_term(fields=[NAMED]), node("n"), NO_FAULTS)
    assert not match_term(node_term(fields=[NAMED]), node("m"), NO_FAULTS)
    assert match_term(node_term(A, fields=[NAMED]), node("n", labels={"a": ""}), NO_FAULTS)
    assert not match_term(node_term(A, fields=[NAMED]), node("n"), NO_FAULTS)
    assert not match_term(node_term(A, fields=[NAMED]), node("m", labels={"a": ""}), NO_FAULTS)


def test_a_label_with_the_name_of_a_field_is_not_that_field() -> None:
    assert not match_term(node_term(NAMED), node("n"), NO_FAULTS)
    assert match_term(node_term(NAMED), node("m", labels={"metadata.name": "n"}), NO_FAULTS)


def test_metadata_name_is_the_only_field() -> None:
    unknown = Requirement("metadata.namespace", "DoesNotExist")
    assert match_term(node_term(fields=[unknown]), node("n"), NO_FAULTS)
    assert not match_term(node_term(fields=[Requirement("metadata.uid", "Exists")]), node("n"), NO_FAULTS)


def test_as_printed_one_matching_requirement_is_enough_and_none_is_too_few() -> None:
    printed = frozenset({Fault.REQUIREMENT_FOR_TERM})
    assert match_term(node_term(A, B), node("n", labels={"b": ""}), printed)
    assert match_term(node_term(A, fields=[NAMED]), node("n"), printed)
    assert not match_term(node_term(A, B), node("n"), printed)
    assert not match_term(node_term(), node("n"), printed)


# Label selectors.


def test_a_null_selector_selects_nothing_and_an_empty_one_everything() -> None:
    for found in ({}, {"a": "b"}):
        assert not selects(None, found, NO_FAULTS)
        assert selects(LabelSelector(), found, NO_FAULTS)


def test_all_labels_and_all_expressions_must_match() -> None:
    both = selector(Requirement("b", "In", ("2",)), a="1")
    assert selects(both, {"a": "1", "b": "2", "c": "3"}, NO_FAULTS)
    assert not selects(both, {"a": "1", "b": "1"}, NO_FAULTS)
    assert not selects(both, {"a": "2", "b": "2"}, NO_FAULTS)
    assert not selects(both, {"b": "2"}, NO_FAULTS)


def test_a_label_with_an_empty_value_is_not_a_missing_label() -> None:
    assert selects(selector(a=""), {"a": ""}, NO_FAULTS)
    assert not selects(selector(a=""), {}, NO_FAULTS)
