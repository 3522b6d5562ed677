"""All candidates that may be nominated, where pods that matter alike may be taken in any order: `allowed`.

As `permitted` of the specification, with less work: a node on which no two pods matter alike has the one candidate that
the dry run found already, and where there are too many orders they are counted, not gone through.
"""

from collections import Counter
from itertools import groupby
from math import comb, factorial, prod
from typing import NamedTuple

from schedcheck.spec.kubernetes.preemption.choice import casualty, selected
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, DryRun
from schedcheck.spec.kubernetes.preemption.importance import by_importance, importance, potential_victims
from schedcheck.spec.kubernetes.preemption.ties import kind, possible
from schedcheck.spec.objects import Pod, PodDisruptionBudget

MOST_ORDERS = 2000
"""In how many orders pods that matter alike are taken, over all nodes, before one order stands for the rest."""


class Allowed(NamedTuple):
    """The candidates that may be nominated, in order; and whether these are all."""

    candidates: tuple[Candidate, ...]
    all: bool


def allowed(run: DryRun) -> Allowed:
    """Every candidate that may be nominated; those of one order of pods where there are more than `MOST_ORDERS`."""
    budgets = run.cycle.snapshot.budgets
    orders = {info.node.name: choices(potential_victims(run.cycle.pod, info), budgets) for info in run.potential_nodes}
    if sum(number for number in orders.values() if number > 1) > MOST_ORDERS:
        return Allowed(in_order(selected(run.candidates)), all=False)
    by_node = [{each} for each in run.candidates if orders[each.node.name] == 1]
    tied = (possible(run, info) for info in run.potential_nodes if orders[info.node.name] > 1)
    by_node += [set(found) for found in tied if found]
    worst = min((max(map(casualty, found)) for found in by_node), default=None)
    return Allowed(
        in_order({each for found in by_node for each in found if worst is not None and casualty(each) <= worst}),
        all=True,
    )


def choices(pods: tuple[Pod, ...], budgets: tuple[PodDisruptionBudget, ...]) -> int:
    """At most how many orders, and sets of as many of each kind, `possible` goes through for these pods."""
    groups = (tuple(group) for _, group in groupby(by_importance(pods), key=importance))
    # Pods of one kind matter alike, so that a group of one leaves no choice.
    kinds = [Counter(kind(pod, budgets) for pod in group) for group in groups if len(group) > 1]
    orders = prod(factorial(each.total()) // prod(map(factorial, each.values())) for each in kinds)
    return orders * prod(comb(number, number // 2) for each in kinds for number in each.values())


def in_order(candidates: tuple[Candidate, ...] | set[Candidate]) -> tuple[Candidate, ...]:
    """The candidates by their nodes, and by the names of their victims."""
    return tuple(sorted(candidates, key=lambda each: (each.node.name, [victim.key for victim in each.victims])))
