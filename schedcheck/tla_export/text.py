"""TLA+ values as text: strings, numbers, sets, sequences, records and functions, laid out within a line's length.

The text depends on the value alone: the elements of a set and the arguments of a function are sorted.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

WIDTH: Final = 110
GREATEST: Final = 2**31 - 1


class NotExportable(ValueError):
    """A scenario that TLC cannot count with; the message names the value and the reason."""


@dataclass(frozen=True)
class Name:
    """The name of a definition."""

    name: str


@dataclass(frozen=True)
class Set:
    """{a, b}; the empty set is {}."""

    elements: tuple["Value", ...]


@dataclass(frozen=True)
class Record:
    """[Field |-> value, ...], in the order given."""

    fields: Mapping[str, "Value"]


@dataclass(frozen=True)
class Function:
    """("a" :> x @@ "b" :> y); the function without arguments is NoLabels, whatever its values would be."""

    values: Mapping[str, "Value"]


@dataclass(frozen=True)
class Pairs:
    """(a :> x @@ b :> y), a function whose arguments are any values; it has one at least."""

    pairs: tuple[tuple["Value", "Value"], ...]


Value: TypeAlias = "str | bool | int | tuple[Value, ...] | Name | Set | Record | Function | Pairs | None"


def layout(value: Value, indent: int) -> str:
    """Return `value` as TLA+, on one line if it fits behind `indent` columns, else with one line per part."""
    line = _line(value)
    if indent + len(line) <= WIDTH:
        return line
    match value:
        case Record(fields):
            parts = [f"{name} |-> {layout(part, indent + len(name) + 6)}" for name, part in fields.items()]
            return _lines("[", parts, ",", "]", indent)
        case Function(values) if values:
            parts = [f"{_string(key)} :> {layout(part, indent + 8)}" for key, part in sorted(values.items())]
            return _lines("(", parts, " @@", ")", indent)
        case Pairs(pairs):
            parts = [f"{_line(key)} :> {layout(part, indent + 8)}" for key, part in pairs]
            return _lines("(", sorted(parts), " @@", ")", indent)
        case Set(elements):
            return _lines("{", sorted({layout(part, indent + 1) for part in elements}), ",", "}", indent)
        case tuple():
            return _lines("<<", [layout(part, indent + 2) for part in value], ",", ">>", indent)
        case _:
            return line


def _lines(begin: str, parts: list[str], separator: str, end: str, indent: int) -> str:
    return begin + f"{separator}\n{' ' * (indent + len(begin))}".join(parts) + end


def _line(value: Value) -> str:
    match value:
        case None:
            return "Null"
        case bool():
            return str(value).upper()
        case int():
            return _number(value)
        case str():
            return _string(value)
        case Name(name):
            return name
        case Set(elements):
            return "{" + ", ".join(sorted({_line(element) for element in elements})) + "}"
        case Record(fields):
            return "[" + _joined(f"{name} |-> {_line(part)}" for name, part in fields.items()) + "]"
        case Function(values):
            items = [f"{_string(key)} :> {_line(part)}" for key, part in sorted(values.items())]
            return "(" + " @@ ".join(items) + ")" if items else "NoLabels"
        case Pairs(pairs):
            return "(" + " @@ ".join(sorted(f"{_line(key)} :> {_line(part)}" for key, part in pairs)) + ")"
        case tuple():
            return "<<" + _joined(_line(element) for element in value) + ">>"


def _joined(parts: Iterable[str]) -> str:
    return ", ".join(parts)


def _number(number: int) -> str:
    # TLC reads the digits before the sign, so it has no literal for the least 32-bit integer.
    if abs(number) > GREATEST:
        raise NotExportable(f"{number} exceeds the 32 bits of TLC's integers")
    return str(number)


def _string(text: str) -> str:
    if not (text.isascii() and text.isprintable()) and text:
        raise NotExportable(f"{text!r} contains a character that TLA+ does not have")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
