"""Which tests are asked about a mutant: `Asked`."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Asked:
    """The tests of files whose path begins with one of `among`, or of all; without the medium ones if `quick`.

    Slow tests are never asked.
    """

    among: tuple[str, ...] = ()
    quick: bool = False

    @property
    def marks(self) -> str:
        """What pytest selects by."""
        return "not slow and not medium" if self.quick else "not slow"

    @property
    def verdicts(self) -> str:
        """The name of the file with the verdicts of these tests."""
        parts = ["verdicts", *(["quick"] if self.quick else []), *(each.replace("/", ".") for each in self.among)]
        return "-".join(parts) + ".jsonl"

    def records(self, folders: Sequence[str], usual: Sequence[str]) -> str:
        """The name of the folder with the lines that these tests reach in `folders`, if they are not the usual ones."""
        parts = [] if tuple(folders) == tuple(usual) else [each.replace("/", ".") for each in folders]
        return "-".join(["reach", *(["quick"] if self.quick else []), *parts])

    def contains(self, test: str, verdicts: str) -> bool:
        """Whether a test, known from the file `verdicts`, is one of these."""
        told_apart = not self.quick or verdicts.startswith("verdicts-quick")
        return told_apart and (not self.among or test.startswith(self.among))
