"""The limits that every command keeps from its start to its end: `within_limits`."""

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec

from schedcheck.api.values import GIGABYTES, SECONDS

Arguments = ParamSpec("Arguments")


def within_limits(command: Callable[Arguments, int], asking: Collection[str] = ()) -> Callable[Arguments, int]:
    """The command, ended at its `--time` and `--memory`, showing what it is doing unless it has `--quiet`.

    With one of the options `asking` it has limits also where none are given.
    """

    @wraps(command)
    def run(*given: Arguments.args, **named: Arguments.kwargs) -> int:
        from schedcheck.checker.limits.timer import limited, unseen
        from schedcheck.report.text.progress import activity_line

        bound = signature(command).bind(*given, **named)
        bound.apply_defaults()
        seconds, memory = limits(bound.arguments, asking)
        with limited(seconds, memory, unseen if bound.arguments.get("quiet") else activity_line):
            return command(*given, **named)

    return run


def limits(arguments: Mapping[str, Any], asking: Collection[str]) -> tuple[float | None, float | None]:
    """The seconds and the GiB that the arguments of a command allow; with a folder for its levels memory ends nothing."""
    seconds, memory = arguments.get("time"), arguments.get("memory")
    if any(arguments[option] is not None for option in asking):
        seconds, memory = seconds or SECONDS, memory or GIGABYTES
    if arguments.get("checkpoint") is not None or arguments.get("resume") is not None:
        memory = None
    return seconds, memory
