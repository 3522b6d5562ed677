"""Files that are there whole or not at all, whatever happens while they are written: `keep`, `scratch`, `claim`.

A file is written under a temporary name, synchronised, renamed, and then its folder is synchronised, so that it also
outlasts a loss of power. Nothing that was there before is touched until the new file is whole.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, cast

TEMPORARY = ".schedcheck-part"
"""What the name of a file ends in while it is written."""


class Unusable(Exception):
    """A folder that cannot be written, or holds what cannot be gone on from; the text begins with the path."""


def write(file: BinaryIO, piece: bytes) -> None:
    """Write all of the piece."""
    left = memoryview(piece)
    while left:
        left = left[file.write(left) :]


def sync(file: BinaryIO) -> None:
    """Have what was written on the disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Have the names in the folder on the disk."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def rename(old: Path, new: Path) -> None:
    """Give the file its name."""
    os.replace(old, new)


def keep(path: Path, pieces: Iterable[bytes]) -> str:
    """Write the pieces to the file, and give their checksum. Raises Unusable; the file is then as it was before."""
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
    """A file in the folder with these pieces, without a name, that is gone once nobody uses it. Raises Unusable."""
    with _told(folder, None):
        file: BinaryIO = cast(BinaryIO, TemporaryFile(dir=folder, buffering=0))  # noqa: SIM115  it stays open as long as it is used
        with _closed_if_it_fails(file):
            for piece in pieces:
                write(file, piece)
            # What a disk has no room for is told now, and not never.
            sync(file)
    return file


def claim(folder: Path) -> BinaryIO:
    """Make the folder where there is none, keep others out of it until the file is closed, and clear away what is torn.

    Raises Unusable.
    """
    path = folder / "lock"
    with _told(path, None):
        folder.mkdir(parents=True, exist_ok=True)
        file = open(path, "wb")  # noqa: SIM115  it stays open as long as the folder is used
        with _closed_if_it_fails(file):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Unusable(f"{folder}: another run is writing to it") from None
            for torn in folder.glob(f"*{TEMPORARY}"):
                torn.unlink()
    return file


@contextmanager
def _closed_if_it_fails(file: BinaryIO) -> Iterator[None]:
    """Close the file where what is done with it fails."""
    try:
        yield
    except BaseException:
        with suppress(OSError):
            file.close()
        raise


@contextmanager
def _told(path: Path, temporary: Path | None) -> Iterator[None]:
    """Raises Unusable for what the system refuses; the temporary file is taken away, which makes room again."""
    try:
        yield
    except BaseException as error:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise Unusable(f"{path}: cannot be written: {error.strerror or error}") from None
        raise
