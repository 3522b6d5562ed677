"""Nodes by the names that kubectl takes, and what an unknown name is like: `node_named`, `nearest_three`."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches

from schedcheck.errors import InputError

OF_NODES = ("node", "nodes", "no")
MOST_NEAR = 3


def node_named(text: str, names: Collection[str], place: str, value: str = "") -> str:
    """Return the name of a node, which may be given as node/NAME; an error shows it, or the `value` that has it.

    Raises: InputError with the three nearest names.
    """
    before, _, after = text.partition("/")
    name = after if after and before.lower() in OF_NODES else text
    if name not in names:
        raise InputError(f"no node has this name{nearest_three(name, sorted(names))}", path=place, value=value or text)
    return name


def nearest_three(full: str, names: Sequence[str]) -> str:
    """Return the end of a message about an unknown name: the three names that are most like it."""
    ending = [name for name in names if "/" in name and name.endswith(f"/{full.rpartition('/')[2]}")]
    close = get_close_matches(full, names, n=MOST_NEAR, cutoff=0.5)
    named = list(dict.fromkeys([*ending, *close]))[:MOST_NEAR] or names[:MOST_NEAR]
    if not named:
        return "; the input has none"
    return f"; the nearest: {', '.join(each.removeprefix('default/') for each in named)}"
