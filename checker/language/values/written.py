"""Values as plain data of JSON, from which another process makes the same values: `written`, `made`.

TRUE, FALSE, strings and numbers are written as such, everything else as a list that begins with its kind.
"""

from typing import Any

from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.lazy import Interval
from schedcheck.checker.language.values.values import (
    TRUE,
    FiniteSet,
    Function,
    LazyFunction,
    LazySet,
    ModelValue,
    Truth,
    Value,
    in_order_already,
    truth,
    whole,
)

Plain = Any
"""What JSON can say: a boolean, a number, a string, or a list of these."""

LONG = 2_000
"""The number of bits from which Python might refuse to write a number in digits."""


def written(value: Value) -> Plain:
    """Return the value as plain data. Raises Unevaluable if it cannot be stored, as an infinite set."""
    if isinstance(value, Interval):
        return ["interval", written(value.low), written(value.high)]
    if isinstance(value, LazySet | LazyFunction):
        value = whole(value)
    match value:
        case Truth():
            return value is TRUE
        case str():
            return value
        case int():
            return value if value.bit_length() < LONG else ["long", hex(value)]
        case ModelValue():
            return ["model value", value.name]
        case tuple():
            return ["tuple", *map(written, value)]
        case FiniteSet():
            return _written_set(value)
        case Function():
            return ["function", *([written(argument), written(each)] for argument, each in value.items())]
    raise Unevaluable(f"{value!r} cannot be stored")


def _written_set(value: FiniteSet) -> Plain:
    known = getattr(value, "ordered", None)
    return ["set", *map(written, value)] if known is None else ["ordered", *map(written, known)]


def made(plain: Plain) -> Value:
    """Return the value that was written as this."""
    if not isinstance(plain, list):
        return truth(plain) if isinstance(plain, bool) else plain
    kind, *parts = plain
    match kind:
        case "interval":
            return Interval(made(parts[0]), made(parts[1]))
        case "long":
            return int(parts[0], 16)
        case "model value":
            return ModelValue.named(parts[0])
        case "tuple":
            return tuple(map(made, parts))
        case "set":
            return FiniteSet(map(made, parts))
        case "ordered":
            return in_order_already(tuple(map(made, parts)))
        case "function":
            return Function({made(argument): made(value) for argument, value in parts})
    raise ValueError(f"{kind!r} is no kind of value")
