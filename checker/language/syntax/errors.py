"""What is wrong with a TLA+ text, or with what it says, and where."""

from schedcheck.checker.language.syntax.tree import Position


class TlaError(Exception):
    """`module:line:column: says`; without the place where there is none."""

    def __init__(self, says: str, at: Position | None = None) -> None:
        super().__init__(says, at)
        self.says = says
        self.at = at

    def __str__(self) -> str:
        """One line, the place first."""
        if self.at is None:
            return self.says
        return f"{self.at.module}:{self.at.line}:{self.at.column}: {self.says}"


class Misread(TlaError):
    """A text that is no TLA+, or a module that cannot be found."""


class Unevaluable(TlaError):
    """An expression without a value."""
