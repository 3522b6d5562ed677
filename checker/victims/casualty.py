"""The criteria that make one set of victims worse than another, stated for z3.

A criterion is a value of a set of victims, the less the better; a casualty is compared criterion by criterion. z3 sees
only how many pods of each class of interchangeable pods are evicted. The specification's own casualty decides; the
statements here only steer the search, and their values are compared with it.

Values: CORRECTED, in the order in which it compares; those of kube-scheduler are in `kubernetes_criteria`.
"""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import z3

from schedcheck.checker.victims.sums import NEVER, Demand
from schedcheck.spec.decisions import VictimSet
from schedcheck.spec.importance import OFFSET, started
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.published.preemption import LOWEST_PRIORITY

Weight = Callable[[Pod], int]
LooksAt = Callable[[tuple[Pod, ...], Snapshot], Mapping[Pod, Hashable]]

Demands = tuple[Demand, ...]

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
    `parts`, if given, distinguishes cases of it: every such set meets all demands of one of them.
    """

    words: str
    looks_at: LooksAt
    objective: Callable[[tuple[Class, ...], Snapshot], Objective]
    value: Callable[[VictimSet, Snapshot], Any]
    demand: Callable[[tuple[Pod, ...], Snapshot, VictimSet, bool], Demand]
    parts: Callable[[tuple[Pod, ...], VictimSet, bool], tuple[Demands, ...]] | None = None

    def cases(self, pods: tuple[Pod, ...], snapshot: Snapshot, victims: VictimSet, better: bool) -> tuple[Demands, ...]:
        """Return the cases of the demand, its only one if it has no parts."""
        if self.parts is not None:
            return self.parts(pods, victims, better)
        return ((self.demand(pods, snapshot, victims, better),),)


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


def _demand_shifted(pods: tuple[Pod, ...], victims: VictimSet, better: bool) -> tuple[Demands, ...]:
    """Return the cases of fewer victims, as many, and more; for as many the sum of priorities decides."""
    one, less = dict.fromkeys(pods, 1), dict.fromkeys(pods, -1)
    count = len(victims)
    total = Demand(weights={pod: _shifted(pod) for pod in pods}, most=sum(map(_shifted, victims)) - better)
    priorities = Demand(weights={pod: pod.priority for pod in pods}, most=sum(pod.priority for pod in victims) - better)
    return (
        (total, Demand(weights=one, most=count - 1)),
        (Demand(weights=one, most=count), Demand(weights=less, most=-count), priorities),
        (Demand(weights=less, most=-count - 1), total),
    )


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


HIGHEST_PRIORITY = Criterion(
    "highest priority", _by_priority, _highest, lambda victims, _: highest_priority(victims), _demand_highest
)
PRIORITIES = _summed("sum of priorities", _by_priority, lambda pod: max(0, pod.priority))
COUNT = _summed("count", _by_nothing, lambda pod: 1)
SHIFTED_PRIORITIES = replace(
    _summed("sum of priorities + 2^31", _by_priority, _shifted), objective=_shifted_priorities, parts=_demand_shifted
)
EARLIEST_START = Criterion(
    "earliest start of the highest", _by_start, _earliest, lambda victims, _: earliest_start(victims), _demand_later
)

CORRECTED = (HIGHEST_PRIORITY, PRIORITIES, COUNT)
