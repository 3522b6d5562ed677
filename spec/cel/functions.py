"""The operators, functions and methods that an expression of CEL may call: `FUNCTIONS`, `METHODS`.

Kubernetes 1.37: the standard library of cel-go, its extensions for strings, lists, sets and optional values, and
quantities and versions of k8s.io/apiserver/pkg/cel/library. A function that is in neither table is not modelled.
"""

import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from schedcheck.spec.cel import library, texts
from schedcheck.spec.cel.regular_expressions import matches
from schedcheck.spec.cel.syntax import Unsupported
from schedcheck.spec.cel.values import NO_OVERLOAD, NONE, CelError, Function, Maybe, equal, is_number, typed, whole
from schedcheck.spec.quantities import INT64


def _int64(value: int) -> int:
    if not -INT64 <= value < INT64:
        raise CelError("integer overflow")
    return value


def _kind(value: Any) -> type:
    return float if is_number(value) else type(value)


def _compared(holds: Callable[[Any, Any], bool]) -> Function:
    def relation(left: Any, right: Any) -> bool:
        if _kind(left) is not _kind(right) or not isinstance(left, bool | int | float | str):
            raise CelError(NO_OVERLOAD)
        return bool(holds(left, right))

    return relation


def _added(left: Any, right: Any) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    if isinstance(left, tuple) and isinstance(right, tuple):
        return left + right
    return _arithmetic(operator.add)(left, right)


def _arithmetic(made: Callable[[Any, Any], Any]) -> Function:
    def calculated(left: Any, right: Any) -> Any:
        if not (is_number(left) and is_number(right)) or type(left) is not type(right):
            raise CelError(NO_OVERLOAD)
        return _int64(made(left, right)) if isinstance(left, int) else made(left, right)

    return calculated


def _divided(left: Any, right: Any) -> Any:
    if isinstance(left, float) and isinstance(right, float) and right == 0:
        return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left) * math.copysign(1, right)
    if type(left) is int and type(right) is int and right == 0:
        raise CelError("division by zero")
    return _arithmetic(lambda a, b: a / b if isinstance(a, float) else _truncated(a, b))(left, right)


def _remainder(left: Any, right: Any) -> int:
    if type(left) is not int or type(right) is not int:
        raise CelError(NO_OVERLOAD)
    if right == 0:
        raise CelError("modulus by zero")
    return left - right * _truncated(left, right)


def _truncated(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _minus(value: Any) -> Any:
    if not is_number(value):
        raise CelError(NO_OVERLOAD)
    return _int64(-value) if isinstance(value, int) else -value


def _not(value: Any) -> bool:
    if not isinstance(value, bool):
        raise CelError(NO_OVERLOAD)
    return not value


def _in(left: Any, right: Any) -> bool:
    if not isinstance(right, tuple | Mapping):
        raise CelError(NO_OVERLOAD)
    return any(_same(each, left) for each in right)


def _same(left: Any, right: Any) -> bool:
    """Whether two values are equal; values that cannot be compared are not."""
    try:
        return equal(left, right)
    except CelError:
        return False


def _size(value: Any) -> int:
    if not isinstance(value, str | tuple | Mapping):
        raise CelError(NO_OVERLOAD)
    return len(value)


def _to_int(value: Any) -> int:
    if isinstance(value, float) and not (math.isfinite(value) and -INT64 < value < INT64):
        raise CelError("integer overflow")
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]+", value):
        number = whole(value.lstrip("+-")) * (-1 if value[0] == "-" else 1)
        if -INT64 <= number < INT64:
            return number
    if not is_number(value):
        raise CelError(NO_OVERLOAD if not isinstance(value, str) else "type conversion error from 'string' to 'int'")
    return int(value)


def _to_double(value: Any) -> float:
    if is_number(value):
        return float(value)
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?", value):
        return float(value)
    raise Unsupported("CEL function double of a text")


def _to_string(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | str):
        return str(value)
    raise Unsupported("CEL function string of this value")


@typed(Maybe)
def _value(value: Maybe) -> Any:
    if not value.present:
        raise CelError("optional.none() dereference")
    return value.value


def _of_non_zero(value: Any) -> Maybe:
    zero = value in ("", (), {}) or value is None or value is False or (is_number(value) and value == 0)
    return NONE if zero else Maybe(True, value)


@typed(tuple, tuple)
def _contains_all(items: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    return all(_in(each, items) for each in wanted)


@typed(tuple, tuple)
def _intersects(items: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    return any(_in(each, items) for each in others)


FUNCTIONS: Final[dict[tuple[str, int], Function]] = {
    ("==", 2): equal,
    ("!=", 2): lambda left, right: not _same(left, right),
    ("<", 2): _compared(operator.lt),
    ("<=", 2): _compared(operator.le),
    (">", 2): _compared(operator.gt),
    (">=", 2): _compared(operator.ge),
    ("in", 2): _in,
    ("+", 2): _added,
    ("-", 2): _arithmetic(operator.sub),
    ("*", 2): _arithmetic(operator.mul),
    ("/", 2): _divided,
    ("%", 2): _remainder,
    ("-", 1): _minus,
    ("!", 1): _not,
    ("size", 1): _size,
    ("int", 1): _to_int,
    ("double", 1): _to_double,
    ("string", 1): _to_string,
    ("dyn", 1): lambda value: value,
    ("matches", 2): matches,
    **library.FUNCTIONS,
    ("optional.of", 1): lambda value: Maybe(True, value),
    ("optional.ofNonZeroValue", 1): _of_non_zero,
    ("optional.none", 0): lambda: NONE,
    ("sets.contains", 2): _contains_all,
    ("sets.intersects", 2): _intersects,
    ("sets.equivalent", 2): lambda left, right: _contains_all(left, right) and _contains_all(right, left),
}
"""The operators and functions, by name and number of arguments."""

METHODS: Final[dict[tuple[str, int], Function]] = {
    ("size", 0): _size,
    ("matches", 1): matches,
    **texts.METHODS,
    **library.METHODS,
    ("hasValue", 0): typed(Maybe)(lambda value: value.present),
    ("value", 0): _value,
}
"""The methods, by name and number of arguments beside the target."""
