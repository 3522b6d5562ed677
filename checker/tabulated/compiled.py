"""How the loops are compiled: `compiled`, `bare`, `inlined`.

Each is compiled when it is first called, and kept on the disk beside the package for the next time.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


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
