"""A patch that changes a few characters of a function: `rewritten`"""

import inspect
import sys
import textwrap
from collections.abc import Callable
from functools import cached_property
from typing import Any

from pytest import MonkeyPatch


def rewritten(owner: Any, name: str, *changes: tuple[str, str]) -> Callable[[MonkeyPatch], None]:
    """Return the patch that replaces each text in the source of a function, which has it once, by another.

    `owner` is the module or the class of the function. The modules that have imported the function get the new one too.
    """

    def patch(monkey: MonkeyPatch) -> None:
        known = inspect.getattr_static(owner, name)
        made = _made(owner, name, changes)
        if isinstance(made, cached_property):
            made.__set_name__(owner, name)
        monkey.setattr(owner, name, made)
        if inspect.ismodule(owner):
            for module in list(sys.modules.values()):
                for alias, value in list(getattr(module, "__dict__", {}).items()):
                    if value is known:
                        monkey.setattr(module, alias, made)

    return patch


def _made(owner: Any, name: str, changes: tuple[tuple[str, str], ...]) -> Any:
    """Return the function of the changed source, in the names of its module. Raises: ValueError if a text differs."""
    source = textwrap.dedent(inspect.getsource(_function(inspect.getattr_static(owner, name))))
    for before, after in changes:
        if source.count(before) != 1:
            raise ValueError(f"{owner.__name__}.{name} has {before!r} {source.count(before)} times, expected once")
        source = source.replace(before, after)
    module = owner if inspect.ismodule(owner) else sys.modules[owner.__module__]
    made: dict[str, Any] = {}
    exec(compile(source, f"<{name} rewritten>", "exec"), vars(module), made)
    return made[name]


def _function(known: Any) -> Any:
    """Return the function of a method, a property or a cached property."""
    return getattr(known, "fget", None) or getattr(known, "func", None) or known
