"""TLC's order of values: which one CHOOSE takes, and how sets are printed.

Model values come first, by name. FALSE comes before TRUE; numbers and strings have their usual order. Of two sets,
sequences or functions, the smaller comes first, then the one with the lesser first element. For functions, domains are
compared before values. TLC orders strings by when it first read them, which the text does not show; here they are
ordered alphabetically.
"""

from collections.abc import Iterable
from functools import cmp_to_key, lru_cache

from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.values import (
    TRUE,
    FiniteSet,
    Function,
    LazySet,
    ModelValue,
    Truth,
    Value,
    kind,
    short,
    unlike,
    whole,
)


def compare(left: Value, right: Value) -> int:
    """Return the sign of TLC's order: negative, zero or positive. Raises Unevaluable if TLC could not compare."""
    if left is right:
        return 0
    if isinstance(left, ModelValue) or isinstance(right, ModelValue):
        return _with_model_values(left, right)
    if kind(left) != kind(right):
        raise unlike(left, right)
    left, right = whole(left), whole(right)
    match left:
        case Truth():
            return (left is TRUE) - (right is TRUE)
        case int() | str():
            return int(left > right) - int(left < right)
        case FiniteSet():
            return _each(ordered(left), ordered(right))
        case tuple() if isinstance(right, tuple):
            return _each(left, right)
    return _functions(left, right)


def _with_model_values(left: Value, right: Value) -> int:
    if isinstance(left, ModelValue) and isinstance(right, ModelValue):
        return (left.name > right.name) - (left.name < right.name)
    return -1 if isinstance(left, ModelValue) else 1


def _each(left: tuple[Value, ...], right: tuple[Value, ...]) -> int:
    """Compare two tuples by length, then by the first elements that differ."""
    if len(left) != len(right):
        return len(left) - len(right)
    return next((order for order in map(compare, left, right) if order), 0)


def _functions(left: "tuple[Value, ...] | Function", right: "tuple[Value, ...] | Function") -> int:
    if len(left) != len(right):
        return len(left) - len(right)
    ours, theirs = domain(left), domain(right)
    if ours is theirs:
        unlike_at = next((each for each in ours if left[each] != right[each]), None)
        return 0 if unlike_at is None else compare(left[unlike_at], right[unlike_at])
    return _each(ours, theirs) or _each(
        tuple(applied(left, each) for each in ours), tuple(applied(right, each) for each in theirs)
    )


def domain(of: "tuple[Value, ...] | Function") -> tuple[Value, ...]:
    """Return the sorted domain of a function that is not lazy."""
    return tuple(range(1, len(of) + 1)) if isinstance(of, tuple) else _ordered_once(tuple(of))


@lru_cache(maxsize=4096)
def _ordered_once(arguments: tuple[Value, ...]) -> tuple[Value, ...]:
    return in_order(arguments)


def applied(of: "tuple[Value, ...] | Function", argument: Value) -> Value:
    """Return the value of a function at an element of its domain."""
    return of[argument - 1] if isinstance(of, tuple) else of[argument]


_key = cmp_to_key(compare)


def in_order(values: Iterable[Value]) -> tuple[Value, ...]:
    """Return the values in TLC's order. Raises Unevaluable if TLC could not compare them."""
    listed = list(values)
    kinds = set(map(type, listed))
    if len(listed) < 2:
        return tuple(listed)
    if kinds == {int} or kinds == {str}:
        return tuple(sorted(listed))
    return tuple(sorted(listed, key=_key))


def ordered(elements: FiniteSet) -> tuple[Value, ...]:
    """Return the elements of a set in TLC's order, computed once."""
    try:
        return elements.ordered
    except AttributeError:
        elements.ordered = in_order(getattr(elements, "listed", elements))
        return elements.ordered


def listed(elements: Value) -> Iterable[Value]:
    """Return the elements that a quantifier ranges over. Raises Unevaluable if it is no set, or too large."""
    if type(elements) is FiniteSet:
        try:
            return elements.ordered
        except AttributeError:
            return ordered(elements)
    if isinstance(elements, LazySet):
        return iter(elements)
    raise Unevaluable(f"{short(elements)} is no set")
