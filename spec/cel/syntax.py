"""Expressions of CEL as trees: `Node`; `parsing` reads them.

Kubernetes: the grammar of cel-go, with optional syntax. Macros are nodes of their own: has, all, exists, exists_one,
map, filter and cel.bind. Not modelled: messages, bytes, unsigned literals, and macros with two variables; an expression
that needs them raises `Unsupported`.
"""

from dataclasses import dataclass
from typing import Final

MACROS: Final = ("all", "exists", "exists_one", "existsOne", "map", "filter")


class SyntaxFault(ValueError):
    """Raised for a text that is not an expression of CEL."""


class Unsupported(ValueError):
    """Raised for an expression that uses a part of CEL that is not modelled; the message names the part."""


@dataclass(frozen=True)
class Literal:
    """A literal: None, bool, int, float or str."""

    value: bool | int | float | str | None


@dataclass(frozen=True)
class Name:
    """A variable."""

    name: str


@dataclass(frozen=True)
class Select:
    """The field or map entry `operand.field`; `optional`: written `operand.?field`."""

    operand: "Node"
    field: str
    optional: bool = False


@dataclass(frozen=True)
class Index:
    """`operand[key]`; `optional`: written `operand[?key]`."""

    operand: "Node"
    key: "Node"
    optional: bool = False


@dataclass(frozen=True)
class Has:
    """The macro has(operand.field)."""

    operand: "Node"
    field: str


@dataclass(frozen=True)
class Call:
    """A call of a function, or of a method if it has a `target`."""

    function: str
    arguments: tuple["Node", ...]
    target: "Node | None" = None


@dataclass(frozen=True)
class Loop:
    """A macro over a list or the keys of a map: `operand.macro(variable, body)`; map may have a filter before its body."""

    macro: str
    operand: "Node"
    variable: str
    body: "Node"
    condition: "Node | None" = None


@dataclass(frozen=True)
class Binding:
    """The macro cel.bind(variable, value, body)."""

    variable: str
    value: "Node"
    body: "Node"


@dataclass(frozen=True)
class ListOf:
    """A list; each item with whether it is optional, written `?item`."""

    items: tuple[tuple["Node", bool], ...]


@dataclass(frozen=True)
class MapOf:
    """A map; each key and value with whether the entry is optional, written `?key: value`."""

    entries: tuple[tuple["Node", "Node", bool], ...]


Node = Literal | Name | Select | Index | Has | Call | Loop | Binding | ListOf | MapOf
