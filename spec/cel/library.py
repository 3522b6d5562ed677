"""The quantities and versions of Kubernetes in CEL: `FUNCTIONS`, `METHODS`.

Kubernetes 1.37: quantity.go and semver.go of k8s.io/apiserver/pkg/cel/library.
"""

import operator
from collections.abc import Callable
from typing import Any, Final

from schedcheck.spec.cel.values import (
    NO_OVERLOAD,
    Amount,
    CelError,
    Function,
    Version,
    normalized_version,
    typed,
    version,
)
from schedcheck.spec.quantities import INT64, Quantity, QuantityError

UNIT: Final = 10**9


@typed(str)
def _quantity(text: str) -> Amount:
    try:
        return Amount(Quantity.parse(text).billionths())
    except QuantityError as error:
        raise CelError(str(error)) from error


@typed(str)
def _is_quantity(text: str) -> bool:
    try:
        Quantity.parse(text)
    except QuantityError:
        return False
    return True


def _read_version(text: str, normalize: bool) -> Version | None:
    return normalized_version(text) if normalize else version(text)


@typed(str, bool)
def _semver(text: str, normalize: bool) -> Version:
    found = _read_version(text, normalize)
    if found is None:
        raise CelError("No Major.Minor.Patch elements found" if text.count(".") < 2 else f"Invalid version {text}")
    return found


@typed(str, bool)
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


@typed(Amount)
def _as_integer(value: Amount) -> int:
    if value.billionths % UNIT or not -INT64 <= value.billionths // UNIT < INT64:
        raise CelError("cannot convert value to integer")
    return value.billionths // UNIT


@typed(Amount)
def _is_integer(value: Amount) -> bool:
    return value.billionths % UNIT == 0 and -INT64 <= value.billionths // UNIT < INT64


@typed(Amount)
def _sign(value: Amount) -> int:
    return (value.billionths > 0) - (value.billionths < 0)


FUNCTIONS: Final[dict[tuple[str, int], Function]] = {
    ("quantity", 1): _quantity,
    ("isQuantity", 1): _is_quantity,
    ("sign", 1): _sign,
    ("semver", 1): lambda text: _semver(text, False),
    ("semver", 2): _semver,
    ("isSemver", 1): lambda text: _is_semver(text, False),
    ("isSemver", 2): _is_semver,
}
"""The functions, by name and number of arguments."""

METHODS: Final[dict[tuple[str, int], Function]] = {
    ("isGreaterThan", 1): _ordered(operator.gt),
    ("isLessThan", 1): _ordered(operator.lt),
    ("compareTo", 1): _ordered(lambda left, right: (left > right) - (left < right)),
    ("add", 1): _summed(1),
    ("sub", 1): _summed(-1),
    ("asInteger", 0): _as_integer,
    ("isInteger", 0): _is_integer,
    ("asApproximateFloat", 0): typed(Amount)(lambda value: value.billionths / UNIT),
    ("sign", 0): _sign,
    ("major", 0): typed(Version)(lambda found: found.numbers[0]),
    ("minor", 0): typed(Version)(lambda found: found.numbers[1]),
    ("patch", 0): typed(Version)(lambda found: found.numbers[2]),
}
"""The methods, by name and number of arguments beside the target."""
