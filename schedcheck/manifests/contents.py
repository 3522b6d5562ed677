"""The bytes of files and of standard input, gzipped or not: `special`, `content`, `unpacked`.

Gzipped content is recognized by its first two bytes, whatever the name of the file. More than `MOST_BYTES` are refused:
content is held in memory, and a small file may unpack to more than the memory holds.
"""

import gzip
import io
import os
import stat
import sys
import zlib
from pathlib import Path
from typing import Final

from schedcheck.errors import InputError

GZIPPED: Final = b"\x1f\x8b"
MOST_BYTES: Final = 2 * 2**30
"""The most bytes read: about ten times a dump of 5,000 nodes and 50,000 pods."""

KINDS: Final = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def special(path: str) -> str:
    """Return the kind of a special file, such as a pipe; empty for a file, a folder, or a path that does not exist."""
    try:
        return KINDS.get(stat.S_IFMT(os.stat(path).st_mode), "")
    except (OSError, ValueError):
        return ""


def content(path: str, file: str) -> bytes:
    """Return all bytes of a file, or of standard input ('-'), unpacked. `file` is its name in messages.

    A pipe is read, such as <(…) of a shell. Other devices and sockets are refused: they may have no end, or no content.
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
    """Return the unpacked content of gzipped bytes.

    Raises: InputError if they are damaged, or unpack to more than `most` bytes.
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as stream:
            read = stream.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"not gzip: {error}", file=file) from None
    if len(read) > most:
        raise InputError(f"unpacks to more than {most:,} bytes", file=file)
    return read
