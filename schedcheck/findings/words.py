"""Numbers and lists in sentences: `counted`, `names`."""

from collections.abc import Sequence

MOST = 8


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, singular or plural."""
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def names(found: Sequence[str]) -> str:
    """Return the names in a list, or the first of them and the number of the others."""
    more = len(found) - MOST
    return ", ".join(found) if more <= 1 else f"{', '.join(found[:MOST])} and {more:,} more"
