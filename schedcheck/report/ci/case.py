"""What the formats of continuous integration are made of: `Told`, `Case`, `Level`, `Report`."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from schedcheck.manifests.spots import Place


class Level(StrEnum):
    """How bad it is; what is unknown, or was not asked because of a limit, is neither good nor bad."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    UNKNOWN = "unknown"


def from_here(file: str) -> Path:
    """Return the path of a file as an annotation needs it: from the present folder on, if the file is in there."""
    path, here = Path(file), Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


@dataclass(frozen=True)
class Told:
    """One statement of an answer.

    - `about`: the object, property or nodes in words.
    - `place`: where the object is in the input; None if no file has it.
    - `identity`: the same text for the same statement in two runs.
    - `known`: whether a baseline has it; None without a baseline.
    """

    rule: str
    level: Level
    about: str
    text: str
    details: str = ""
    place: Place | None = None
    identity: str = ""
    known: bool | None = None

    @property
    def message(self) -> str:
        """The object and what is said about it."""
        return f"{self.about}: {self.text}" if self.about else self.text


@dataclass(frozen=True)
class Case:
    """One question of a command: a rule, a property, or a set of nodes; it passes if nothing fails in it.

    - `help`: what the rule finds, or what the property claims; `page`: where it is explained.
    - `skipped`: why it was not asked.
    """

    name: str
    help: str
    told: tuple[Told, ...] = ()
    skipped: str = ""
    page: str = ""


@dataclass(frozen=True)
class Report:
    """The answer of a command as cases. `failing` are the levels that make a case fail.

    - `totals`: the answer in one line.
    - `gone`: the statements of a baseline that are no longer made.
    """

    command: str
    cases: tuple[Case, ...]
    exit_code: int
    totals: str
    failing: frozenset[Level] = frozenset({Level.ERROR})
    gone: tuple[Told, ...] = ()
    properties: dict[str, str] = field(default_factory=dict)

    def told(self) -> tuple[Told, ...]:
        """Every statement, in the order of the cases."""
        return tuple(each for case in self.cases for each in case.told)
