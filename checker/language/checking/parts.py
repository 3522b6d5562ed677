"""The folder of a kept exploration: `Folder`, with the identity of the run and its parts in order.

A part has two files: lines of JSON with what was found since the part before, and a small file with the counts up to
there, written last. Each small file contains the checksum of the one before. No finished part is ever rewritten.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from schedcheck.checker.limits.chained import Chained
from schedcheck.checker.limits.durable import keep

Noted = dict[str, Any]
"""The counts of a run up to a part."""


class Folder:
    """A folder that belongs to one run; `noted` has the counts up to each of its parts."""

    def __init__(self, folder: Path, identity: Mapping[str, str]) -> None:
        """Raises Unusable if the folder belongs to another run, is damaged, or is written to by another process."""
        self.folder = folder
        self._parts = Chained(folder, "part", "files")
        try:
            self._parts.begin(identity)
            found = list(self._parts.records())
            self._checksums: list[str] = [each["checksum"] for each in found]
            self.noted: list[Noted] = [each["counts"] for each in found]
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
        self._parts.close()

    def add(self, lines: Iterable[str], counts: Noted) -> None:
        """Write a part. Raises Unusable."""
        number = len(self.noted) + 1
        checksum = keep(self._parts.path(number, "lines"), (f"{line}\n".encode() for line in lines))
        self._parts.add(number, {"checksum": checksum, "counts": counts})
        self._checksums.append(checksum)
        self.noted.append(counts)

    def lines(self, number: int) -> Iterator[Any]:
        """Yield what the lines of a part say. Raises Unusable if they are not what was written."""
        path = self._parts.path(number, "lines")
        try:
            text = path.read_bytes()
        except OSError as error:
            raise self._parts.damaged(path, number, error.strerror or str(error)) from None
        if hashlib.blake2b(text, digest_size=32).hexdigest() != self._checksums[number - 1]:
            raise self._parts.damaged(path, number, "not what was written")
        return map(json.loads, text.splitlines())
