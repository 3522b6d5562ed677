"""The evictions that a plugin has decided on, and their possible orders: `Plan`, and the `Work` of a run.

A plan is a sequence of groups. All of a group is done before the next group begins. Within a group any order is
possible; an item of a group is a pod, by its slot, or a plan of its own, which is done without interruption.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeAlias

Plan: TypeAlias = "tuple[Group, ...]"
Group: TypeAlias = "tuple[int | Plan, ...]"


def next_of(plan: Plan) -> Iterator[tuple[int, Plan]]:
    """Yield each pod that may be evicted next, with the plan that is left."""
    if not plan:
        return
    group, *after = plan
    for place, item in enumerate(group):
        left = (*group[:place], *group[place + 1 :])
        rest = (*((left,) if left else ()), *after)
        if isinstance(item, int):
            yield item, rest
        else:
            yield from ((slot, (*under_way, *rest)) for slot, under_way in next_of(item))


def pruned(plan: Plan, kept: Callable[[int], bool]) -> Plan:
    """Return the plan with the `kept` pods alone, and without groups that say nothing about the order."""
    found: list[Group] = []
    for group in plan:
        items = [(item if kept(item) else ()) if isinstance(item, int) else pruned(item, kept) for item in group]
        left = [item for item in items if item != ()]
        if len(left) == 1 and not isinstance(left[0], int):
            found += left[0]
        elif left:
            found.append(tuple(left))
    return tuple(found)


@lru_cache(1 << 14)
def slots_of(plan: Plan) -> frozenset[int]:
    """Return the slots of the pods of a plan."""
    return frozenset(pods_of(plan))


@lru_cache(1 << 14)
def pruned_to(plan: Plan, kept: frozenset[int]) -> Plan:
    """Return the plan pruned to the pods of these slots. Most steps leave a plan as it was, so that one is asked for again and again."""
    return pruned(plan, kept.__contains__)


def pods_of(plan: Plan) -> Iterator[int]:
    """Yield the slots of the pods of a plan, in order."""
    for group in plan:
        for item in group:
            if isinstance(item, int):
                yield item
            else:
                yield from pods_of(item)


Stage = tuple[int, str]
"""A part of a run: its place in the order of the parts, and its name. Parts of one place may follow in any order."""

Done = tuple[Stage, ...]
WHOLE: Stage = (0, "")
"""The only part of a run that looks at the cluster once."""


class Work(Protocol):
    """What a run has still to do: the evictions that may be next, and what is left after each."""

    def __bool__(self) -> bool:
        """Whether anything is left."""
        ...

    def pods(self) -> Iterator[int]:
        """Yield the slots of the pods that may be evicted."""
        ...

    def next(self) -> "Iterator[tuple[int, Work, Work]]":
        """Yield each pod that may be evicted next, with what is left if it is evicted, and if that is refused."""
        ...

    def kept(self, kept: Callable[[int], bool]) -> "Work":
        """Return the work as if the eviction of every pod that is not `kept` had been refused."""
        ...


@dataclass(frozen=True)
class Listed:
    """Evictions that are decided on before the first of them."""

    plan: Plan

    def __bool__(self) -> bool:
        return self.plan != ()

    def pods(self) -> Iterator[int]:
        """Yield the slots of the pods that are evicted."""
        yield from slots_of(self.plan)

    def next(self) -> Iterator[tuple[int, Work, Work]]:
        """Yield each pod that may be evicted next; a refusal changes nothing for the others."""
        for slot, rest in next_of(self.plan):
            left = Listed(rest)
            yield slot, left, left

    def kept(self, kept: Callable[[int], bool]) -> Work:
        """Return the evictions of the `kept` pods."""
        return Listed(pruned_to(self.plan, frozenset(filter(kept, slots_of(self.plan)))))
