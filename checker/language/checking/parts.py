"""The folder of a kept exploration: `Folder`, with the identity of the run and its parts in order.

A part has two files: lines of JSON with what was found since the part before, and a small file with the counts up to
there, written last. Each small file contains the checksum of the one before. No finished part is ever rewritten.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from schedcheck.checker.limits.durable import Unusable, claim, keep, sealed, unsealed

RUN = "run.json"

Noted = dict[str, Any]
"""The counts of a run up to a part."""


class Folder:
    """A folder that belongs to one run; `noted` has the counts up to each of its parts."""

    def __init__(self, folder: Path, identity: Mapping[str, str]) -> None:
        """Raises Unusable if the folder belongs to another run, is damaged, or is written to by another process."""
        self.folder = folder
        self._lock = claim(folder)
        try:
            self._last = self._begun(identity)
            self.noted = self._read()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Folder":
        """Hold the folder."""
        return self

    def __exit__(self, *_: object) -> None:
        """Release the folder for other processes."""
        self.close()

    def close(self) -> None:
        """Release the folder for other processes."""
        self._lock.close()

    def add(self, lines: Iterable[str], counts: Noted) -> None:
        """Write a part. Raises Unusable."""
        number = len(self.noted) + 1
        checksum = keep(self._path(number, "lines"), (f"{line}\n".encode() for line in lines))
        text, total = sealed({"part": number, "before": self._last, "checksum": checksum, "counts": counts})
        keep(self._path(number, "json"), [text])
        self._last = total
        self._checksums.append(checksum)
        self.noted.append(counts)

    def lines(self, number: int) -> Iterator[Any]:
        """Yield what the lines of a part say. Raises Unusable if they are not what was written."""
        path = self._path(number, "lines")
        try:
            text = path.read_bytes()
        except OSError as error:
            raise self._damaged(path, number, error.strerror or str(error)) from None
        if hashlib.blake2b(text, digest_size=32).hexdigest() != self._checksums[number - 1]:
            raise self._damaged(path, number, "not what was written")
        return map(json.loads, text.splitlines())

    def _begun(self, identity: Mapping[str, str]) -> str:
        """Return the checksum of the run's identity; write the identity if the folder has none. Raises Unusable."""
        path = self.folder / RUN
        text, total = sealed(dict(identity))
        if path.exists():
            other = self._opened(path, 1)[0]
            different = [name for name in identity if other.get(name) != identity[name]]
            if different:
                raise Unusable(f"{self.folder}: belongs to another run: not the same {', '.join(different)}")
        elif any(self.folder.glob("*-*.json")):
            raise Unusable(f"{path}: missing, so the run of the files in this folder is unknown")
        else:
            keep(path, [text])
        return total

    def _read(self) -> list[Noted]:
        """Return the counts up to each part. Raises Unusable if one is damaged or missing."""
        names = (path.stem.removeprefix("part-") for path in self.folder.glob(f"part-{6 * '[0-9]'}.json"))
        found: list[Noted] = []
        self._checksums: list[str] = []
        for number in range(1, max(map(int, names), default=0) + 1):
            path = self._path(number, "json")
            content, total = self._opened(path, number)
            if content.get("part") != number or content.get("before") != self._last:
                raise self._damaged(path, number, "does not follow the part before")
            self._last = total
            self._checksums.append(content["checksum"])
            found.append(content["counts"])
        return found

    def _opened(self, path: Path, number: int) -> tuple[dict[str, Any], str]:
        """Return the content of a sealed file, with its checksum. Raises Unusable."""
        try:
            found = unsealed(path.read_bytes())
        except OSError as error:
            raise self._damaged(path, number, error.strerror or str(error)) from None
        if found is None:
            raise self._damaged(path, number, "not what was written")
        return found

    def _damaged(self, path: Path, number: int, why: str) -> Unusable:
        """Return the error for a damaged file; its text says what can still be used."""
        if number == 1:
            return Unusable(f"{path}: damaged: {why}; no earlier part can be resumed")
        after = f"remove part-{number:06}.json, and that of every later part, to resume from part {number - 1}"
        return Unusable(f"{path}: damaged: {why}; {after}")

    def _path(self, number: int, ends: str) -> Path:
        return self.folder / f"part-{number:06}.{ends}"
