"""The things that the argument of a property names: `named`."""

from collections.abc import Sequence
from typing import TypeVar

from schedcheck.checker.properties.former_names import suggestion
from schedcheck.checker.properties.unknown_property import UnknownProperty

Thing = TypeVar("Thing")


def named(arguments: tuple[str, ...], things: Sequence[Thing], kind: str, unknown: str) -> list[Thing]:
    """Return the thing whose text is the only argument; without an argument, all of them.

    `kind` says what the property takes, and `unknown` begins the message about any other argument. Raises: UnknownProperty.
    """
    if len(arguments) > 1:
        raise UnknownProperty(f"takes one {kind}, not {len(arguments)}")
    found = [each for each in things if not arguments or str(each) == arguments[0]]
    if not found:
        raise UnknownProperty(f"{unknown} {arguments[0]!r}{suggestion(arguments[0], map(str, things))}")
    return found
