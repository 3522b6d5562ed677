"""Laws of values: equality, hashing, order and membership agree for every representation of a value"""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from schedcheck.checker.language.evaluation.evaluator import Session, evaluated
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.syntax.parser import parsed_expression
from schedcheck.checker.language.values.combining import common, subset, united, without
from schedcheck.checker.language.values.equality import equal, member
from schedcheck.checker.language.values.lazy import Functions, Interval, Products, Sequences, Subsets
from schedcheck.checker.language.values.ordering import compare, in_order
from schedcheck.checker.language.values.showing import shown
from schedcheck.checker.language.values.values import (
    FALSE,
    TRUE,
    FiniteSet,
    Function,
    LazyFunction,
    ModelValue,
    Truth,
    finite_set,
    function,
)

TRUTHS = some.sampled_from((FALSE, TRUE))
NUMBERS = some.integers(-3, 3)
STRINGS = some.sampled_from(("", "a", "b", 'q"uote'))
ATOMS = some.one_of(TRUTHS, NUMBERS, STRINGS)


def alike(of: some.SearchStrategy[Any]) -> some.SearchStrategy[Any]:
    """Values built from `of`, all of one shape, so that they are comparable."""
    return some.one_of(
        some.lists(of, max_size=3).map(finite_set),
        some.lists(of, max_size=3).map(tuple),
        some.fixed_dictionaries({"f": of, "g": of}).map(function),
    )


SHAPES = [NUMBERS, STRINGS, TRUTHS]
SHAPES += [some.lists(each, max_size=3).map(finite_set) for each in SHAPES]
SHAPES += [some.lists(each, max_size=2).map(tuple) for each in SHAPES]
SHAPES += [some.fixed_dictionaries({"f": each}).map(function) for each in SHAPES]
PAIRS = some.sampled_from(SHAPES).flatmap(lambda each: some.tuples(each, each, each))
INTERVALS = some.tuples(some.integers(-2, 3), some.integers(-2, 3))


@given(PAIRS)
def test_the_order_is_total_and_agrees_with_equality(values: tuple[Any, Any, Any]) -> None:
    one, two, three = values
    assert compare(one, two) == -compare(two, one) or compare(one, two) * compare(two, one) < 0
    assert (compare(one, two) == 0) is (one == two)
    if compare(one, two) <= 0 and compare(two, three) <= 0:
        assert compare(one, three) <= 0


@given(PAIRS)
def test_equal_values_have_equal_hashes(values: tuple[Any, Any, Any]) -> None:
    one, two, _ = values
    assert equal(one, two) is (shown(one) == shown(two))
    if one == two:
        assert hash(one) == hash(two)


@given(PAIRS)
def test_the_order_of_a_set_does_not_depend_on_its_construction(values: tuple[Any, Any, Any]) -> None:
    assert in_order(finite_set(values)) == in_order(finite_set(reversed(values)))


@given(ATOMS, ATOMS)
def test_values_of_different_kinds_cannot_be_compared(one: Any, two: Any) -> None:
    if type(one) is not type(two):
        with pytest.raises(Unevaluable):
            equal(one, two)
        with pytest.raises(Unevaluable):
            finite_set((one, two))
        with pytest.raises(Unevaluable):
            member(one, FiniteSet((two,)))
        with pytest.raises(Unevaluable):
            equal((one,), (two,))


@given(some.one_of(ATOMS, alike(NUMBERS)))
def test_a_model_value_differs_from_every_other_value(value: Any) -> None:
    nobody = ModelValue.named("nobody")
    assert not equal(nobody, value)
    assert equal(nobody, ModelValue.named("nobody"))
    assert len(finite_set((nobody, value))) == 2
    assert compare(nobody, value) < 0 < compare(value, nobody)


@given(INTERVALS)
def test_an_interval_equals_the_set_of_its_numbers(bounds: tuple[int, int]) -> None:
    written = FiniteSet(range(bounds[0], bounds[1] + 1))
    lazy = Interval(*bounds)
    assert lazy == written
    assert written == lazy
    assert hash(lazy) == hash(written)
    assert list(lazy) == list(in_order(written))
    assert lazy.size() == len(written)


@given(some.frozensets(some.integers(0, 3), max_size=3), some.frozensets(some.integers(0, 3), max_size=2))
def test_lazy_sets_equal_the_explicit_ones(one: frozenset[int], two: frozenset[int]) -> None:
    left, right = FiniteSet(one), FiniteSet(two)
    for lazy in (Subsets(left), Functions(left, right), Products((left, right)), Products((left, right), ("b", "a"))):
        elements = list(lazy)
        assert len(elements) == lazy.size() == len(set(elements))
        assert all(each in lazy for each in elements)
        assert lazy == finite_set(elements)
        assert hash(lazy) == hash(finite_set(elements))
        assert elements == list(in_order(elements))
    assert (left in Subsets(right)) is (one <= two)


@given(some.frozensets(some.integers(0, 4)), some.frozensets(some.integers(0, 4)), INTERVALS)
def test_set_operations_agree_with_python(one: frozenset[int], two: frozenset[int], bounds: tuple[int, int]) -> None:
    for right in (FiniteSet(two), Interval(*bounds)):
        numbers = frozenset(right)
        left = FiniteSet(one)
        assert united(left, right) == FiniteSet(one | numbers)
        assert common(left, right) == FiniteSet(one & numbers)
        assert without(left, right) == FiniteSet(one - numbers)
        assert subset(left, right) is (one <= numbers)


@given(some.lists(NUMBERS, max_size=4))
def test_a_function_on_1_to_n_is_a_sequence(values: list[int]) -> None:
    made = function(dict(enumerate(values, 1)))
    assert made == tuple(values)
    assert type(made) is tuple
    lazily = LazyFunction(Interval(1, len(values)), lambda number: values[number - 1])
    assert lazily == made
    assert made == lazily
    assert hash(lazily) == hash(made)
    assert made in Sequences(FiniteSet(values)) or not values


def test_a_function_on_true_is_not_a_sequence() -> None:
    assert type(function({TRUE: 1})) is Function
    assert function({TRUE: 1}) != (1,)


@pytest.mark.parametrize("change", [lambda f: f.__setitem__("a", 2), lambda f: f.clear(), lambda f: f.pop("a")])
def test_a_function_is_immutable(change: Callable[[Any], Any]) -> None:
    made = function({"a": 1})
    with pytest.raises(TypeError):
        change(made)
    assert made == Function({"a": 1})


def test_a_tla_boolean_is_not_a_python_boolean() -> None:
    assert isinstance(TRUE, Truth)
    assert TRUE != 1
    assert FALSE != 0
    with pytest.raises(TypeError):
        bool(TRUE)


SESSION = Session({}, None)


@given(some.sampled_from(SHAPES).flatmap(lambda each: each))
def test_a_printed_value_is_read_back(value: Any) -> None:
    assert evaluated(parsed_expression(shown(value)), SESSION.universe) == value
