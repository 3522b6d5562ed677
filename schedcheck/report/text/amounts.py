"""What a pod asks for and what nodes have left, beside the reasons that only name the resource: `amounts`, `with_amounts`."""

from collections.abc import Mapping, Sequence

from schedcheck.checker.explain.shortages import Shortage, signed

PODS = "pods"
"""The resource whose reason, Too many pods, says enough."""


def amounts(short: Sequence[Shortage], at_most: bool = False) -> str:
    """Return what is asked of one resource, and how much of it each node has left, or has `at_most`."""
    name, asked = short[0].resource, short[0].asked
    low, high = min(each.free for each in short), max(each.free for each in short)
    free = signed(name, low) if low == high else f"{signed(name, low)} to {signed(name, high)}"
    return f"asked {signed(name, asked)}, free {'at most ' if at_most else ''}{free}"


def with_amounts(
    reason: str, names: Sequence[str], short: Mapping[str, Sequence[Shortage]], at_most: bool = False
) -> str:
    """Return the reason that all these nodes give, with the amounts if it is about a resource.

    `at_most`: pods were left out that take room too.
    """
    found = [each for name in names for each in short.get(name, ()) if each.reason == reason and each.resource != PODS]
    return f"{reason} ({amounts(found, at_most)})" if found else reason
