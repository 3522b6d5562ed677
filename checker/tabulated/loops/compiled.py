"""The compilation of the loops: `compiled`, `bare`, `inlined`.

Each loop is compiled at its first call and cached on disk. A loop is built from functions of several files, but numba
checks only one of them to see whether its cache is valid. So the cache folder is named after the content of all files.
"""

import os
import shutil
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import config, njit

from schedcheck.checker.limits.aside import aside

OTHERS = 8
"""The number of versions of the files whose compiled loops are kept, as several may be in use."""

Function = TypeVar("Function", bound=Callable[..., Any])


def kept_in() -> Path:
    """Return the cache folder for the loops compiled from the files as they are."""
    content = blake2b(digest_size=8)
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        content.update(path.read_bytes())
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "schedcheck" / "loops" / content.hexdigest()


def is_compiled() -> bool:
    """Whether the loop that takes longest to compile is in the cache."""
    return any(kept_in().rglob("loops.expand*"))


def _keep_what_is_compiled() -> None:
    """Point numba's cache at our folder and delete the oldest caches.

    Nothing is changed if the user names another cache folder, or if ours cannot be made or written to.
    """
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
    """Compile a loop that may make arrays; other threads run meanwhile."""
    return cast(Function, _interruptible(njit(cache=True, nogil=True)(function)))


def bare(function: Function) -> Function:
    """Compile a loop that makes no arrays, without reference counting; with many arrays that costs more than a step."""
    without_counting: dict[str, Any] = {"_nrt": False}
    return cast(Function, _interruptible(njit(cache=True, nogil=True, **without_counting)(function)))


def inlined(function: Function) -> Function:
    """Compile as `bare`, and inline every call: passing many arrays would cost more than the work itself."""
    without_counting: dict[str, Any] = {"_nrt": False}
    return cast(Function, njit(cache=True, nogil=True, inline="always", **without_counting)(function))


def _interruptible(dispatcher: Any) -> Any:
    """Have numba compile the loop aside when Python first calls it, so that limits and Ctrl-C need not wait for LLVM."""
    compile_for_args = dispatcher._compile_for_args
    dispatcher._compile_for_args = lambda *given: aside(lambda: compile_for_args(*given))
    return dispatcher
