"""The levels of each part, kept where all machines can read them, a folder or the bucket of an object store: `Storage`."""

import errno
import hashlib
import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np

from schedcheck.checker.limits.durable import Unusable
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.runs import in_pieces

Result = TypeVar("Result")

CHECKSUM = 32

PAUSES = (0.5, 1.0, 2.0, 4.0)
"""The seconds before each further try of what failed; the network or the store may be back."""

FINAL = (
    FileExistsError,
    FileNotFoundError,
    ImportError,
    IsADirectoryError,
    NotADirectoryError,
    NotImplementedError,
    PermissionError,
    ValueError,
)
"""The errors that another try does not mend."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)

MARK = "run"
"""The name of the file by which a worker finds that it sees what this process wrote."""


class Storage:
    """A folder of its own for one run, under a path or URL that fsspec knows.

    An object store has neither folders nor renaming: a level is one object, which is put as a whole. Each attempt at a
    part has names of its own, so a worker that was taken for dead and still writes cannot change what is read.
    """

    def __init__(self, place: str, run: str) -> None:
        # A worker on another machine has another current folder.
        self.place = f"{place if '://' in place else os.path.abspath(place)}".rstrip("/") + f"/{run}"

    def open(self) -> None:
        """Write the mark of the run. Raises Unusable."""
        self._surely("cannot be written", self._marked)

    def look(self) -> None:
        """Raises Unusable where the mark of the run cannot be read, as in a folder that each machine has of its own."""
        if self._surely("cannot be read", lambda: self._content(MARK)) != self.place.encode():
            raise Unusable(f"{self.place}: {MARK}: not what was written")

    def close(self) -> str:
        """Remove what was written, which no later run needs; return why it is left, or an empty text."""
        try:
            self._surely("cannot be removed", self._remove)
        except Unusable as why:
            return str(why)
        return ""

    def keep(self, part: int, level: int, attempt: int, states: Words) -> None:
        """Write the states of a level of a part. Raises Unusable.

        If it is raised, or the writer is lost, something else than the level may be there. Only a level whose writer has
        said that it is complete is read.
        """
        self._surely("cannot be written", lambda: self._write(_name(part, level, attempt), states))

    def read(self, part: int, level: int, attempt: int, states: int, words: int) -> Words:
        """Return so many states of a level of a part. Raises Unusable."""
        name = _name(part, level, attempt)
        content = self._surely(f"{name} cannot be read", lambda: self._content(name))
        rows, total = content[:-CHECKSUM], content[-CHECKSUM:]
        if len(rows) != 8 * words * states or hashlib.blake2b(rows, digest_size=CHECKSUM).digest() != total:
            raise Unusable(f"{self.place}: {name}: not what was written")
        found: Words = np.frombuffer(rows, np.uint64).reshape(-1, words).copy()
        return found

    def _marked(self) -> None:
        files, path = _files(self.place)
        try:
            files.pipe_file(f"{path}/{MARK}", self.place.encode())
        except FileNotFoundError:
            # Folders must be made. A bucket is not: it would be one that nobody asked for.
            if not files.exists(path.split("/")[0] or "/"):
                raise
            files.makedirs(path, exist_ok=True)
            files.pipe_file(f"{path}/{MARK}", self.place.encode())

    def _remove(self) -> None:
        files, path = _files(self.place)
        # What other processes wrote is not in this one's memory of the folder.
        files.invalidate_cache()
        with suppress(FileNotFoundError):
            files.rm(path, recursive=True)

    def _write(self, name: str, states: Words) -> None:
        files, path = _files(self.place)
        total = hashlib.blake2b(digest_size=CHECKSUM)
        with files.open(f"{path}/{name}", "wb") as file:
            for piece in in_pieces(states):
                total.update(piece.tobytes())
                file.write(piece.tobytes())
            file.write(total.digest())

    def _content(self, name: str) -> bytes:
        files, path = _files(self.place)
        content: bytes = files.cat_file(f"{path}/{name}")
        return content

    def _surely(self, what: str, call: Callable[[], Result]) -> Result:
        """Return the result of the call, tried again where that may help. Raises Unusable with one line."""
        for pause in (*PAUSES, None):
            try:
                return call()
            # Libraries of object stores raise errors of their own kinds.
            except Exception as error:
                if pause is None or isinstance(error, FINAL) or getattr(error, "errno", None) in FULL:
                    raise Unusable(f"{self.place}: {what}: {_line(error)}") from None
                time.sleep(pause)
        raise AssertionError("the last try returns or raises")


def _files(place: str) -> tuple[Any, str]:
    """Return the file system of the place, and the path there."""
    from fsspec.core import url_to_fs

    files, path = url_to_fs(place)
    return files, path


def _line(error: Exception) -> str:
    """Return the first line of what is wrong."""
    if isinstance(error, NotImplementedError) and not str(error):
        return "file systems of this kind have no such operation"
    told = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(told).splitlines()[0]


def _name(part: int, level: int, attempt: int) -> str:
    return f"part-{part:03}-level-{level:06}-attempt-{attempt:03}.words"
