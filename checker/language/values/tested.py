r"""Lazy sets defined by a test: `{x \in S : P}` for a set that is infinite or too large to test at once."""

from collections.abc import Callable, Iterator
from typing import Final

from schedcheck.checker.language.values.values import LazySet, Value


class Filtered(LazySet):
    """The elements of a finite lazy set that pass a test; the test is applied when elements are needed."""

    __slots__ = ("among", "passes")

    def __init__(self, among: LazySet, passes: Callable[[Value], bool]) -> None:
        self.among: Final = among
        self.passes: Final = passes

    def __contains__(self, value: object) -> bool:
        """Whether the value is an element of the set and passes the test."""
        return value in self.among and self.passes(value)

    def size(self) -> int:
        """Return how many elements pass."""
        return len(self.whole())

    def countable(self) -> int:
        """Return how many elements are to be tested. Raises Unevaluable if they are too many."""
        return self.among.countable()

    def elements(self) -> Iterator[Value]:
        """Yield the elements that pass, one after another."""
        return filter(self.passes, self.among.elements())

    def __repr__(self) -> str:
        """Return a text that names the tested set."""
        return f"{{... \\in {self.among!r} : ...}}"


class Conditional(LazySet):
    """The elements of an infinite set that pass a test, or a set defined by a test alone; `text` is its expression."""

    __slots__ = ("passes", "text")

    def __init__(self, text: str, passes: Callable[[Value], bool]) -> None:
        self.text: Final = text
        self.passes: Final = passes

    def __contains__(self, value: object) -> bool:
        """Whether the value passes the test."""
        return self.passes(value)

    def size(self) -> None:
        """Return None: the set may be finite, but it cannot be enumerated."""

    def elements(self) -> Iterator[Value]:
        """Fail: such a set is never enumerated."""
        raise AssertionError(self)

    def __repr__(self) -> str:
        """Return its expression."""
        return self.text
