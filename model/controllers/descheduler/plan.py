"""The evictions that a plugin has decided on, and their possible orders: `Plan`, `next_of`, `pruned`, `pods_of`.

A plan is a sequence of groups. All of a group is done before the next group begins. Within a group any order is
possible; an item of a group is a pod, by its slot, or a plan of its own, which is done without interruption.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

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


def pods_of(plan: Plan) -> Iterator[int]:
    """Yield the slots of the pods of a plan, in order."""
    for group in plan:
        for item in group:
            if isinstance(item, int):
                yield item
            else:
                yield from pods_of(item)
