"""The methods of texts in CEL, and those that lists share with them: `METHODS`.

Kubernetes 1.37: the standard library of cel-go, and its extensions for strings and lists.
"""

from collections.abc import Callable
from typing import Any, Final

from schedcheck.spec.cel.values import NO_OVERLOAD, CelError, Function, equal, typed


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


def _lower(text: str) -> str:
    return "".join(each.lower() if each.isascii() else each for each in text)


def _upper(text: str) -> str:
    return "".join(each.upper() if each.isascii() else each for each in text)


@typed(str, str)
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


METHODS: Final[dict[tuple[str, int], Function]] = {
    ("startsWith", 1): typed(str, str)(str.startswith),
    ("endsWith", 1): typed(str, str)(str.endswith),
    ("contains", 1): typed(str, str)(lambda text, part: part in text),
    ("lowerAscii", 0): typed(str)(_lower),
    ("upperAscii", 0): typed(str)(_upper),
    ("trim", 0): typed(str)(str.strip),
    ("replace", 2): typed(str, str, str)(str.replace),
    ("split", 1): _split,
    ("join", 0): _joined,
    ("join", 1): _joined,
    ("substring", 1): _substring,
    ("substring", 2): _substring,
    ("indexOf", 1): _index_of(str.find, _place),
    ("lastIndexOf", 1): _index_of(str.rfind, _last_place),
}
"""The methods, by name and number of arguments beside the target."""
