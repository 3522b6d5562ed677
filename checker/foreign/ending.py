"""All pending pods placed by a scheduler one by one, beside the best placement: `ending`."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from schedcheck.checker.foreign.answered import Answered
from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.checker.placement.optimum import optimum
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import Profile

EFFORT = Effort(seconds=5.0)

BEST, LOWER, MORE, UNPROVED = "as the best", "as many, of lower priority", "more than the best", "not proved"
"""How an end compares with the best placement; fewer pods are counted."""


def ending(snapshot: Snapshot, profile: Profile, ask: Callable[[Pod, Snapshot], Answered]) -> str:
    """Return how the pods that the scheduler binds, the highest priority first, compare with the best placement.

    Nothing is evicted. A pod is asked about once. More pods than in the best placement may be bound where a later pod
    makes the node of an earlier one infeasible, or where a decision is wrong.
    """
    waiting = sorted(profile.turn(snapshot, profile), key=lambda pod: (-pod.priority, pod.key))
    there = {pod.key for pod in waiting}
    snapshot = replace(snapshot, pods=tuple(each for each in snapshot.pods if each.node_name or each.key in there))
    spent = Spent(EFFORT)
    # The effort is for this placement, not for the command.
    spent.end = time.monotonic() + EFFORT.seconds
    best = optimum(snapshot, profile, spent)
    if not best.proved:
        return UNPROVED
    now, names = snapshot, {node.name for node in snapshot.nodes}
    bound: Counter[int] = Counter()
    for pod in waiting:
        told = ask(pod, now).reply
        if told is not None and told.kind == "bind" and told.node in names:
            bound[pod.priority] += 1
            placed = replace(pod, node_name=told.node, nominated_node_name="")
            now = replace(now, pods=tuple(placed if each == pod else each for each in now.pods))
    wanted = Counter(pod.priority for pod in best.placement)
    if bound == wanted:
        return BEST
    fewer = wanted.total() - bound.total()
    return MORE if fewer < 0 else f"{fewer} fewer" if fewer else LOWER
