"""Files that a user's own processes read back, and that nobody else can have written: `read`, `write`, `checksum`."""

import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path

CHECKSUM = 32

FOREIGN = stat.S_IWGRP | stat.S_IWOTH
"""The permissions with which others can change a file."""


def read(path: Path, form: bytes, most: int) -> bytes | None:
    """Return the content of the file, of at most so many bytes; None if it is not intact, or not this user's alone.

    `form` is the line that names the format. Links are not followed.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    with open(file, "rb") as opened:
        if not (_own(os.fstat(file)) and _own(os.stat(path.parent))):
            return None
        content = opened.read(most)
    begin = len(form) + CHECKSUM
    payload = content[begin:]
    return payload if content[:begin] == form + checksum(path.name, payload) else None


def write(path: Path, form: bytes, payload: bytes) -> None:
    """Write the file, with a checksum of its name and content, completely or not at all. Raises OSError."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with open(file, "wb") as opened:
            opened.write(form + checksum(path.name, payload) + payload)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def checksum(name: str, payload: bytes) -> bytes:
    """Return the checksum of a file's name and content."""
    total = hashlib.blake2b(name.encode(), digest_size=CHECKSUM)
    total.update(payload)
    return total.digest()


def _own(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user, and nobody else can write to it."""
    return status.st_uid == os.geteuid() and not status.st_mode & FOREIGN
