"""The values of CEL beside None, bool, int, float, str, tuples and maps: `Amount`, `Version`, `Maybe`, `Defaulted`.

`CelError` is an error of an evaluation, with the words of cel-go, and `typed` refuses values of other types.
Kubernetes 1.37: k8s.io/apiserver/pkg/cel/quantity.go, semver.go; the maps with a default in k8s.io/dynamic-resource-allocation/cel/compile.go.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import total_ordering
from typing import Any, Final

UINT64: Final = 2**64
LONGEST: Final = len(str(UINT64))
"""The number of its digits."""
NO_OVERLOAD: Final = "no such overload"
SEMVER: Final = re.compile(
    r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(?:-([0-9A-Za-z.-]*))?(?:\+([0-9A-Za-z.-]*))?"
)
LAX: Final = re.compile(r"v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?((?:-|\+).*)?")


Function = Callable[..., Any]


class CelError(Exception):
    """An error of an evaluation; the message is that of cel-go."""


@dataclass(frozen=True)
class Amount:
    """A quantity, in billionths."""

    billionths: int


@total_ordering
@dataclass(frozen=True, eq=False)
class Version:
    """A semantic version: its numbers and its prerelease. The build does not count in comparisons."""

    numbers: tuple[int, int, int]
    prerelease: tuple[int | str, ...] = ()

    @property
    def _order(self) -> tuple[Any, ...]:
        ranked = tuple((0, each, "") if isinstance(each, int) else (1, 0, each) for each in self.prerelease)
        return self.numbers, not self.prerelease, ranked

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self._order == other._order

    def __lt__(self, other: "Version") -> bool:
        return bool(self._order < other._order)

    def __hash__(self) -> int:
        return hash(self._order)


@dataclass(frozen=True)
class Maybe:
    """An optional value; `present` False: none."""

    present: bool
    value: Any = None


NONE: Final = Maybe(False)


class Defaulted(dict[str, Any]):
    """A map in which the lookup of an absent key finds the empty map; membership and iteration know only its own keys."""


TYPES: Final[dict[type, str]] = {
    bool: "bool",
    int: "int",
    float: "double",
    str: "string",
    tuple: "list",
    dict: "map",
    Amount: "kubernetes.Quantity",
    Version: "kubernetes.Semver",
    Maybe: "optional_type",
}


def version(text: str) -> Version | None:
    """Return the semantic version that the text is, or None. Kubernetes: Parse of github.com/blang/semver/v4."""
    match = SEMVER.fullmatch(text)
    if match is None:
        return None
    major, minor, patch = (whole(match[i]) for i in (1, 2, 3))
    parts = match[4].split(".") if match[4] is not None else []
    builds = match[5].split(".") if match[5] is not None else []
    leading = any(part.isdigit() and len(part) > 1 and part[0] == "0" for part in parts)
    prerelease = tuple(whole(part) if part.isdigit() else part for part in parts)
    if "" in parts or "" in builds or leading or UINT64 in (major, minor, patch, *prerelease):
        return None
    return Version((major, minor, patch), prerelease)


def normalized_version(text: str) -> Version | None:
    """Return the version of a text that may have a leading v, leading zeros, and lack its last numbers; None for others."""
    match = LAX.fullmatch(text)
    if match is None:
        return None
    if match[3] is None and match[4]:
        return None
    numbers = ".".join(((match[i] or "").lstrip("0") or "0") for i in (1, 2, 3))
    return version(numbers + (match[4] or ""))


def whole(digits: str, base: int = 10) -> int:
    """Return the number that the digits say, at most `UINT64`; Python's own conversion refuses very long texts."""
    digits = digits.lstrip("0") or "0"
    return min(int(digits, base), UINT64) if len(digits) <= LONGEST else UINT64


def is_number(value: object) -> bool:
    """Whether the value is an int or a float; a bool is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def type_name(value: Any) -> str:
    """Return the name of the type of a value, as messages of cel-go give it."""
    return next((name for kind, name in TYPES.items() if isinstance(value, kind)), "null_type")


def equal(left: Any, right: Any) -> bool:
    """Whether two values are equal: numbers by value; values of different types never.

    Raises: CelError if the left one is a quantity or version and the right one is not.
    """
    if isinstance(left, Amount | Version) and type(left) is not type(right):
        raise CelError(NO_OVERLOAD)
    if is_number(left) and is_number(right):
        return bool(left == right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, Maybe) and isinstance(right, Maybe):
        return left.present == right.present and equal(left.value, right.value)
    return type(left) is type(right) and bool(left == right)


def typed(*types: type) -> Callable[[Function], Function]:
    """Return a decorator for a function that refuses arguments of other types, as cel-go does."""

    def decorated(function: Function) -> Function:
        def checked(*arguments: Any) -> Any:
            for value, wanted in zip(arguments, types, strict=True):
                if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
                    raise CelError(NO_OVERLOAD)
            return function(*arguments)

        return checked

    return decorated
