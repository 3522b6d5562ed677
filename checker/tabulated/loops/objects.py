"""The object code of loops, kept between processes in a folder: `read`, `write`.

A file's name is a checksum of all that the code depends on: the sources, the versions of Python and of the libraries, the
processor with its features, and the kinds of the arguments. The file holds a checksum of its name and its content. What
does not match it, or what another user could have written, is not executed but compiled again.
"""

import hashlib
import platform
import shutil
import sys
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from schedcheck.checker.tabulated import own_files
from schedcheck.checker.tabulated.caches import caches
from schedcheck.checker.tabulated.loops.blocks import Kinds, written

FORMAT = b"schedcheck loop 1\n"
SUFFIX = ".loop"
MOST_BYTES = 64 << 20

OTHERS = 8
"""The number of versions of the sources whose loops are kept, as several may be in use."""


class Code(NamedTuple):
    """The object code of a loop, and the name of its function."""

    symbol: str
    code: bytes


@cache
def folder() -> Path:
    """Return the folder for the loops of the sources as they are."""
    content = hashlib.blake2b(digest_size=8)
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        content.update(path.read_bytes())
    return caches() / "loops" / content.hexdigest()


def is_kept(name: str) -> bool:
    """Whether the loop is kept for some kinds of arguments."""
    return any(folder().glob(f"{name}-*{SUFFIX}"))


def read(name: str, kinds: Kinds) -> Code | None:
    """Return the object code of a loop; None if there is no intact file that this user alone can have written."""
    payload = own_files.read(_path(name, kinds), FORMAT, MOST_BYTES)
    if payload is None:
        return None
    symbol, _, code = payload.partition(b"\n")
    return Code(symbol.decode(), code)


def write(name: str, kinds: Kinds, code: Code) -> None:
    """Keep the object code of a loop, unless the folder cannot be written to; remove those of older sources."""
    path = _path(name, kinds)
    payload = code.symbol.encode() + b"\n" + code.code
    with suppress(OSError):
        own_files.write(path, FORMAT, payload)
        for old in sorted(path.parents[1].iterdir(), key=lambda each: each.stat().st_mtime)[:-OTHERS]:
            shutil.rmtree(old, ignore_errors=True)


def _path(name: str, kinds: Kinds) -> Path:
    total = hashlib.blake2b(f"{_compiler()} {name} {written(kinds)}".encode(), digest_size=16)
    return folder() / f"{name}-{total.hexdigest()}{SUFFIX}"


@cache
def _compiler() -> str:
    """Return what code depends on apart from the sources: Python, the libraries, the processor and its features."""
    from llvmlite import binding

    cpu, features = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    parts = (sys.version, platform.machine(), np.__version__, version("llvmlite"), cpu, features)
    return " ".join(parts)


def version(library: str) -> str:
    """Return the version of a library as its files state it, without importing it."""
    found = find_spec(library)
    text = b""
    if found is not None and found.origin is not None:
        with suppress(OSError):
            text = Path(found.origin).with_name("_version.py").read_bytes()
    return hashlib.blake2b(text, digest_size=16).hexdigest()
