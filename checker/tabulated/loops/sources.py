"""What a loop is made of: `Source`, and the instructions that numba has no name for: `Instruction`."""

from collections.abc import Callable
from functools import cached_property
from inspect import get_annotations
from typing import Any, get_args, get_origin

Native = Callable[[int], int]
"""Machine code: it takes the address of the arguments as words, and returns 0 unless it raised an error."""


class Source:
    """A function that is to run as machine code; with `inline`, it is inlined in others."""

    def __init__(self, function: Callable[..., Any], *, inline: bool) -> None:
        self.function = function
        self.inline = inline

    @property
    def name(self) -> str:
        """The module and name of the function."""
        return f"{self.function.__module__.rpartition('.')[2]}.{self.function.__qualname__}"

    @cached_property
    def results(self) -> tuple[type, ...]:
        """The types of the results: none for None, several for a tuple."""
        returned: Any = get_annotations(self.function, eval_str=True)["return"]
        if returned is None:
            return ()
        return get_args(returned) if get_origin(returned) is tuple else (returned,)


class Instruction:
    """An instruction of the machine, used in loops; the function of this name in `instructions.py` generates it."""

    def __init__(self, name: str) -> None:
        self.name = name
