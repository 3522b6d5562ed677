"""The lines of a record, plain or gzipped, one after the other: `lines`, `values`."""

import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, cast

from schedcheck.errors import InputError
from schedcheck.manifests.contents import GZIPPED, KINDS, special
from schedcheck.manifests.documents import STANDARD_INPUT, Document, line_value
from schedcheck.manifests.fields import Field

LONGEST: Final = 64 * 2**20
"""The bytes of the longest line that is read."""


BEGINNINGS: Final = frozenset({b"{", b"[{"})
"""The first lines of a document that goes on."""


def lines(path: str, longest: int = LONGEST) -> Iterator[bytes]:
    """Yield the lines of a file or of standard input ('-'). Raises: InputError."""
    file = STANDARD_INPUT if path == "-" else path
    what = special(path) if path != "-" else ""
    if what and what != KINDS[0o010000]:
        raise InputError(f"expected a file or a pipe, not {what}", file=file)
    number = 0
    try:
        with _opened(path) as stream:
            while line := stream.readline(longest + 1):
                number += 1
                if len(line) > longest:
                    raise InputError(f"expected at most {longest:,} bytes in a line", file=file, line=number)
                yield line
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"not gzip: {error}", file=file) from None
    except OSError as error:
        raise InputError(error.strerror or str(error), file=file) from None


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    with sys.stdin.buffer if path == "-" else open(path, "rb") as plain:
        packed = plain.peek(2)[:2] == GZIPPED  # type: ignore[union-attr]
        yield cast(BinaryIO, gzip.GzipFile(fileobj=plain)) if packed else plain


def values(path: str) -> Iterator[Field]:
    """Yield the JSON values of the lines, without empty ones. Raises: InputError."""
    file = STANDARD_INPUT if path == "-" else os.fspath(Path(path))
    given = enumerate(lines(path), 1)
    for number, line in given:
        if line.strip() in BEGINNINGS and number == 1:
            # A document over many lines, as kubectl writes it.
            whole = b"".join([line, *(each for _, each in given)])
            found = value(whole, file, 1)
            document = Document(file, 1, found.value)
            yield Field(document, found.value)
        elif line.strip():
            yield value(line, file, number)


def value(line: bytes, file: str, number: int) -> Field:
    """Return the JSON object of a line. Raises: InputError."""
    read = line_value(line, file, number)
    found = Field(Document(file, number, read, is_line=True), read)
    if not isinstance(read, dict):
        raise found.error("expected a map")
    return found
