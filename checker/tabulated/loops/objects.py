"""The object code of loops, kept between processes in a folder: `read`, `write`.

A file's name is a checksum of all that the code depends on: the sources, the versions of Python and of the libraries, the
processor with its features, and the kinds of the arguments. The file holds a checksum of its name and its content. What
does not match it, or what another user could have written, is not executed but compiled again.
"""

import hashlib
import os
import platform
import shutil
import stat
import sys
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from schedcheck.checker.tabulated.caches import caches
from schedcheck.checker.tabulated.loops.blocks import Kinds, written

FORMAT = b"schedcheck loop 1\n"
SUFFIX = ".loop"
CHECKSUM = 32
MOST_BYTES = 64 << 20

SIMULATOR = "NUMBA_ENABLE_CUDASIM"
"""Numba's variable for its simulator of CUDA, which changes nothing in the code for the main processor."""

OTHERS = 8
"""The number of versions of the sources whose loops are kept, as several may be in use."""

FOREIGN = stat.S_IWGRP | stat.S_IWOTH
"""The permissions with which others can change a file."""


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
    path = _path(name, kinds)
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    with open(file, "rb") as opened:
        if not (_own(os.fstat(file)) and _own(os.stat(path.parent))):
            return None
        content = opened.read(MOST_BYTES)
    begin = len(FORMAT) + CHECKSUM
    payload = content[begin:]
    if content[:begin] != FORMAT + _checksum(path.name, payload):
        return None
    symbol, _, code = payload.partition(b"\n")
    return Code(symbol.decode(), code)


def write(name: str, kinds: Kinds, code: Code) -> None:
    """Keep the object code of a loop, unless the folder cannot be written to; remove those of older sources."""
    path = _path(name, kinds)
    payload = code.symbol.encode() + b"\n" + code.code
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            with open(file, "wb") as opened:
                opened.write(FORMAT + _checksum(path.name, payload) + payload)
            os.replace(temporary, path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        for old in sorted(path.parents[1].iterdir(), key=lambda each: each.stat().st_mtime)[:-OTHERS]:
            shutil.rmtree(old, ignore_errors=True)


def _own(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user, and nobody else can write to it."""
    return status.st_uid == os.geteuid() and not status.st_mode & FOREIGN


def _path(name: str, kinds: Kinds) -> Path:
    total = hashlib.blake2b(f"{_compiler()} {name} {written(kinds)}".encode(), digest_size=16)
    return folder() / f"{name}-{total.hexdigest()}{SUFFIX}"


@cache
def _compiler() -> str:
    """Return what code depends on apart from the sources: Python, the libraries, the processor and its features."""
    from llvmlite import binding

    cpu, features = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    set_by_user = sorted(
        f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_") and name != SIMULATOR
    )
    parts = (sys.version, platform.machine(), np.__version__, version("numba"), version("llvmlite"), cpu, features)
    return " ".join((*parts, *set_by_user))


def version(library: str) -> str:
    """Return the version of a library as its files state it, without importing it."""
    found = find_spec(library)
    text = b""
    if found is not None and found.origin is not None:
        with suppress(OSError):
            text = Path(found.origin).with_name("_version.py").read_bytes()
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def _checksum(name: str, payload: bytes) -> bytes:
    total = hashlib.blake2b(name.encode(), digest_size=CHECKSUM)
    total.update(payload)
    return total.digest()
