"""How the loops are compiled: `compiled`, `bare`, `inlined`.

Each is compiled when it is first called, and kept on the disk for the next time. A loop is put together from functions of
several files, and numba looks at one of them only when it asks whether a loop is still the same; so what is kept lies in
a folder that is named after the content of all of them.
"""

import os
import shutil
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import config, njit

OTHERS = 8
"""For so many versions of the files what is compiled is kept, as several may be in use."""

Function = TypeVar("Function", bound=Callable[..., Any])


def kept_in() -> Path:
    """The folder for what is compiled of the files as they are, below that of the user's caches."""
    content = blake2b(digest_size=8)
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        content.update(path.read_bytes())
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "schedcheck" / "loops" / content.hexdigest()


def is_compiled() -> bool:
    """Whether the loop that takes longest to compile is there already."""
    return any(kept_in().rglob("loops.expand*"))


def _keep_what_is_compiled() -> None:
    """Have numba keep it in our folder, where the user names no other and it can be made; and forget the oldest others."""
    folder = kept_in()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK)
        for old in sorted(folder.parent.iterdir(), key=lambda each: each.stat().st_mtime)[:-OTHERS]:
            shutil.rmtree(old, ignore_errors=True)
    except OSError:
        return
    if writable and "NUMBA_CACHE_DIR" not in os.environ:
        setattr(config, "CACHE_DIR", str(folder))  # noqa: B010 - numba's settings have no types


_keep_what_is_compiled()


def compiled(function: Function) -> Function:
    """A loop that may make arrays, and lets other threads run meanwhile."""
    return cast(Function, njit(cache=True, nogil=True)(function))


def bare(function: Function) -> Function:
    """A loop that makes no array, so that nobody counts who holds one: of many arrays at once that takes longer than a step."""
    without_counting: dict[str, Any] = {"_nrt": False}
    return cast(Function, njit(cache=True, nogil=True, **without_counting)(function))


def inlined(function: Function) -> Function:
    """As `bare`, and put in the place of each call: handing over many arrays takes longer than what is done with them."""
    without_counting: dict[str, Any] = {"_nrt": False}
    return cast(Function, njit(cache=True, nogil=True, inline="always", **without_counting)(function))
