"""Every order of ties, or of choices: `explored`, the least and greatest number of further pods at the end.

A state is the number of further pods on each node: pods of one form are alike, so their order does not matter.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from schedcheck.checker.capacity.question import Question
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.vectors.filtering import PASSED
from schedcheck.checker.vectors.judge import CycleJudge

WORK = 150_000
"""As many nodes and pods are looked at, over all states."""

Hosts = tuple[str, ...]
Moves = Callable[[Question, Hosts], Hosts]
"""The nodes that the next pod may go to, after one pod is bound to each of the given nodes."""


@dataclass(frozen=True)
class Ends:
    """The least and greatest number of pods, over all orders; `hosts` is an order that ends with the greatest."""

    least: int
    greatest: int
    hosts: Hosts
    states: int


def chosen(asked: Question, hosts: Hosts) -> Hosts:
    """Return the nodes that the scheduler may choose."""
    return asked.choice(hosts).hosts


def admitted(asked: Question, hosts: Hosts) -> Hosts:
    """Return the nodes that the filters admit."""
    judge = CycleJudge(asked.after(hosts))
    filtering, _ = judge.profile(asked.plugins)
    passed = np.flatnonzero(filtering.numbers(judge.cycle(asked.pod, asked.plugins)) == PASSED)
    return tuple(judge.there.names[place] for place in passed)


def explored(asked: Question, moves: Moves = chosen, most: int | None = None, work: int = WORK) -> Ends | None:
    """Return the numbers over all orders, no end counted beyond `most` pods; None if there are too many states."""
    doing("exploring every order")
    limit = work // max(len(asked.snapshot.pods) + len(asked.snapshot.nodes), 1)
    level: dict[Hosts, Hosts] = {(): ()}
    ends: list[Hosts] = []
    states = 0
    while level:
        states += len(level)
        if states > limit:
            return None
        following: dict[Hosts, Hosts] = {}
        for state, way in level.items():
            names = moves(asked, way) if len(way) != most else ()
            ends += [] if names else [way]
            for name in names:
                following.setdefault(tuple(sorted((*state, name))), (*way, name))
        level = following
    longest = max(ends, key=len)
    return Ends(min(map(len, ends)), len(longest), longest, states)
