"""The help text of a command, from its docstring: `help_of`."""

import inspect
from collections.abc import Callable
from typing import Any


def help_of(command: Callable[..., Any]) -> str:
    """Return the docstring of a command with each paragraph on one line, so that the terminal alone wraps it."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(each.split()) for each in paragraphs)
