"""The levels of an exploration, kept in a folder so that another run can resume from them: `Checkpoint`.

A level has two files: its sorted states, and a small one with the counts up to that level. The small file is written
last, so a level exists if it exists. Each small file contains the checksum of the one before. No file is ever
rewritten.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from schedcheck.checker.limits.durable import Unusable, claim, keep, sealed, unsealed
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.search.kept import FORMAT, Kept, encoded

if TYPE_CHECKING:
    from schedcheck.checker.tabulated.answers.identity import Identity

RUN = "run.json"


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
        self._lock = claim(folder)
        try:
            self._last = self._begun(identity)
            self.noted = self._read()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release the folder for other processes."""
        self._lock.close()

    def states(self, level: int) -> Kept:
        """Return the states of a level. Raises Unusable if they are not what was written."""
        noted, path = self.noted[level - 1], self._path(level, "states")
        try:
            same = _checksum(path) == noted.checksum
        except OSError as error:
            raise self._damaged(path, level, error.strerror or str(error)) from None
        if not same:
            raise self._damaged(path, level, "not what was written")
        return Kept(path)

    def keep_states(self, level: int, pieces: Iterable[Words]) -> Kept:
        """Write the sorted states of a new level; return them, to be read where they are used. Raises Unusable."""
        path = self._path(level, "states")
        self._checksum = keep(path, encoded(pieces, self.words))
        return Kept(path)

    def keep_counts(self, level: int, states: int, counts: dict[str, Any]) -> None:
        """Write the counts up to a level whose states were just written. Raises Unusable."""
        noted = Noted(states, self._checksum, counts)
        text, total = sealed({"level": level, "before": self._last, **noted._asdict()})
        keep(self._path(level, "json"), [text])
        self._last = total
        self.noted.append(noted)

    def _begun(self, identity: "Identity") -> str:
        """Return the checksum of the run's identity; write the identity if the folder has none. Raises Unusable."""
        path = self.folder / RUN
        own = {**identity, "format": str(FORMAT)}
        text, total = sealed(own)
        if path.exists():
            other = self._opened(path, 1)[0]
            different = [name for name in own if other.get(name) != own[name]]
            if different:
                raise Unusable(f"{self.folder}: belongs to another run: not the same {', '.join(different)}")
        elif any(self.folder.glob("level-*.json")):
            raise Unusable(f"{path}: missing, so the run of the levels in this folder is unknown")
        else:
            keep(path, [text])
        return total

    def _read(self) -> list[Noted]:
        """Return the record of each level. Raises Unusable if one is damaged or missing."""
        count = max(
            (int(path.stem.removeprefix("level-")) for path in self.folder.glob("level-*[0-9].json")), default=0
        )
        found = []
        for level in range(1, count + 1):
            path = self._path(level, "json")
            content, total = self._opened(path, level)
            if content.get("level") != level or content.get("before") != self._last:
                raise self._damaged(path, level, "does not follow the level before")
            self._last = total
            found.append(Noted(content["states"], content["checksum"], content["counts"]))
        return found

    def _opened(self, path: Path, level: int) -> tuple[dict[str, Any], str]:
        """Return the content of a file, with its checksum. Raises Unusable."""
        try:
            text = path.read_bytes()
        except OSError as error:
            raise self._damaged(path, level, error.strerror or str(error)) from None
        found = unsealed(text)
        if found is None:
            raise self._damaged(path, level, "not what was written")
        return found

    def _damaged(self, path: Path, level: int, why: str) -> Unusable:
        """Return the error for a damaged file; its text says what can still be used."""
        if level == 1:
            return Unusable(f"{path}: damaged: {why}; no earlier level can be resumed")
        after = f"remove level-{level:06}.json, and that of every later level, to resume from level {level - 1}"
        return Unusable(f"{path}: damaged: {why}; {after}")

    def _path(self, level: int, ends: str) -> Path:
        return self.folder / f"level-{level:06}.{ends}"


def _checksum(path: Path) -> str:
    total = hashlib.blake2b(digest_size=32)
    with open(path, "rb", buffering=0) as file:
        while piece := file.read(1 << 20):
            total.update(piece)
    return total.hexdigest()
