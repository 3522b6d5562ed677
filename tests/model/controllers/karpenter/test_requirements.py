"""Sets of label values against the values that they name one by one; choices against all their results"""

from itertools import chain, combinations, product

import pytest

from schedcheck.model.controllers.karpenter.choosing import Choices, every
from schedcheck.model.controllers.karpenter.requirements import Values, compatible, intersect, values_of
from schedcheck.spec.terms import Requirement

ALPHABET = "abc"
"""Three values stand for all: no set names the last, so that it is any other one."""
SETS = [
    Values(complement, frozenset(named))
    for complement in (False, True)
    for named in chain.from_iterable(combinations("ab", size) for size in range(3))
]


def members(values: Values) -> set[str]:
    return {each for each in ALPHABET if values.has(each)}


@pytest.mark.parametrize(("left", "right"), list(product(SETS, SETS)))
def test_the_common_values_are_those_of_both(left: Values, right: Values) -> None:
    assert members(left.meeting(right)) == members(left) & members(right)
    assert left.meets(right) == bool(members(left) & members(right))


@pytest.mark.parametrize("values", SETS)
def test_a_set_is_negative_if_a_node_without_the_label_passes(values: Values) -> None:
    operator = {(False, True): "In", (False, False): "DoesNotExist", (True, True): "NotIn", (True, False): "Exists"}
    name = operator[values.complement, bool(values.named)]
    assert values.negative == (name in ("NotIn", "DoesNotExist"))
    assert values_of(Requirement("k", name, tuple(sorted(values.named)))) == values
    assert values.only == (next(iter(values.named)) if name == "In" and len(values.named) == 1 else None)


@pytest.mark.parametrize("values", SETS)
def test_an_undefined_label_is_denied_unless_it_may_be_undefined(values: Values) -> None:
    assert compatible({}, {"k": values}) == values.negative
    assert compatible({}, {"k": values}, frozenset({"k"}))


@pytest.mark.parametrize(("left", "right"), list(product(SETS, SETS)))
def test_labels_that_both_deny_are_compatible_though_nothing_is_common(left: Values, right: Values) -> None:
    assert intersect({"k": left}, {"k": right}) == (left.meets(right) or (left.negative and right.negative))


def test_every_way_of_choosing_is_found_once() -> None:
    def run(choices: Choices) -> tuple[str, ...]:
        first = choices.of("xy")
        return (first, *choices.order("abc")) if first == "x" else (first, choices.of("pq"))

    found = list(every(run))
    assert len(found) == len(set(found)) == 6 + 2
    assert {each for each in found if each[0] == "y"} == {("y", "p"), ("y", "q")}
