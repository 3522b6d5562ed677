"""Files, directories and standard input to documents, one per Kubernetes object: `documents`."""

import json
import math
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NoReturn

from schedcheck.errors import InputError
from schedcheck.manifests.contents import content, special
from schedcheck.manifests.yaml_documents import yaml_documents

PLAIN: Final = (".yaml", ".yml", ".json")
PACKED: Final = ".gz"
SUFFIXES: Final = (*PLAIN, *(suffix + PACKED for suffix in PLAIN))
STANDARD_INPUT: Final = "standard input"
SPACE: Final = re.compile(r"[ \t\n\r]*")
BYTE_ORDER_MARKS: Final = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(frozen=True)
class Document:
    """One document of a file, numbered from 1. `notes` name its probable mistakes.

    `is_line`: the document is one line of its file, and `number` is the number of that line. `within` is the path of the
    document in that line.
    """

    file: str
    number: int
    value: object
    notes: tuple[str, ...] = ()
    is_line: bool = False
    within: str = ""


def documents(paths: Iterable[str | Path]) -> Iterator[Document]:
    """Yield the documents that are not empty, of files, of directories and all below them, and of standard input ('-').

    Raises: InputError also if a path holds no document.
    """
    for path in map(str, paths):
        files, notes = _files(path)
        if not files:
            skipped = "".join(f"; {note}" for note in notes)
            known = ", ".join("*" + suffix for suffix in SUFFIXES)
            raise InputError(f"expected a manifest ({known}){skipped}", file=path)
        empty = True
        for file in files:
            for document in _documents(file):
                yield replace(document, notes=(*notes, *document.notes)) if empty else document
                empty = False
        if empty:
            raise InputError("expected a document, but there is none", file=_shown_name(path))


def values(text: str, name: str) -> Iterator[Document]:
    """Yield the documents of a text that is no file; errors call it by this name. Raises: InputError."""
    for number, (value, notes) in enumerate(_values(text, name), start=1):
        if value is not None:
            yield Document(name, number, value, notes)


def _files(path: str) -> tuple[list[str], tuple[str, ...]]:
    """Return the path itself, or the sorted manifests in the directory, and a note for each special file."""
    if path == "-" or not Path(path).is_dir():
        return [path], ()

    def unreadable(error: OSError) -> NoReturn:
        raise InputError(error.strerror or str(error), file=str(error.filename)) from None

    below = os.walk(path, onerror=unreadable)
    found = sorted(
        os.path.join(folder, name) for folder, _, names in below for name in names if name.endswith(SUFFIXES)
    )
    kinds = {file: special(file) for file in found}
    notes = tuple(f"{file}: not read, as it is {what}" for file, what in kinds.items() if what)
    return [file for file in found if not kinds[file]], notes


def _documents(path: str) -> Iterator[Document]:
    file = _shown_name(path)
    yield from values(_text(path, file), file)


def _shown_name(path: str) -> str:
    return STANDARD_INPUT if path == "-" else path


def _text(path: str, file: str) -> str:
    read = content(path, file)
    encoding = BYTE_ORDER_MARKS.get(read[:2], "utf-8-sig")
    try:
        return read.decode(encoding)
    except UnicodeDecodeError as error:
        line = read.count(b"\n", 0, error.start) + 1
        raise InputError("expected text in UTF-8", file=file, line=line) from None


Value = tuple[object, tuple[str, ...]]
"""The value of a document, with its notes."""


def _values(text: str, file: str) -> Iterator[Value]:
    """Yield the values of the text, which is JSON or YAML. A text that begins like an object may be either."""
    if _named_json(file):
        yield from _json_values(text, file)
        return
    if text.startswith("{", _after_space(text, 0)):
        try:
            values = list(_json_values(text, file))
        except InputError:
            pass  # a flow mapping of YAML begins like a JSON object too
        else:
            yield from values
            return
    for document in yaml_documents(text, file):
        yield document.value, document.notes


def _named_json(file: str) -> bool:
    return file.removesuffix(PACKED).endswith(".json")


def is_json(text: str, file: str) -> bool:
    """Whether the text of a file is read as JSON, not as YAML."""
    if _named_json(file):
        return True
    if not text.startswith("{", _after_space(text, 0)):
        return False
    try:
        return all(True for _ in _json_values(text, file))
    except InputError:
        return False


def decoded(file: str) -> str:
    """Return the text of a file that was read before. Raises: InputError if it cannot be read any more."""
    return _text(file, file)


def _json_values(text: str, file: str) -> Iterator[Value]:
    """Yield the JSON values that follow one another in the text. If a key is given twice, the last one counts."""
    decoder = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)
    position = _after_space(text, 0)
    try:
        while position < len(text):
            value, end = decoder.raw_decode(text, position)
            yield value, ()
            position = _after_space(text, end)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", file=file, line=error.lineno) from None
    except RecursionError:
        raise InputError("not JSON: nested too deeply", file=file) from None
    except ValueError as error:
        raise InputError(f"not JSON: {error}", file=file) from None


def line_value(line: bytes, file: str, number: int) -> object:
    """Return the JSON value of a line of a file. Raises: InputError."""
    try:
        return json.loads(line, parse_float=_finite, parse_constant=_finite)
    except UnicodeDecodeError:
        raise InputError("expected text in UTF-8", file=file, line=number) from None
    except RecursionError:
        raise InputError("not JSON: nested too deeply", file=file, line=number) from None
    except ValueError as error:
        raise InputError(f"not JSON: {error}", file=file, line=number) from None


def _after_space(text: str, position: int) -> int:
    """Return the position of the first character from `position` on that is not white space."""
    match = SPACE.match(text, position)
    return match.end() if match else position


def _finite(number: str) -> float:
    """Raises: ValueError for NaN, Infinity and numbers that exceed a float."""
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"expected a finite number, not {number[:20]}")
    return value
