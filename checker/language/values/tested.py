"""Sets that are given by a test: what passes it, of a set that is infinite or too large to test at once."""

from collections.abc import Callable, Iterator
from typing import Final

from schedcheck.checker.language.values.values import LazySet, Value


class Filtered(LazySet):
    """What passes a test, of a finite set that is not written out; found when it is asked."""

    __slots__ = ("among", "passes")

    def __init__(self, among: LazySet, passes: Callable[[Value], bool]) -> None:
        self.among: Final = among
        self.passes: Final = passes

    def __contains__(self, value: object) -> bool:
        """Whether it is one of the elements, and passes."""
        return value in self.among and self.passes(value)

    def size(self) -> int:
        """How many pass."""
        return len(self.whole())

    def countable(self) -> int:
        """How many there are to be tested. Raises Unevaluable where they are too many."""
        return self.among.countable()

    def elements(self) -> Iterator[Value]:
        """Those that pass, one after the other."""
        return filter(self.passes, self.among.elements())

    def __repr__(self) -> str:
        """What it is made of."""
        return f"{{... \\in {self.among!r} : ...}}"


class Conditional(LazySet):
    """What passes a test, of an infinite set, or one given by a test alone: of the others of `kind` it says what they are."""

    __slots__ = ("passes", "text")

    def __init__(self, text: str, passes: Callable[[Value], bool]) -> None:
        self.text: Final = text
        self.passes: Final = passes

    def __contains__(self, value: object) -> bool:
        """Whether it passes."""
        return self.passes(value)

    def size(self) -> None:
        """None: perhaps finitely many, but nobody can list them."""

    def elements(self) -> Iterator[Value]:
        """Never listed."""
        raise AssertionError(self)

    def __repr__(self) -> str:
        """What it is made of."""
        return self.text
