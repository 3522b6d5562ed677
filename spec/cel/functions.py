"""The operators, functions and methods that an expression of CEL may call: `FUNCTIONS`, `METHODS`.

Kubernetes 1.37: the standard library of cel-go, its extensions for strings, lists, sets and optional values, and
quantities and versions of k8s.io/apiserver/pkg/cel/library. A function that is in neither table is not modelled.
"""

import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from schedcheck.spec.cel.syntax import Unsupported
from schedcheck.spec.cel.values import (
    NO_OVERLOAD,
    NONE,
    Amount,
    CelError,
    Maybe,
    Version,
    equal,
    is_number,
    normalized_version,
    version,
)
from schedcheck.spec.quantities import INT64, Quantity, QuantityError

UNIT: Final = 10**9
RE2: Final = re.compile(
    r"(?:[^\\()\[\]{}?*+|^$]|\\[.+*?()|\[\]{}^$\\/_-]|\\[dDwW]|\(\?:|\((?!\?)|[)|^$]|\[\^?(?:[^\\\[\]]|\\[dwDW.$+*?_/\\-])+\]"
    r"|(?:[?*+]|\{\d{1,3}(?:,\d{0,3})?\})\??(?![?*+{]))*"
)
"""The regular expressions that RE2 and Python's `re` read alike: without lookaheads, flags, and counts above 999."""
REPEATED: Final = re.compile(
    r"[^(]\?[^()]*\)[*+{]|[*+{][^()]*\)[?]?[*+{]|\)[^()]*\)[*+{]|[*+{][^|]*[*+{][^|]*[*+{][^|]*[*+{]|\)[*+{].*\)[*+{]|\|.*\)[*+{]"
)
"""Repetitions within or beside others, for which `re` may need a time that is exponential in the text."""
ESCAPED: Final = re.compile(r"\\[\\\]].*\$|\$.*\\[\\\]]")
"""An escaped backslash or bracket beside `$`, of which `END` does not tell whether it stands for the end."""
END: Final = re.compile(r"(?<!\\)\$(?![^\[]*\])")
"""The end of the text; `$` of Python stands before a last line feed as well."""

Function = Callable[..., Any]


def _int64(value: int) -> int:
    if not -INT64 <= value < INT64:
        raise CelError("integer overflow")
    return value


def _kind(value: Any) -> type:
    return float if is_number(value) else type(value)


def _typed(*types: type) -> Callable[[Function], Function]:
    """Refuse arguments of other types, as cel-go does."""

    def decorated(function: Function) -> Function:
        def checked(*arguments: Any) -> Any:
            for value, wanted in zip(arguments, types, strict=True):
                if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
                    raise CelError(NO_OVERLOAD)
            return function(*arguments)

        return checked

    return decorated


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
    if isinstance(value, str) and re.fullmatch(r"[+-]?0*[0-9]{1,19}", value):
        digits = int(f"{value[:1].strip('0123456789')}{value.lstrip('+-0') or '0'}")
        if -INT64 <= digits < INT64:
            return digits
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


@_typed(str, str)
def _matches(text: str, pattern: str) -> bool:
    if RE2.fullmatch(pattern) is None or REPEATED.search(pattern) is not None or ESCAPED.search(pattern):
        raise Unsupported("this regular expression of CEL")
    try:
        return re.search(END.sub(r"\\Z", pattern), text, re.ASCII) is not None
    except (re.error, OverflowError) as error:
        raise Unsupported("this regular expression of CEL") from error


def _quantity(text: Any) -> Amount:
    if not isinstance(text, str):
        raise CelError(NO_OVERLOAD)
    try:
        return Amount(Quantity.parse(text).billionths())
    except QuantityError as error:
        raise CelError(str(error)) from error


def _is_quantity(text: Any) -> bool:
    if not isinstance(text, str):
        raise CelError(NO_OVERLOAD)
    try:
        Quantity.parse(text)
    except QuantityError:
        return False
    return True


def _read_version(text: str, normalize: bool) -> Version | None:
    return normalized_version(text) if normalize else version(text)


@_typed(str, bool)
def _semver(text: str, normalize: bool) -> Version:
    found = _read_version(text, normalize)
    if found is None:
        raise CelError("No Major.Minor.Patch elements found" if text.count(".") < 2 else f"Invalid version {text}")
    return found


@_typed(str, bool)
def _is_semver(text: str, normalize: bool) -> bool:
    return _read_version(text, normalize) is not None


def _ordered(holds: Callable[[Any, Any], Any]) -> Function:
    """Return a method of two quantities or of two versions."""

    def relation(left: Any, right: Any) -> Any:
        if isinstance(left, Amount) and isinstance(right, Amount):
            return holds(left.billionths, right.billionths)
        if isinstance(left, Version) and isinstance(right, Version):
            return holds(left, right)
        raise CelError(NO_OVERLOAD)

    return relation


def _summed(sign: int) -> Function:
    def made(left: Any, right: Any) -> Amount:
        if isinstance(left, Amount) and isinstance(right, Amount):
            return Amount(left.billionths + sign * right.billionths)
        if isinstance(left, Amount) and type(right) is int:
            return Amount(left.billionths + sign * right * UNIT)
        raise CelError(NO_OVERLOAD)

    return made


@_typed(Amount)
def _as_integer(value: Amount) -> int:
    if value.billionths % UNIT or not -INT64 <= value.billionths // UNIT < INT64:
        raise CelError("cannot convert value to integer")
    return value.billionths // UNIT


@_typed(Amount)
def _is_integer(value: Amount) -> bool:
    return value.billionths % UNIT == 0 and -INT64 <= value.billionths // UNIT < INT64


@_typed(Amount)
def _sign(value: Amount) -> int:
    return (value.billionths > 0) - (value.billionths < 0)


@_typed(Maybe)
def _value(value: Maybe) -> Any:
    if not value.present:
        raise CelError("optional.none() dereference")
    return value.value


def _of_non_zero(value: Any) -> Maybe:
    zero = value in ("", (), {}) or value is None or value is False or (is_number(value) and value == 0)
    return NONE if zero else Maybe(True, value)


def _substring(text: Any, *places: Any) -> str:
    if not isinstance(text, str) or any(type(each) is not int for each in places):
        raise CelError(NO_OVERLOAD)
    start, end = places if len(places) == 2 else (places[0], len(text))
    for each in (start, end):
        if not 0 <= each <= len(text):
            raise CelError(f"index out of range: {each}")
    if start > end:
        raise CelError(f"invalid substring range. start: {start}, end: {end}")
    return text[start:end]


def _index_of(found: Callable[[str, str], int], of_list: Callable[[tuple[Any, ...], Any], int]) -> Function:
    def placed(where: Any, what: Any) -> int:
        if isinstance(where, str) and isinstance(what, str):
            return found(where, what)
        if isinstance(where, tuple):
            return of_list(where, what)
        raise CelError(NO_OVERLOAD)

    return placed


def _place(items: tuple[Any, ...], what: Any) -> int:
    return next((place for place, each in enumerate(items) if equal(each, what)), -1)


def _last_place(items: tuple[Any, ...], what: Any) -> int:
    return max((place for place, each in enumerate(items) if equal(each, what)), default=-1)


@_typed(tuple, tuple)
def _contains_all(items: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    return all(_in(each, items) for each in wanted)


@_typed(tuple, tuple)
def _intersects(items: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    return any(_in(each, items) for each in others)


def _lower(text: str) -> str:
    return "".join(each.lower() if each.isascii() else each for each in text)


def _upper(text: str) -> str:
    return "".join(each.upper() if each.isascii() else each for each in text)


@_typed(str, str)
def _split(text: str, separator: str) -> tuple[str, ...]:
    return tuple(text.split(separator) if separator else text)


def _joined(items: Any, separator: Any = "") -> str:
    if (
        not isinstance(items, tuple)
        or not isinstance(separator, str)
        or any(not isinstance(each, str) for each in items)
    ):
        raise CelError(NO_OVERLOAD)
    return separator.join(items)


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
    ("matches", 2): _matches,
    ("quantity", 1): _quantity,
    ("isQuantity", 1): _is_quantity,
    ("sign", 1): _sign,
    ("semver", 1): lambda text: _semver(text, False),
    ("semver", 2): _semver,
    ("isSemver", 1): lambda text: _is_semver(text, False),
    ("isSemver", 2): _is_semver,
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
    ("matches", 1): _matches,
    ("startsWith", 1): _typed(str, str)(str.startswith),
    ("endsWith", 1): _typed(str, str)(str.endswith),
    ("contains", 1): _typed(str, str)(lambda text, part: part in text),
    ("lowerAscii", 0): _typed(str)(_lower),
    ("upperAscii", 0): _typed(str)(_upper),
    ("trim", 0): _typed(str)(str.strip),
    ("replace", 2): _typed(str, str, str)(str.replace),
    ("split", 1): _split,
    ("join", 0): _joined,
    ("join", 1): _joined,
    ("substring", 1): _substring,
    ("substring", 2): _substring,
    ("indexOf", 1): _index_of(str.find, _place),
    ("lastIndexOf", 1): _index_of(str.rfind, _last_place),
    ("isGreaterThan", 1): _ordered(operator.gt),
    ("isLessThan", 1): _ordered(operator.lt),
    ("compareTo", 1): _ordered(lambda left, right: (left > right) - (left < right)),
    ("add", 1): _summed(1),
    ("sub", 1): _summed(-1),
    ("asInteger", 0): _as_integer,
    ("isInteger", 0): _is_integer,
    ("asApproximateFloat", 0): _typed(Amount)(lambda value: value.billionths / UNIT),
    ("sign", 0): _sign,
    ("major", 0): _typed(Version)(lambda found: found.numbers[0]),
    ("minor", 0): _typed(Version)(lambda found: found.numbers[1]),
    ("patch", 0): _typed(Version)(lambda found: found.numbers[2]),
    ("hasValue", 0): _typed(Maybe)(lambda value: value.present),
    ("value", 0): _value,
}
"""The methods, by name and number of arguments beside the target."""
