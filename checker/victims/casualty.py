"""The criteria that make one set of victims worse than another, stated for z3.

A criterion is a value of a set of victims, the less the better; a casualty is compared criterion by criterion. z3 sees
only how many pods of each class of interchangeable pods are evicted. The specification's own casualty decides; the
statements here only steer the search, and their values are compared with it.

Values: CORRECTED, in the order in which it compares; `kubernetes` makes those of kube-scheduler.
"""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import z3

from schedcheck.checker.victims.sums import NEVER, Demand
from schedcheck.spec.decisions import VictimSet
from schedcheck.spec.importance import OFFSET, by_importance, started
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.preemption.disruption import guards, violations
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.published.preemption import LOWEST_PRIORITY

Weight = Callable[[Pod], int]
LooksAt = Callable[[tuple[Pod, ...], Snapshot], Mapping[Pod, Hashable]]

Start = tuple[bool, int]
"""Whether a pod has a start time, and the negative time: later is less."""

NOBODY: Start = (False, LOWEST_PRIORITY)
"""The start of an empty set of victims, less than every other."""


@dataclass(frozen=True)
class Class:
    """Interchangeable pods, in order, and the z3 integer that counts how many of them are evicted."""

    members: tuple[Pod, ...]
    number: z3.ArithRef

    @property
    def any(self) -> Pod:
        """A representative of the class."""
        return self.members[0]


@dataclass(frozen=True)
class Objective:
    """A criterion over the classes of one question.

    `values` are its possible values, ascending; `at_most` states that it is at most one of them. `parts` are, if given,
    two objectives that add up to it. The first part is minimized first, only to help z3; no result depends on it.
    """

    value: Callable[[VictimSet], Any]
    values: Sequence[Any]
    at_most: Callable[[Any], z3.BoolRef]
    parts: "tuple[Objective, Objective] | None" = None

    def below(self, value: Any) -> z3.BoolRef:
        """Return the formula that it is less than `value`, one of its values."""
        place = bisect_left(self.values, value)
        return self.at_most(self.values[place - 1]) if place else z3.BoolVal(False)

    def exactly(self, value: Any) -> z3.BoolRef:
        """Return the formula that it is this value."""
        return z3.And(self.at_most(value), z3.Not(self.below(value)))

    def less(self, victims: VictimSet) -> tuple[z3.BoolRef, ...]:
        """Return formulas whose disjunction states that it is less than for `victims`."""
        below = self.below(self.value(victims))
        if self.parts is None:
            return (below,)
        first, second = self.parts
        value = first.value(victims)
        return (
            z3.And(first.below(value), below),
            z3.And(first.exactly(value), second.below(second.value(victims))),
            z3.And(z3.Not(first.at_most(value)), below),
        )

    def no_more(self, victims: VictimSet) -> z3.BoolRef:
        """Return the formula that it is at most its value for `victims`."""
        at_most = self.at_most(self.value(victims))
        if self.parts is None:
            return at_most
        first, second = self.parts
        value = first.value(victims)
        return z3.Or(
            z3.And(first.below(value), at_most),
            z3.And(first.exactly(value), second.at_most(second.value(victims))),
            z3.And(z3.Not(first.at_most(value)), at_most),
        )


@dataclass(frozen=True)
class Criterion:
    """A criterion: its name, the part of each potential victim on which it depends, and its objective over classes.

    The pods of a class agree in that part. `value` is its value for given victims. `demand` gives a necessary condition
    of every set that is no worse by it than given victims, or better. The earlier criteria must be no worse either.
    """

    words: str
    looks_at: LooksAt
    objective: Callable[[tuple[Class, ...], Snapshot], Objective]
    value: Callable[[VictimSet, Snapshot], Any]
    demand: Callable[[tuple[Pod, ...], Snapshot, VictimSet, bool], Demand]


def _by_priority(pods: tuple[Pod, ...], _: Snapshot) -> Mapping[Pod, Hashable]:
    return {pod: pod.priority for pod in pods}


def _by_start(pods: tuple[Pod, ...], _: Snapshot) -> Mapping[Pod, Hashable]:
    return {pod: (pod.priority, started(pod)) for pod in pods}


def _by_nothing(pods: tuple[Pod, ...], _: Snapshot) -> Mapping[Pod, Hashable]:
    return dict.fromkeys(pods)


def highest_priority(victims: VictimSet) -> int:
    """Return the highest priority among the victims."""
    return max((pod.priority for pod in victims), default=LOWEST_PRIORITY)


def _highest(classes: tuple[Class, ...], _: Snapshot) -> Objective:
    values = sorted({LOWEST_PRIORITY, *(each.any.priority for each in classes)})
    return Objective(highest_priority, values, lambda most: _none(each for each in classes if each.any.priority > most))


def _none(classes: Iterable[Class]) -> z3.BoolRef:
    """Return the formula that no pod of these classes is evicted."""
    return z3.And(*(each.number == 0 for each in classes))


def _demand_highest(pods: tuple[Pod, ...], _: Snapshot, victims: VictimSet, better: bool) -> Demand:
    """Return the demand that no pod of higher priority is evicted; for a better set, none of equal priority either."""
    highest = highest_priority(victims)
    if better and highest == LOWEST_PRIORITY:
        return NEVER
    return Demand(frozenset(pod for pod in pods if pod.priority > highest - better))


def _sum(classes: tuple[Class, ...], weight: Weight) -> Objective:
    """Return the objective of a sum of weights over the victims."""
    weights = [weight(pod) for each in classes for pod in each.members]
    expression = z3.Sum([weight(each.any) * each.number for each in classes])
    return Objective(
        lambda victims: sum(weight(pod) for pod in victims),
        range(sum(min(0, each) for each in weights), sum(max(0, each) for each in weights) + 1),
        lambda most: expression <= most,
    )


def _summed(words: str, looks_at: LooksAt, weight: Weight) -> Criterion:
    """Return the criterion of a sum of weights."""

    def value(victims: VictimSet, _: Snapshot) -> int:
        return sum(weight(pod) for pod in victims)

    def demand(pods: tuple[Pod, ...], snapshot: Snapshot, victims: VictimSet, better: bool) -> Demand:
        return Demand(weights={pod: weight(pod) for pod in pods}, most=value(victims, snapshot) - better)

    return Criterion(words, looks_at, lambda classes, _: _sum(classes, weight), value, demand)


def _shifted_priorities(classes: tuple[Class, ...], _: Snapshot) -> Objective:
    """Return the sum of the shifted priorities, with the count and the sum of priorities as its parts.

    The shift is so large that the count nearly always decides, which z3 alone would not notice in such large numbers.
    """
    parts = _sum(classes, lambda pod: 1), _sum(classes, lambda pod: pod.priority)
    return replace(_sum(classes, _shifted), parts=parts)


def _shifted(pod: Pod) -> int:
    return pod.priority + OFFSET


def earliest_start(victims: VictimSet) -> Start:
    """Return the earliest start among the victims of the highest priority; in comparisons later is less."""
    highest = highest_priority(victims)
    return max((_start(pod) for pod in victims if pod.priority == highest), default=NOBODY)


def _start(pod: Pod) -> Start:
    without, at = started(pod)
    return not without, -at


def _earliest(classes: tuple[Class, ...], _: Snapshot) -> Objective:
    """Return the objective of the earliest start: an earlier pod may be evicted only with a pod of higher priority."""

    def gone(some: Iterable[Class]) -> z3.BoolRef:
        return z3.Sum([each.number for each in some]) > 0

    def at_most(most: Start) -> z3.BoolRef:
        early = [each for each in classes if _start(each.any) > most]
        return z3.And(
            *(
                z3.Implies(
                    gone(each for each in early if each.any.priority == priority),
                    gone(each for each in classes if each.any.priority > priority),
                )
                for priority in sorted({each.any.priority for each in early})
            )
        )

    return Objective(earliest_start, sorted({NOBODY, *(_start(each.any) for each in classes)}), at_most)


def _demand_later(pods: tuple[Pod, ...], _: Snapshot, victims: VictimSet, better: bool) -> Demand:
    """Return the demand that no pod of the highest priority started earlier; for a better set, none as early either.

    The criterion of the highest priority comes before, so sets with a higher one need not be considered.
    """
    start, highest = earliest_start(victims), highest_priority(victims)
    if better and start == NOBODY:
        return NEVER
    early = (pod for pod in pods if _start(pod) > start or (better and _start(pod) == start))
    return Demand(frozenset(pod for pod in early if pod.priority == highest))


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
        """Return the demand that counts pods of budgets without allowed disruptions, each of which is a violation."""
        closed = [budget for budget in snapshot.budgets if budget.disruptions_allowed <= 0]
        weights = {pod: int(any(guards(budget, pod, alone) for budget in closed)) for pod in pods}
        return Demand(weights=weights, most=value(victims, snapshot) - better)

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


HIGHEST_PRIORITY = Criterion(
    "highest priority", _by_priority, _highest, lambda victims, _: highest_priority(victims), _demand_highest
)
PRIORITIES = _summed("sum of priorities", _by_priority, lambda pod: max(0, pod.priority))
COUNT = _summed("count", _by_nothing, lambda pod: 1)
SHIFTED_PRIORITIES = replace(_summed("sum of priorities + 2^31", _by_priority, _shifted), objective=_shifted_priorities)
EARLIEST_START = Criterion(
    "earliest start of the highest", _by_start, _earliest, lambda victims, _: earliest_start(victims), _demand_later
)

CORRECTED = (HIGHEST_PRIORITY, PRIORITIES, COUNT)


def kubernetes(departures: Departures) -> tuple[Criterion, ...]:
    """Return the criteria of kube-scheduler, with budgets charged only for the victims."""
    return _violations(departures), HIGHEST_PRIORITY, SHIFTED_PRIORITIES, COUNT, EARLIEST_START
