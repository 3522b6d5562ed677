"""Nodes by the names that kubectl takes, and what an unknown name is like: `node_named`, `nearest_three`, `called`."""

import re
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher

from schedcheck.errors import InputError

OF_NODES = ("node", "nodes", "no")
MOST_NEAR = 3
FARTHEST = 2.5
"""The most that a name and one that may be meant are unlike, by `_unlike`."""


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
    """Return the end of a message about an unknown name: the three names that are most like it, best first.

    A name is the last part of NAMESPACE/TYPE/NAME. The same name is best, then one that begins with it, then one that is
    spelled like it; of two that are equally like it the one in the same namespace. If none is like it, three are named.
    """
    space, name = full.partition("/")[0], full.rpartition("/")[2]

    def unlike(other: str) -> tuple[float, bool, tuple[tuple[int, str], ...]]:
        same = other.partition("/")[0] == space
        return _unlike(name.lower(), other.rpartition("/")[2].lower()), not same, natural(other)

    best = sorted(names, key=unlike)[:MOST_NEAR]
    near = [each for each in best if unlike(each)[0] <= FARTHEST]
    said = ", ".join(each.removeprefix("default/") for each in near or best)
    if near:
        return f"; the nearest: {said}"
    return f"; the input has {said or 'none'}{', …' if len(names) > len(best) else ''}"


def _unlike(name: str, other: str) -> float:
    """Return how unlike two names are: 0 the same, 1 if the other begins with it, from 2 to 3 as they differ in letters."""
    if name == other:
        return 0
    if name and other.startswith(name):
        return 1
    compared = SequenceMatcher(None, name, other)
    # An upper bound of the other ratio, and much faster; there may be 50,000 pods.
    return 3 - compared.ratio() if compared.quick_ratio() >= 3 - FARTHEST else 3


def called(kind: str, namespace: str, name: str) -> str:
    """Return the name of an object as every command takes it: `shop/deployment/web`, or `deployment/web` in default."""
    where = "" if namespace == "default" else f"{namespace}/"
    return f"{where}{kind.lower()}/{name}"


def natural(text: str) -> tuple[tuple[int, str], ...]:
    """Return a key that sorts names as people do: web-2 before web-10."""
    return tuple((int(each), "") if each.isdecimal() else (-1, each) for each in re.split(r"([0-9]+)", text))
