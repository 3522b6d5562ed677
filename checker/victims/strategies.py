"""Three strategies for choosing victims on a node, side by side: ascending, reprieve, and the least casualty."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.victims.greedy import ascending, reprieve
from schedcheck.checker.victims.infeasible import reasons
from schedcheck.checker.victims.judges import Judge
from schedcheck.checker.victims.least import Least, least
from schedcheck.checker.victims.problem import question
from schedcheck.spec.decisions import VictimSet
from schedcheck.spec.importance import by_importance
from schedcheck.spec.objects import Node, Pod, Snapshot


@dataclass(frozen=True)
class Ways:
    """The victims on a node by each strategy, None if no eviction helps, and why none does."""

    node: Node
    ascending: VictimSet | None
    reprieve: VictimSet | None
    least: Least
    reasons: tuple[str, ...]

    def chosen(self) -> dict[str, VictimSet | None]:
        """Return the victims by the name of the strategy."""
        return {"ascending": self.ascending, "reprieve": self.reprieve, "least": self.least.victims}

    def casualty(self, victims: VictimSet) -> tuple[Any, ...]:
        """Return the damage of evicting these victims."""
        return self.least.question.casualty(victims)


def ways(pod: Pod, nodes: Sequence[Node], snapshot: Snapshot, judge: Judge, spent: Spent) -> tuple[Ways, ...]:
    """Return the victims of each strategy for the unbound `pod` on each node.

    If a limit ends the search, the result has the first nodes only, and `spent.ended` says why.
    """
    found: list[Ways] = []
    try:
        for number, node in enumerate(nodes, 1):
            spent.look()
            if spent.ended:
                break
            doing(f"looking at node {number} of {len(nodes)}")
            found.append(_ways(pod, node, snapshot, judge, spent))
    except KeyboardInterrupt as end:
        spent.over(end)
    return tuple(found)


def _ways(pod: Pod, node: Node, snapshot: Snapshot, judge: Judge, spent: Spent) -> Ways:
    asked = question(pod, node, snapshot, judge)
    found = least(asked, spent)
    if asked.final:
        # A refusal without all potential victims holds with any of them too.
        return Ways(node, None, None, found, reasons(found))
    order = by_importance(asked.ordered)
    return Ways(
        node,
        ascending(order, asked.fits),
        reprieve(judge.reprieve_order(order, asked.snapshot), asked.fits),
        found,
        reasons(found),
    )


def best(found: Sequence[Ways]) -> tuple[Ways, ...]:
    """Return the nodes with the least casualty."""
    known = [(each.least.casualty, each) for each in found if each.least.casualty is not None]
    least_of_all = min((casualty for casualty, _ in known), default=None)
    return tuple(each for casualty, each in known if casualty == least_of_all)
