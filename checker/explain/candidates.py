"""All candidates that may be nominated, with equally important pods, and budgets, in any order: `allowed`.

It equals `permitted` of the specification, with less work. A node without equally important pods has the one candidate
that the dry run found already. Too many orders are counted, not tried. Where pods are evicted in units the specification is
asked itself.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby
from math import comb, factorial, prod
from typing import NamedTuple

from schedcheck.spec.importance import by_importance, importance, kind
from schedcheck.spec.kubernetes.preemption.choice import casualty, selected
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, DryRun, UnitCandidate
from schedcheck.spec.kubernetes.preemption.of_units import in_units
from schedcheck.spec.kubernetes.preemption.potential_victims import potential_victims
from schedcheck.spec.kubernetes.preemption.ties import listed, permitted, possible
from schedcheck.spec.objects import Pod, PodDisruptionBudget

MOST_ORDERS = 2000
"""The most orders of equally important pods, and of budgets, that are tried; beyond it, one order stands for all."""


class Allowed(NamedTuple):
    """The candidates that may be nominated, in order, and whether these are all."""

    candidates: tuple[Candidate, ...]
    all: bool


def allowed(run: DryRun) -> Allowed:
    """Return every candidate that may be nominated; with more than `MOST_ORDERS` orders, those of one order.

    An order of the disruption budgets, where it matters, counts as well.
    """
    if in_units(run.cycle):
        return of_units(run)
    budgets = run.cycle.snapshot.budgets
    pods = {info.node.name: potential_victims(run.cycle.pod, info) for info in run.potential_nodes}
    orders = {name: choices(some, budgets) for name, some in pods.items()}
    number = max(1, sum(number for number in orders.values() if number > 1))
    if number > MOST_ORDERS or not 0 < number * len(run.listings) <= MOST_ORDERS:
        return Allowed(in_order(selected(run.candidates)), all=False)
    found = {each for listing in run.listings for each in by_one(listed(run, listing), orders)}
    return Allowed(in_order(found), all=True)


def of_units(run: DryRun) -> Allowed:
    """Return every candidate that may be nominated where pods are evicted in units; those of one order if too many."""
    found = selected(run.candidates) if run.unclear else permitted(run)
    return Allowed(once(in_order(found)), all=not run.unclear)


def once(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return these candidates without those that differ from an earlier one in which of their victims leads."""
    found: dict[object, Candidate] = {}
    for each in candidates:
        led = isinstance(each, UnitCandidate)
        found.setdefault((each.node, frozenset(each.victims), each.violations) if led else each, each)
    return tuple(found.values())


def by_one(run: DryRun, orders: Mapping[str, int]) -> set[Candidate]:
    """Return the candidates that may be nominated with the budgets in their order; `orders` is their number by node."""
    by_node = [{each} for each in run.candidates if orders[each.node.name] == 1]
    tied = (possible(run, info) for info in run.potential_nodes if orders[info.node.name] > 1)
    by_node += [set(found) for found in tied if found]
    worst = min((max(map(casualty, found)) for found in by_node), default=None)
    return {each for found in by_node for each in found if worst is not None and casualty(each) <= worst}


def choices(pods: tuple[Pod, ...], budgets: tuple[PodDisruptionBudget, ...]) -> int:
    """Return a bound of the number of orders, and of choices within a kind, that `possible` tries for these pods."""
    groups = (tuple(group) for _, group in groupby(by_importance(pods), key=importance))
    # Pods of one kind are equally important, so a group of one pod leaves no choice.
    kinds = [Counter(kind(pod, budgets) for pod in group) for group in groups if len(group) > 1]
    orders = prod(factorial(each.total()) // prod(map(factorial, each.values())) for each in kinds)
    return orders * prod(comb(number, number // 2) for each in kinds for number in each.values())


def in_order(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates sorted by node, then by the names of their victims."""
    return tuple(sorted(candidates, key=lambda each: (each.node.name, [victim.key for victim in each.victims])))
