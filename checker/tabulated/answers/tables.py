"""The answers of the specification, kept between runs in a folder: `Tables`.

A file holds the answers of one identity, as arrays of numbers. The identity names everything the answers depend on, and
is the file's name. The file begins with a line that names the format, then a checksum of the identity and all the rest.
A file that does not match its checksum is not used. The least recently used files are removed when there are too many.
"""

import hashlib
import io
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from schedcheck.checker.limits.durable import Unusable, claim, keep
from schedcheck.checker.tabulated.caches import caches

if TYPE_CHECKING:
    import numpy.typing as npt

Arrays = Mapping[str, "npt.NDArray[Any]"]

FORMAT = b"schedcheck tables 1\n"
SUFFIX = ".tables"
FOLDER = "SCHEDCHECK_TABLES"
"""The environment variable that names the folder for answers."""

NONE = "none"
MOST_FILES = 64
MOST_BYTES = 256 << 20
CHECKSUM = 32


class Tables:
    """The answers in a folder; `say` receives one line about each file that cannot be used."""

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self.folder = folder
        self.say = say

    def read(self, identity: str) -> "dict[str, npt.NDArray[Any]] | None":
        """Return the answers of this identity; None if there is no intact file."""
        import numpy as np

        path = self._path(identity)
        try:
            content = path.read_bytes() if path.stat().st_size <= MOST_BYTES else b""
            os.utime(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            self._unfit(path, f"cannot be read: {error.strerror or error}")
            return None
        checksum, payload = _parted(content)
        if checksum != _checksum(identity, payload):
            self._unfit(path, "is damaged, or no file of answers")
            return None
        try:
            with np.load(io.BytesIO(payload), allow_pickle=False) as arrays:
                return {name: arrays[name] for name in arrays.files}
        except (ValueError, OSError, EOFError, KeyError, BadZipFile):
            self._unfit(path, "is damaged, or no file of answers")
            return None

    def write(self, identity: str, arrays: Arrays) -> None:
        """Keep the answers of this identity, and remove the least recently used files beyond the limits.

        Nothing is kept while another process writes to the folder, or if the folder is not writable.
        """
        import numpy as np

        buffer = io.BytesIO()
        content: dict[str, Any] = dict(arrays)
        np.savez_compressed(buffer, **content)
        payload = buffer.getvalue()
        if len(payload) > MOST_BYTES // 2:
            return
        try:
            lock = claim(self.folder)
        except Unusable as reason:
            if "another run" not in str(reason):
                self.say(f"answers are not kept: {reason}")
            return
        with lock:
            try:
                keep(self._path(identity), [FORMAT, _checksum(identity, payload), payload])
            except Unusable as reason:
                self.say(f"answers are not kept: {reason}")
            self._remove_the_least_used(self._path(identity))

    def _remove_the_least_used(self, fresh: Path) -> None:
        found = []
        for path in self.folder.glob(f"*{SUFFIX}"):
            with suppress(OSError):
                status = path.stat()
                found.append((path == fresh, status.st_mtime_ns, path.name, status.st_size, path))
        total = 0
        for number, (*_, size, path) in enumerate(sorted(found, reverse=True), 1):
            total += size
            if number > MOST_FILES or total > MOST_BYTES:
                with suppress(OSError):
                    path.unlink()

    def _path(self, identity: str) -> Path:
        return self.folder / f"{identity}{SUFFIX}"

    def _unfit(self, path: Path, why: str) -> None:
        self.say(f"{path}: {why}; its answers are recomputed")


def where(given: str | None) -> Path | None:
    """Return the folder given, else by environment variable, else in the user's cache folder; None for `none`."""
    named = given or os.environ.get(FOLDER)
    if named == NONE:
        return None
    return Path(named) if named else caches() / "tables"


def _parted(content: bytes) -> tuple[bytes, bytes]:
    """Return the checksum and the payload of a file; both empty if the file has another format."""
    if not content.startswith(FORMAT):
        return b"", b""
    begin = len(FORMAT) + CHECKSUM
    return content[len(FORMAT) : begin], content[begin:]


def _checksum(identity: str, payload: bytes) -> bytes:
    total = hashlib.blake2b(identity.encode(), digest_size=CHECKSUM)
    total.update(payload)
    return total.digest()
