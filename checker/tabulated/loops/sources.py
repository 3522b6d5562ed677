"""What a loop is made of: `Source`, and the instructions that Python has no name for: `Instruction`."""

from collections.abc import Callable
from functools import cached_property
from inspect import get_annotations
from typing import Any, TypeVar, get_args, get_origin

Native = Callable[[int], None]
"""Machine code: it takes the address of the words of the arguments, and of room for the results behind them."""

UNCHANGED: set[type] = set()
"""The named tuples whose arrays no loop writes to, so that what was read of them need not be read again."""

Made = TypeVar("Made", bound=type)


def unchanged(made: Made) -> Made:
    """Note that no loop writes to the arrays of a named tuple, nor to those within; the compiler refuses what does."""
    UNCHANGED.add(made)
    return made


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
    """An instruction of the machine, used in loops, by its name in `compiler/instructions.py`."""

    def __init__(self, name: str) -> None:
        self.name = name
