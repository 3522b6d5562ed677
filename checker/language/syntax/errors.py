"""The errors in a TLA+ text or in its evaluation, with their position."""

from schedcheck.checker.language.syntax.tree import Position


class TlaError(Exception):
    """An error printed as `module:line:column: says`; without a position if there is none."""

    def __init__(self, says: str, at: Position | None = None) -> None:
        super().__init__(says, at)
        self.says = says
        self.at = at

    def __str__(self) -> str:
        """Return one line, with the position first."""
        if self.at is None:
            return self.says
        return f"{self.at.module}:{self.at.line}:{self.at.column}: {self.says}"


class Misread(TlaError):
    """A text that is not valid TLA+, or a module that cannot be found."""


class Unevaluable(TlaError):
    """An expression that has no value."""
