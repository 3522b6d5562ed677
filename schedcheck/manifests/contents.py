"""The bytes of files and of standard input, gzipped or not: `content`, `unreadable`.

What is gzipped is told by its first two bytes, whatever its name. More than `MOST_BYTES` are refused, as what is read is
held in memory, and a small file may unpack to far more than there is.
"""

import gzip
import io
import os
import stat
import sys
import zlib
from pathlib import Path
from typing import Final

from schedcheck.manifests.errors import InputError

GZIPPED: Final = b"\x1f\x8b"
MOST_BYTES: Final = 2 * 2**30
"""About ten times what a dump of 5,000 nodes and 50,000 pods has."""

KINDS: Final = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def special(path: str) -> str:
    """What a path is that is neither a file nor a folder; nothing if it is one, or is not there."""
    try:
        return KINDS.get(stat.S_IFMT(os.stat(path).st_mode), "")
    except (OSError, ValueError):
        return ""


def content(path: str, file: str) -> bytes:
    """All bytes of a file, or of standard input ('-'), unpacked. `file` is its name in messages.

    A pipe may be named, as a shell's <(…) does; other devices and sockets have no end, or no beginning.
    Raises: InputError.
    """
    what = special(path) if path != "-" else ""
    if what and what != KINDS[stat.S_IFIFO] and path not in (os.devnull, "/dev/stdin"):
        raise InputError(f"expected a file, a folder or a pipe, not {what}", file=file)
    try:
        read = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(getattr(error, "strerror", None) or str(error), file=file) from None
    return unpacked(read, file) if read.startswith(GZIPPED) else read


def unpacked(packed: bytes, file: str, most: int = MOST_BYTES) -> bytes:
    """What was gzipped. Raises: InputError if it is damaged, or unpacks to more than `most` bytes."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as stream:
            read = stream.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"not gzip: {error}", file=file) from None
    if len(read) > most:
        raise InputError(f"unpacks to more than {most:,} bytes", file=file)
    return read
