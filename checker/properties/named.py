"""The things that the argument of a property names: `named`."""

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from schedcheck.checker.properties.former_names import suggestion
from schedcheck.checker.properties.unknown_property import UnknownProperty

Thing = TypeVar("Thing")


def named(
    arguments: tuple[str, ...],
    things: Sequence[Thing],
    kind: str,
    unknown: str,
    names: Callable[[Thing], Collection[str]] = lambda thing: (str(thing),),
) -> list[Thing]:
    """Return the thing of which the argument is one of the `names`, by default its text; all of them without an argument.

    `kind` says what the property takes, and `unknown` begins the message about any other argument. Raises: UnknownProperty.
    """
    if not arguments:
        return list(things)
    if len(arguments) > 1:
        raise UnknownProperty(f"takes one {kind}, not {len(arguments)}")
    found = [each for each in things if arguments[0] in names(each)]
    if not found:
        raise UnknownProperty(f"{unknown} {arguments[0]!r}{suggestion(arguments[0], map(str, things))}")
    return found
