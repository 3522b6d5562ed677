"""The mutants that no test can or does yet detect, each with the reason: `survivors.toml`."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.enumeration import Mutant, becomes

LISTED = Path(__file__).parent / "survivors.toml"


@dataclass(frozen=True)
class Survivor:
    """A mutant identified by its text and not by a line number, and why it survives."""

    file: str
    within: str
    operator: str
    line: str
    becomes: str
    reason: str

    def describes(self, mutant: Mutant, source: str, made: str) -> bool:
        """Whether this describes `mutant`, which turns `source` into `made`."""
        known = (mutant.file, mutant.within, mutant.operator, mutant.line, becomes(mutant, source, made))
        return known == (self.file, self.within, self.operator, self.line, self.becomes)


def listed(text: str) -> Sequence[Survivor]:
    """The survivors that a file lists."""
    return [Survivor(**each) for each in tomllib.loads(text).get("survivor", [])]
