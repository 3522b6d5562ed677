"""Explorations that were prepared before, in files: `read`, `write`."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from schedcheck.checker.tabulated import own_files
from schedcheck.checker.tabulated.loops.arrays import Answers
from schedcheck.checker.tabulated.loops.chunks import Chunks
from schedcheck.checker.tabulated.loops.hashing import Table
from schedcheck.checker.tabulated.loops.orbits import Orbits
from schedcheck.checker.tabulated.loops.program import Program
from schedcheck.checker.tabulated.search.warm import Counts, Warm

FORMAT = b"schedcheck start 1\n"
SUFFIX = ".start"
MOST_BYTES = 64 << 20
MOST_FILES = 32

CLASSES = {each.__name__: each for each in (Answers, Chunks, Counts, Orbits, Program, Table, Warm)}


def read(folder: Path, name: str) -> tuple[Warm, dict[str, Any]] | None:
    """Return the exploration of this name, and what was noted of it; None if there is no intact file."""
    path = folder / f"{name}{SUFFIX}"
    payload = own_files.read(path, FORMAT, MOST_BYTES)
    if payload is None:
        return None
    with suppress(OSError):
        os.utime(path)
    text, _, content = payload.partition(b"\n")
    said = json.loads(text)
    return _restored(said["exploration"], content), said["noted"]


def write(folder: Path, name: str, warm: Warm, noted: dict[str, Any]) -> None:
    """Keep the exploration, unless it is large or the folder cannot be written to; remove the least recently used ones."""
    content = bytearray()
    said = {"exploration": _described(warm, content), "noted": noted}
    payload = json.dumps(said).encode() + b"\n" + bytes(content)
    if len(payload) > MOST_BYTES // 2:
        return
    with suppress(OSError):
        own_files.write(folder / f"{name}{SUFFIX}", FORMAT, payload)
        files = sorted(folder.glob(f"*{SUFFIX}"), key=lambda each: each.stat().st_mtime_ns)
        for old in files[:-MOST_FILES]:
            old.unlink(missing_ok=True)


def remove(folder: Path, name: str) -> None:
    """Remove the exploration of this name."""
    with suppress(OSError):
        (folder / f"{name}{SUFFIX}").unlink(missing_ok=True)


def _described(value: Any, content: bytearray) -> Any:
    """Return the value as JSON can hold it; its arrays are appended to the content, and described by their place in it."""
    if isinstance(value, np.ndarray):
        place = len(content)
        content += value.tobytes()
        return {"type": value.dtype.str, "shape": value.shape, "at": place}
    if isinstance(value, tuple):
        items = [_described(each, content) for each in value]
        return {"of": type(value).__name__, "items": items} if hasattr(value, "_fields") else items
    return value if value is None or isinstance(value, bool) else int(value)


def _restored(said: Any, content: bytes) -> Any:
    """Return the value that was described. Its arrays are copies, so that they are aligned."""
    if isinstance(said, list):
        return tuple(_restored(each, content) for each in said)
    if not isinstance(said, dict):
        return said
    if "of" in said:
        return CLASSES[said["of"]](*(_restored(each, content) for each in said["items"]))
    made = np.empty(said["shape"], said["type"])
    size = made.nbytes
    made.reshape(-1)[:] = np.frombuffer(content[said["at"] : said["at"] + size], said["type"])
    return made
