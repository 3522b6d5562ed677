"""The levels of each part, kept in a folder that all machines can read: `Storage`."""

import hashlib
from typing import Any

import numpy as np

from schedcheck.checker.limits.durable import Unusable
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.runs import in_pieces

CHECKSUM = 32


class Storage:
    """A folder of its own for one run, under a path or URL that fsspec knows."""

    def __init__(self, place: str, run: str) -> None:
        self.place = f"{place.rstrip('/')}/{run}"

    def open(self) -> None:
        """Make the folder. Raises Unusable."""
        try:
            files, path = _files(self.place)
            files.makedirs(path, exist_ok=True)
        except (OSError, ValueError, ImportError) as error:
            raise Unusable(f"{self.place}: cannot be written: {error}") from None

    def close(self) -> None:
        """Remove the folder; a later run does not need it."""
        files, path = _files(self.place)
        files.rm(path, recursive=True)

    def keep(self, part: int, level: int, states: Words) -> None:
        """Write the states of a level of a part. Raises Unusable."""
        files, path = _files(self.place)
        total = hashlib.blake2b(digest_size=CHECKSUM)
        try:
            with files.open(f"{path}/{_name(part, level)}", "wb") as file:
                for piece in in_pieces(states):
                    total.update(piece.tobytes())
                    file.write(piece.tobytes())
                file.write(total.digest())
        except OSError as error:
            raise Unusable(f"{self.place}: cannot be written: {error.strerror or error}") from None

    def read(self, part: int, level: int, words: int) -> Words:
        """Return the states of a level of a part. Raises Unusable."""
        files, path = _files(self.place)
        try:
            content = files.cat_file(f"{path}/{_name(part, level)}")
        except OSError as error:
            raise Unusable(f"{self.place}: {_name(part, level)}: {error.strerror or error}") from None
        states, total = content[:-CHECKSUM], content[-CHECKSUM:]
        if len(states) % (8 * words) or hashlib.blake2b(states, digest_size=CHECKSUM).digest() != total:
            raise Unusable(f"{self.place}: {_name(part, level)}: not what was written")
        found: Words = np.frombuffer(states, np.uint64).reshape(-1, words).copy()
        return found


def _files(place: str) -> tuple[Any, str]:
    """Return the file system of the place, and the path there."""
    from fsspec.core import url_to_fs

    files, path = url_to_fs(place)
    return files, path


def _name(part: int, level: int) -> str:
    return f"part-{part:03}-level-{level:06}.words"
