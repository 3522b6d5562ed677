"""The levels of an exploration, kept in a folder so that another run can resume from them: `Checkpoint`.

A level has two files: its sorted states, and a small one with the counts up to that level. The small file is written
last, so a level exists if it exists. Each small file contains the checksum of the one before. No file is ever
rewritten.
"""

import hashlib
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from schedcheck.checker.limits.durable import Unusable, claim, keep, sealed, unsealed
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.runs import in_pieces

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

    def states(self, level: int) -> Words:
        """Return the states of a level, mapped from disk. Raises Unusable if they are not what was written."""
        noted, path = self.noted[level - 1], self._path(level, "words")
        try:
            with open(path, "rb") as file:
                size = path.stat().st_size
                states = mapped(file, self.words) if size == 8 * self.words * noted.states else None
        except OSError as error:
            raise self._damaged(path, level, error.strerror or str(error)) from None
        if states is None or _checksum(states) != noted.checksum:
            raise self._damaged(path, level, "not what was written")
        return states

    def keep_states(self, level: int, pieces: Iterable[Words]) -> Words:
        """Write the states of a new level; return them, mapped from disk. Raises Unusable."""
        path = self._path(level, "words")
        self._checksum = keep(path, (piece.tobytes() for piece in pieces))
        with open(path, "rb") as file:
            return mapped(file, self.words)

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
        text, total = sealed(dict(identity))
        if path.exists():
            other = self._opened(path, 1)[0]
            different = [name for name in identity if other.get(name) != identity[name]]
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


def mapped(file: BinaryIO, words: int) -> Words:
    """Return the states in a file; they are read from disk when they are used."""
    # Copy-on-write, though nothing writes: the compiled loops accept writable arrays only.
    states: Words = np.asarray(np.memmap(file, np.uint64, "c")).reshape(-1, words)
    return states


def nonempty(pieces: Iterable[Words]) -> Iterable[Words] | None:
    """Return the pieces that have states; None if there are none."""
    some = (piece for piece in pieces if len(piece))
    first = next(some, None)
    return None if first is None else chain([first], some)


def _checksum(states: Words) -> str:
    total = hashlib.blake2b(digest_size=32)
    for piece in in_pieces(states):
        total.update(piece.tobytes())
    return total.hexdigest()
