"""The compiled loops: `bare`, `inlined`, `instruction`, and `Loop`, which is called like the function it is made from.

A loop is compiled at its first call with arguments of new types, and its object code is kept on disk, from which later
processes load it (docs/decisions/start.md).
"""

from collections.abc import Callable
from importlib.util import find_spec
from threading import Lock
from typing import Any, TypeVar, cast

import numpy as np

from schedcheck.checker.limits.aside import aside
from schedcheck.checker.limits.timer import doing_meanwhile
from schedcheck.checker.tabulated.loops import objects
from schedcheck.checker.tabulated.loops.blocks import Kinds, flattened
from schedcheck.checker.tabulated.loops.sources import Instruction, Native, Source

if find_spec("llvmlite") is None:
    raise ImportError("llvmlite is not installed")

Function = TypeVar("Function", bound=Callable[..., Any])
COMPILING = "compiling the loops, once for this version"


class Loop(Source):
    """A function that runs as machine code. It makes no arrays: its caller passes it all the room that it needs."""

    def __init__(self, function: Callable[..., Any], *, inline: bool) -> None:
        super().__init__(function, inline=inline)
        self.__doc__ = function.__doc__
        self._natives: dict[Kinds, Native] = {}
        self._compiling = Lock()

    def __call__(self, *given: Any) -> Any:
        """Run the loop on these arguments; other threads run meanwhile."""
        kinds, words = flattened(given)
        native = self._natives.get(kinds) or self._native(kinds)
        block = np.array(words + (0,) * len(self.results), np.uint64)
        native(block.ctypes.data)
        found = block[len(words) :].view(np.int64).tolist()
        found = [bool(each) if of is bool else each for each, of in zip(found, self.results, strict=True)]
        return tuple(found) if len(found) > 1 else found[0] if found else None

    def _native(self, kinds: Kinds) -> Native:
        """Return the machine code for arguments of these kinds: as kept, else compiled now and kept."""
        with self._compiling:
            if kinds not in self._natives:
                kept = objects.read(self.name, kinds)
                self._natives[kinds] = _loaded(self._compiled(kinds) if kept is None else kept)
            return self._natives[kinds]

    def _compiled(self, kinds: Kinds) -> objects.Code:
        with doing_meanwhile(COMPILING):
            code = aside(lambda: _compiled(self, kinds))
        objects.write(self.name, kinds, code)
        return code


def _compiled(loop: Loop, kinds: Kinds) -> objects.Code:
    from schedcheck.checker.tabulated.compiler.compiling import compiled

    return compiled(loop, kinds)


def _loaded(kept: objects.Code) -> Native:
    from schedcheck.checker.tabulated.loops.loading import native

    return native(kept)


def bare(function: Function) -> Function:
    """Make a loop. Nothing is counted by reference; with many arrays that would cost more than a step."""
    return cast(Function, Loop(function, inline=False))


def inlined(function: Function) -> Function:
    """Make a loop that is inlined in others: passing many arrays would cost more than the work itself."""
    return cast(Function, Loop(function, inline=True))


def instruction(name: str) -> Callable[..., Any]:
    """Return the instruction of this name, for use in loops only."""
    return cast(Callable[..., Any], Instruction(name))
