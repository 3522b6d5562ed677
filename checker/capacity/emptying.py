"""The nodes that could be emptied for good: `Emptied`, `emptied`.

Each node is taken by itself: it is gone, with the pods that belong to it alone, and its other pods are to be placed on the
rest. Disruption budgets are not asked.
"""

import time
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, replace

from schedcheck.checker.capacity.crowd import Crowd, Placed, placed, unanswerable
from schedcheck.checker.capacity.likes import anew
from schedcheck.checker.capacity.together import Together, together
from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.limits.timer import doing
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot

SECONDS = 5.0
"""The most seconds that the proof about one node may take."""


@dataclass(frozen=True)
class Emptied:
    """A node without which its pods fit elsewhere, by the scheduler in one order of ties and at best, or not.

    `moved` are its pods that need another node, `staying` those that belong to it. `unknown` says why nothing is known.
    """

    node: Node
    moved: tuple[Pod, ...]
    staying: tuple[Pod, ...]
    placed: Placed | None
    best: Together
    unknown: str = ""


def emptied(
    snapshot: Snapshot, profiles: tuple[Plugins, ...], belongs: Callable[[Pod], bool], spent: Spent
) -> Iterator[Emptied]:
    """Yield what becomes of each node, those with the fewest pods to move first; `belongs` tells a pod of its node alone.

    None is yielded after a limit; `spent` then names it.

    Raises: Unbounded, NotAllowed.
    """
    pods = {node.name: tuple(snapshot.pods_by_node.get(node.name, ())) for node in snapshot.nodes}
    moving = {name: tuple(each for each in there if not belongs(each)) for name, there in pods.items()}
    for node in sorted(snapshot.nodes, key=lambda each: (len(moving[each.name]), each.name)):
        doing(f"emptying {node}")
        staying = tuple(each for each in pods[node.name] if belongs(each))
        yield _without(node, moving[node.name], staying, snapshot, profiles, spent)
        if spent.ended:
            return


def _without(
    node: Node, moved: tuple[Pod, ...], staying: tuple[Pod, ...], snapshot: Snapshot, profiles: tuple[Plugins, ...], spent: Spent
) -> Emptied:  # fmt: skip
    left = replace(
        snapshot,
        pods=tuple(each for each in snapshot.pods if each.node_name != node.name),
        nodes=tuple(each for each in snapshot.nodes if each != node),
    )
    crowd = Crowd(tuple(map(anew, moved)), left, profiles)
    why = unanswerable(crowd)
    if why:
        return Emptied(node, moved, staying, None, Together(None, stopped=why), why)
    found = placed(crowd)
    best = Together(True, found.ways)
    if found.left:
        part = _share(spent)
        best = together(crowd, part)
        spent.ended = part.ended
    return Emptied(node, moved, staying, found, best)


def _share(spent: Spent) -> Spent:
    """Return the part of the effort that one node may take."""
    part = copy(spent)
    part.end = min(spent.end, time.monotonic() + SECONDS)
    return part
