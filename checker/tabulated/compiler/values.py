"""The values in the text of a loop, and their kinds: `Scalar`, `Constant`, `Array`, `Held`, `Zeros`.

A scalar is a signed or unsigned number of 64 bits or a truth value. An array is its address and its sizes. A named tuple is
the address of its words, as `loops/blocks.py` lays them out.
"""

from typing import Any, NamedTuple

from schedcheck.checker.tabulated.loops.sources import UNCHANGED

SIGNED, UNSIGNED, TRUTH = "i", "u", "b"
TYPES = {SIGNED: "i64", UNSIGNED: "i64", TRUTH: "i1"}


class Untranslatable(TypeError):
    """The text of a loop uses what the compiler does not know."""


class ArrayKind(NamedTuple):
    """The kind of an array; `unchanged` if no loop writes to it."""

    element: str
    dimensions: int
    unchanged: bool = False


class HeldKind(NamedTuple):
    """The kind of a named tuple; `unchanged` if no loop writes to its arrays."""

    made: Any
    parts: tuple["Kind", ...]
    unchanged: bool = False


class ZerosKind(NamedTuple):
    """The kind of a tuple of zeros, of which only the length matters."""

    length: int


Kind = str | ArrayKind | HeldKind | ZerosKind


class Constant(NamedTuple):
    """A number that is known to the compiler. It becomes signed or unsigned where it meets another."""

    value: int


class Scalar(NamedTuple):
    """A number or truth value."""

    kind: str
    text: str


class Array(NamedTuple):
    """An array without gaps."""

    kind: ArrayKind
    address: str
    sizes: tuple[str, ...]


class Held(NamedTuple):
    """A named tuple in memory, which stays as it is while the loop runs."""

    kind: HeldKind
    address: str


class Zeros(NamedTuple):
    """A tuple of zeros."""

    kind: ZerosKind


Value = Constant | Scalar | Array | Held | Zeros


def kind_of(given: Any, unchanged: bool = False) -> Kind:
    """Return the kind of an argument, from that which `loops/blocks.py` found."""
    match given:
        case str():
            return given
        case (int(length),):
            return ZerosKind(length)
        case (str(element), int(dimensions)):
            return ArrayKind(element, dimensions, unchanged)
    made, *parts = given
    unchanged = unchanged or made in UNCHANGED
    return HeldKind(made, tuple(kind_of(each, unchanged) for each in parts), unchanged)


def words_of(kind: Kind) -> int:
    """Return the number of words that a value of this kind takes in a block."""
    match kind:
        case ArrayKind():
            return 1 + kind.dimensions
        case HeldKind():
            return sum(map(words_of, kind.parts))
        case ZerosKind():
            return 0
    return 1
