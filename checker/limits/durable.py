"""Files that are written completely or not at all, even if the write is interrupted: `keep`, `scratch`, `claim`.

A file is written under a temporary name, synchronised and renamed, then its folder is synchronised. So it survives a
loss of power; a folder that is made for it is synchronised in the folder above. An existing file is not touched until
the new one is complete. A small file contains its own checksum: `sealed`, `unsealed`.
"""

import errno
import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, cast

TEMPORARY = ".schedcheck-part"
"""The suffix of a file's name while it is being written."""


class Unusable(Exception):
    """A folder that cannot be written to or resumed from; the text begins with the path."""


class Full(Unusable):
    """There is no room for a file: the disk, a quota or the largest size of a file. Complete files remain."""


NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""The errors of the system that more room would have avoided."""


def write(file: BinaryIO, piece: bytes) -> None:
    """Write the whole piece."""
    left = memoryview(piece)
    while left:
        left = left[file.write(left) :]


def sync(file: BinaryIO) -> None:
    """Flush the file to disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Flush the folder's file names to disk."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def rename(old: Path, new: Path) -> None:
    """Rename the file, replacing any file of the new name."""
    os.replace(old, new)


def keep(path: Path, pieces: Iterable[bytes]) -> str:
    """Write the pieces to the file; return their checksum. Raises Unusable, and leaves the file unchanged then."""
    temporary = path.with_name(path.name + TEMPORARY)
    total = hashlib.blake2b(digest_size=32)
    with _told(path, temporary):
        with open(temporary, "wb") as file:
            for piece in pieces:
                total.update(piece)
                write(file, piece)
            sync(file)
        rename(temporary, path)
        sync_folder(path.parent)
    return total.hexdigest()


def scratch(folder: Path, pieces: Iterable[bytes]) -> BinaryIO:
    """Return a nameless file in the folder with these pieces; it disappears after its last use. Raises Unusable."""
    with _told(folder, None):
        file: BinaryIO = cast(BinaryIO, TemporaryFile(dir=folder, buffering=0))  # noqa: SIM115  it stays open as long as it is used
        with _closed_if_it_fails(file):
            for piece in pieces:
                write(file, piece)
            # A full disk is reported here; later it would not be reported at all.
            sync(file)
    return file


def claim(folder: Path) -> BinaryIO:
    """Make the folder if needed, lock it against other processes, and delete unfinished files.

    Return the lock file; closing it releases the folder. Raises Unusable.
    """
    path = folder / "lock"
    with _told(path, None):
        made = [each for each in (folder, *folder.parents) if not each.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        for each in made:
            sync_folder(each.parent)
        file = open(path, "wb")  # noqa: SIM115  it stays open as long as the folder is used
        with _closed_if_it_fails(file):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Unusable(f"{folder}: another run is writing to it") from None
            for torn in folder.glob(f"*{TEMPORARY}"):
                torn.unlink()
    return file


def sealed(content: dict[str, Any]) -> tuple[bytes, str]:
    """Return the content as text together with its checksum, and the checksum."""
    total = hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=32).hexdigest()
    return json.dumps({"of": content, "checksum": total}, sort_keys=True, indent=1).encode(), total


def unsealed(text: bytes) -> tuple[dict[str, Any], str] | None:
    """Return the content of a sealed text and its checksum; None if the text is not what was written."""
    try:
        content = json.loads(text)["of"]
    except (ValueError, KeyError, TypeError):
        return None
    written, total = sealed(content)
    return (content, total) if written == text else None


@contextmanager
def _closed_if_it_fails(file: BinaryIO) -> Iterator[None]:
    """Close the file if the block fails."""
    try:
        yield
    except BaseException:
        with suppress(OSError):
            file.close()
        raise


@contextmanager
def _told(path: Path, temporary: Path | None) -> Iterator[None]:
    """Raise Unusable for an error of the system, Full if there is no room; delete the temporary file if the block fails."""
    try:
        yield
    except BaseException as error:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            kind = Full if error.errno in NO_ROOM else Unusable
            raise kind(f"{path}: cannot be written: {error.strerror or error}") from None
        raise
