"""Equality of values, and the pairs for which it is undefined: TLC does not compare values of different kinds."""

from collections.abc import Iterable

from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.values import (
    FiniteSet,
    Function,
    LazySet,
    ModelValue,
    Value,
    kind,
    short,
    unlike,
)


def equal(left: Value, right: Value) -> bool:
    """Whether two values are equal. Raises Unevaluable if TLC could not compare them."""
    if left is right:
        return True
    same: bool = left == right
    if not same:
        differ(left, right)
    return same


def differ(left: Value, right: Value) -> None:
    """Raise Unevaluable unless two values that Python finds unequal are certainly different.

    They are not certainly different if they differ only in parts of different kinds, such as 1 and "a".
    """
    if _doubtful(left, right):
        raise unlike(left, right)


def _doubtful(left: Value, right: Value) -> bool:
    """Whether two unequal values differ only in parts of different kinds."""
    type_ = type(left)
    if type_ is not type(right):
        if isinstance(left, ModelValue) or isinstance(right, ModelValue):
            return False
        return kind(left) != kind(right)
    if type_ is tuple:
        return len(left) == len(right) and _all_doubtful(zip(left, right, strict=True))
    if type_ is Function:
        return left.keys() == right.keys() and _all_doubtful((known, right[each]) for each, known in left.items())
    if type_ is FiniteSet:
        return len(left) == len(right) and _all_unlike(left - right, right - left)
    return False


def _all_doubtful(pairs: Iterable[tuple[Value, Value]]) -> bool:
    for left, right in pairs:  # noqa: SIM110  a generator would take twice as long
        if not (left is right or left == right or _doubtful(left, right)):
            return False
    return True


def _all_unlike(left: Iterable[Value], right: Iterable[Value]) -> bool:
    """Whether no element of one set can be compared with an element of the other; False if there are model values."""
    kinds = {kind(each) for each in left}, {kind(each) for each in right}
    return not any("model value" in each for each in kinds) and not kinds[0] & kinds[1]


def member(value: Value, elements: Value) -> bool:
    """Whether the value is an element of the set. Raises Unevaluable if TLC could not tell, or it is no set."""
    if type(elements) is FiniteSet:
        if value in elements:
            return True
        if elements and type(value) is not ModelValue:
            for each in elements:
                if type(each) is type(value) or type(each) is ModelValue or kind(each) == kind(value):
                    return False
            raise unlike(value, next(iter(elements)))
        return False
    if isinstance(elements, LazySet):
        return value in elements
    raise Unevaluable(f"{short(elements)} is no set")
