"""The criteria of kube-scheduler, with budgets charged only for the victims: `kubernetes`."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import lru_cache

import z3

from schedcheck.checker.victims.casualty import (
    COUNT,
    EARLIEST_START,
    HIGHEST_PRIORITY,
    SHIFTED_PRIORITIES,
    Class,
    Criterion,
    Objective,
)
from schedcheck.checker.victims.sums import Allowance, Demand
from schedcheck.spec.decisions import VictimSet
from schedcheck.spec.importance import by_importance
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.preemption.disruption import guards, violations
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot


def kubernetes(departures: Departures) -> tuple[Criterion, ...]:
    """Return the criteria of kube-scheduler, with budgets charged only for the victims."""
    return _violations(departures), HIGHEST_PRIORITY, SHIFTED_PRIORITIES, COUNT, EARLIEST_START


def _violations(departures: Departures) -> Criterion:
    """Return the criterion of budget violations; each budget is charged only for the victims, most important first."""
    alone = departures - {Departure.BUDGETS_CHARGED_FOR_ALL}

    def guarding(pod: Pod, snapshot: Snapshot) -> tuple[PodDisruptionBudget, ...]:
        return tuple(budget for budget in snapshot.budgets if guards(budget, pod, alone))

    def looks_at(pods: tuple[Pod, ...], snapshot: Snapshot) -> Mapping[Pod, Hashable]:
        """Return the budgets of each pod, and its place in the order of importance if that matters.

        Which of a budget's pods violates it matters only if one of them has a second budget.
        """
        budgets = {pod: guarding(pod, snapshot) for pod in pods}
        shared = _shared(budgets.values())
        place = {pod: number for number, pod in enumerate(by_importance(pods))}
        return {pod: (found, place[pod] if shared.intersection(found) else None) for pod, found in budgets.items()}

    def objective(classes: tuple[Class, ...], snapshot: Snapshot) -> Objective:
        budgets = {each: guarding(each.any, snapshot) for each in classes}
        guarded = [each for each in classes if budgets[each]]
        expression = z3.Sum([*_by_budget(budgets, snapshot), *_one_by_one(budgets, snapshot, alone)])
        return Objective(
            lambda victims: value(victims, snapshot),
            range(sum(len(each.members) for each in guarded) + 1),
            lambda most: expression <= most,
        )

    def value(victims: VictimSet, snapshot: Snapshot) -> int:
        return violations(by_importance(_in_order(victims)), victims, snapshot.budgets, alone)

    def demand(pods: tuple[Pod, ...], snapshot: Snapshot, victims: VictimSet, better: bool) -> Demand:
        """Return the demand that counts pods of budgets without allowed disruptions, each of which is a violation.

        Pods beyond a budget that allows some are violations too, but the pods that budgets share are not counted so.
        """
        weights, beyond = charged(pods, snapshot)
        return Demand(frozenset(), weights, value(victims, snapshot) - better, beyond)

    @lru_cache(maxsize=2)
    def charged(pods: tuple[Pod, ...], snapshot: Snapshot) -> tuple[Mapping[Pod, int], tuple[Allowance, ...]]:
        """Return 1 for each pod of a budget that allows no disruption, and the other budgets that share no pod."""
        budgets = {pod: guarding(pod, snapshot) for pod in pods}
        shared = _shared(budgets.values())
        weights = {pod: int(any(each.disruptions_allowed <= 0 for each in found)) for pod, found in budgets.items()}
        beyond = (
            (frozenset(pod for pod, found in budgets.items() if each in found), each.disruptions_allowed)
            for each in snapshot.budgets
            if each.disruptions_allowed > 0 and each not in shared
        )
        return weights, tuple(each for each in beyond if each[0])

    return Criterion("violations of budgets", looks_at, objective, value, demand)


Guarded = Mapping[Class, tuple[PodDisruptionBudget, ...]]
"""The budgets of each class."""


def _by_budget(budgets: Guarded, snapshot: Snapshot) -> Iterator[z3.ArithRef]:
    """Yield the number of victims beyond each budget that shares no pod with another."""
    for budget in snapshot.budgets:
        if budget not in _shared(budgets.values()):
            gone = z3.Sum([each.number for each, found in budgets.items() if budget in found])
            beyond = gone - max(0, budget.disruptions_allowed)
            yield z3.If(beyond > 0, beyond, 0)


def _one_by_one(budgets: Guarded, snapshot: Snapshot, departures: Departures) -> Iterator[z3.ArithRef]:
    """Yield 1 for each victim beyond a budget, for budgets that share pods; each such pod is a class of its own.

    Budget by budget in the order of the snapshot, as `violating` does: a pod may be charged to a later one or not.
    """
    shared = _shared(budgets.values())
    pods = {each.any: each for each, found in budgets.items() if shared.intersection(found)}
    ordered = [pods[pod] for pod in by_importance(_in_order(pods))]
    beyond: dict[Class, z3.BoolRef] = {each: z3.BoolVal(False) for each in ordered}
    for budget in (each for each in snapshot.budgets if each in shared):
        guarded = [each for each in ordered if budget in budgets[each]]
        charged = [z3.And(each.number > 0, z3.Not(_uncharged(beyond[each], departures))) for each in guarded]
        for place, each in enumerate(guarded):
            number = z3.Sum([z3.If(one, 1, 0) for one in charged[: place + 1]])
            over = z3.And(charged[place], number > max(0, budget.disruptions_allowed))
            beyond[each] = z3.Or(beyond[each], over)
    yield from (z3.If(each, 1, 0) for each in beyond.values())


def _uncharged(beyond: z3.BoolRef, departures: Departures) -> z3.BoolRef:
    """Return whether a victim that is beyond an earlier budget is not charged to a later one."""
    return beyond if Departure.LATER_BUDGETS_UNCHARGED in departures else z3.BoolVal(False)


def _shared(guarded: Iterable[tuple[PodDisruptionBudget, ...]]) -> frozenset[PodDisruptionBudget]:
    """Return the budgets of pods that have more than one."""
    return frozenset(budget for budgets in guarded if len(budgets) > 1 for budget in budgets)


def _in_order(pods: Iterable[Pod]) -> list[Pod]:
    """Return the pods in the order of a snapshot."""
    return sorted(pods, key=lambda pod: pod.key)
