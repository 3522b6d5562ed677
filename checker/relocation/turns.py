"""Whether nodes can be drained one after another, each back before the next, and in which order: `Turns`, `in_turn`.

Counting proves a turn for every way in which the turns before it may have ended: the pods of all nodes that have had
their turn, and of the node itself, may then be anywhere. The more nodes were drained before, the more pods may be anywhere,
so a turn that is proved as the last one is proved at every earlier place. The order is therefore found from its end: any
node whose turn is proved as the last of those left may be the last one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from schedcheck.checker.limits.clock import Clock, OutOfTime
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.relocation.counting import Counting
from schedcheck.checker.relocation.leaving import Leaving, drained
from schedcheck.checker.relocation.relocation import Protected, Relocation, counted
from schedcheck.checker.result import Verdict
from schedcheck.model.controllers import RECREATING
from schedcheck.model.environment import newly_arrived
from schedcheck.model.profiles import plugins_of
from schedcheck.model.scenario import Scenario, snapshot_of
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod


@dataclass(frozen=True)
class Turns:
    """What was found out about a drain of nodes in turn.

    nodes
        The nodes, as they were asked about.
    order
        An order in which every turn is proved; if not all are, the last turns of such an order.
    every
        Whether every order is proved.
    unproved
        The turns that are not proved at the end of what is left, each with what counting says of it.
    blocked
        The budgets that refuse an eviction for good, in whatever order.
    stopped
        The limit that ended the search; empty if none did.
    """

    nodes: tuple[str, ...]
    order: tuple[str, ...]
    every: bool
    unproved: tuple[Relocation, ...] = ()
    blocked: tuple[Protected, ...] = ()
    stopped: str = ""

    @property
    def verdict(self) -> Verdict:
        """HOLDS if some order is proved, VIOLATED if a budget refuses an eviction in every order, else GAVE_UP."""
        if self.blocked:
            return Verdict.VIOLATED
        return Verdict.HOLDS if len(self.order) == len(self.nodes) else Verdict.GAVE_UP


def in_turn(scenario: Scenario, names: Sequence[str], seconds: float | None = None) -> Turns:
    """Return in which order the nodes can be drained one after another, each uncordoned before the next.

    The order follows the given one where it may.
    """
    clock, left, order, every = Clock(seconds), list(names), list[str](), True
    unproved: list[Relocation] = []
    stopped = ""
    others = comers(scenario, names)
    try:
        while left:
            unproved = []
            proved = ""
            for name in reversed(left):
                clock.look()
                doing(f"counting the turn of node {name}")
                found = counted(turn(scenario, left, name, others))
                if found.blocked:
                    return Turns(tuple(names), (), every=False, blocked=found.blocked)
                if found.proved:
                    proved = proved or name
                    if len(left) < len(names):
                        break
                else:
                    unproved.append(found)
            # All are asked as the last of all: if each turn is proved then, every order is.
            every = every and not unproved
            if not proved:
                break
            left.remove(proved)
            order.insert(0, proved)
            if every:
                return Turns(tuple(names), tuple(names), every=True)
    except OutOfTime as end:
        stopped = str(end)
    open_turns = tuple(unproved) if left else ()
    return Turns(tuple(names), tuple(order), every=False, unproved=open_turns, stopped=stopped)


def comers(scenario: Scenario, names: Sequence[str]) -> tuple[Pod, ...]:
    """Return the pods that wait at first and may be placed before some turn, wherever the pods of these nodes are."""
    gone = {pod.key for pod in scenario.pods if pod.node_name in names}
    there = tuple(pod for pod in scenario.pods if pod.key not in gone | scenario.absent)
    counting = Counting(snapshot_of(scenario, there, scenario.nodes, scenario.budgets), ())
    waiting = (pod for pod in scenario.pods if not pod.node_name or pod.key in scenario.absent)
    return tuple(
        pod
        for pod in waiting
        if not completed(pod) and not counting.waits_for_good(newly_arrived(pod), plugins_of(pod, scenario))
    )


def turn(scenario: Scenario, done: Sequence[str], name: str, others: Iterable[Pod] = ()) -> Leaving:
    """Return the drain of a node after those of the others of `done`, whose pods may be on any node.

    The `others` waited at first. They may have been placed on the node meanwhile, and then leave it too.
    """
    all_of_them = drained(scenario, done)
    alone = drained(scenario, (name,))
    placed = tuple(pod for pod in others if len(done) > 1 and pod in alone.scenario.pods)
    return replace(
        all_of_them,
        scenario=alone.scenario,
        nodes=alone.nodes,
        movers=(*all_of_them.movers, *(pod for pod in placed if pod.owner[0] in RECREATING)),
        lost=(*all_of_them.lost, *(pod for pod in placed if pod.owner[0] not in RECREATING)),
    )
