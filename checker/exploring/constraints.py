"""State constraints, which bound the number of present, unbound or bound pods: `constraint`, `limits`."""

import re
from collections.abc import Callable, Sequence

from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.spec.binding import unbound
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Snapshot

Count = Callable[[Snapshot], int]
Limit = tuple[Count, int]
"""A count and its upper bound."""

CONSTRAINTS: dict[str, Count] = {
    "at_most_present": lambda snapshot: len(snapshot.pods),
    "at_most_unbound": lambda snapshot: len(unbound(snapshot, NO_FAULTS)),
    "at_most_bound": lambda snapshot: sum(1 for pod in snapshot.pods if pod.node_name),
}
"""The count that each constraint bounds; its argument is the bound. A count depends only on the presence and node of
pods.
"""


def constraint(texts: Sequence[str]) -> Callable[[Snapshot], bool] | None:
    """Return the predicate whether a snapshot satisfies all constraints, or None. Raises UnknownProperty."""
    found = limits(texts)
    if not found:
        return None
    return lambda snapshot: all(count(snapshot) <= most for count, most in found)


def limits(texts: Sequence[str]) -> list[Limit]:
    """Return the count that each constraint bounds, and its bound. Raises UnknownProperty."""
    return [_limit(text) for text in texts]


def _limit(text: str) -> Limit:
    matched = re.fullmatch(r"\s*(\w+)\s*\(\s*([0-9]{1,9})\s*\)\s*", text, re.ASCII)
    if matched is None or matched[1] not in CONSTRAINTS:
        raise UnknownProperty(
            f"{text}: no such constraint; there are {', '.join(f'{name}(N)' for name in CONSTRAINTS)}"
        )
    return CONSTRAINTS[matched[1]], int(matched[2])
