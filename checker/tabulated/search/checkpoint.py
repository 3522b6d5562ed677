"""The levels of an exploration, kept in a folder so that another run can resume from them: `Checkpoint`.

A level has two files: its sorted states, and a small one with the counts up to that level. The small file is written
last, so a level exists if it exists. Each small file contains the checksum of the one before. No file is ever
rewritten.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from schedcheck.checker.limits.chained import Chained
from schedcheck.checker.limits.durable import keep
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.search.kept import FORMAT, Kept, encoded

if TYPE_CHECKING:
    from schedcheck.checker.tabulated.answers.identity import Identity


class Noted(NamedTuple):
    """The record of a level: its number of states, their checksum, and the counts of the run up to that level."""

    states: int
    checksum: str
    counts: dict[str, Any]


class Checkpoint:
    """A folder that belongs to one run; `noted` is its record of each level."""

    def __init__(self, folder: Path, identity: "Identity", words: int) -> None:
        """Raises Unusable if the folder belongs to another run, is damaged, or is written to by another process."""
        self.folder = folder
        self.words = words
        self._levels = Chained(folder, "level", "levels")
        try:
            self._levels.begin({**identity, "format": str(FORMAT)})
            self.noted = [Noted(each["states"], each["checksum"], each["counts"]) for each in self._levels.records()]
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release the folder for other processes."""
        self._levels.close()

    def states(self, level: int) -> Kept:
        """Return the states of a level. Raises Unusable if they are not what was written."""
        noted, path = self.noted[level - 1], self._levels.path(level, "states")
        try:
            same = _checksum(path) == noted.checksum
        except OSError as error:
            raise self._levels.damaged(path, level, error.strerror or str(error)) from None
        if not same:
            raise self._levels.damaged(path, level, "not what was written")
        return Kept(path)

    def keep_states(self, level: int, pieces: Iterable[Words]) -> Kept:
        """Write the sorted states of a new level; return them, to be read where they are used. Raises Unusable."""
        path = self._levels.path(level, "states")
        self._checksum = keep(path, encoded(pieces, self.words))
        return Kept(path)

    def keep_counts(self, level: int, states: int, counts: dict[str, Any]) -> None:
        """Write the counts up to a level whose states were just written. Raises Unusable."""
        noted = Noted(states, self._checksum, counts)
        self._levels.add(level, noted._asdict())
        self.noted.append(noted)


def _checksum(path: Path) -> str:
    total = hashlib.blake2b(digest_size=32)
    with open(path, "rb", buffering=0) as file:
        while piece := file.read(1 << 20):
            total.update(piece)
    return total.hexdigest()
