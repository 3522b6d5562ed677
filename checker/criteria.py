"""What makes one set of victims worse than another, criterion by criterion, as z3 is asked to make it less.

A criterion is a value of a set of victims, an integer, the less the better; a casualty is compared criterion by
criterion. z3 sees how many pods of each class of interchangeable ones go, never a single pod. The value that counts is
that of the specification's own casualty; what is stated here only steers the search and is compared with it.

Values: HIGHEST_PRIORITY, PRIORITIES, COUNT; CORRECTED and KUBERNETES in the order in which each compares.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import z3

from schedcheck.spec.budgets import protects
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.preemption import LOWEST_PRIORITY
from schedcheck.spec.terms import LabelSelector

SHIFT = 2**31
"""What kube-scheduler adds to each priority before it sums them, so that every victim makes the sum greater."""

NOW = 2**63 - 1
"""The start, in microseconds, of a pod that has not started: later than every other."""

Victims = frozenset[Pod]


@dataclass(frozen=True)
class Class:
    """Pods of which it makes no difference which go, in order, and the z3 integer that counts those that do."""

    members: tuple[Pod, ...]
    number: z3.ArithRef

    @property
    def any(self) -> Pod:
        """One of them."""
        return self.members[0]


@dataclass(frozen=True)
class Objective:
    """A criterion over the classes of one question.

    `values` are all that it may take, ascending; `stated` states that it is no more than one of them, or more. A `guide`
    is another objective that is made less first, only because z3 then finds its way: nothing follows from it.
    """

    value: Callable[[Victims], int]
    values: Sequence[int]
    stated: Callable[[int], z3.BoolRef]
    guide: "Objective | None" = None

    def at_most(self, value: int) -> z3.BoolRef:
        """That it is no more than `value`."""
        return self.stated(value) if value >= self.values[0] else z3.BoolVal(False)

    def exactly(self, value: int) -> z3.BoolRef:
        """That it is this value."""
        return z3.And(self.at_most(value), z3.Not(self.at_most(value - 1)))

    def less(self, value: int, victims: Victims) -> tuple[z3.BoolRef, ...]:
        """Cases that together state that it is less than `value`, that of `victims`."""
        below = self.at_most(value - 1)
        return tuple(z3.And(case, below) for case in self._cases(victims)) or (below,)

    def no_more(self, value: int, victims: Victims) -> z3.BoolRef:
        """That it is at most `value`, that of `victims`."""
        cases = self._cases(victims)
        return z3.And(self.at_most(value), z3.Or(*cases)) if cases else self.at_most(value)

    def _cases(self, victims: Victims) -> tuple[z3.BoolRef, ...]:
        """The guide is less than for `victims`, or the same, or more: one of them is always true."""
        if self.guide is None:
            return ()
        guided = self.guide.value(victims)
        less, same = self.guide.at_most(guided - 1), self.guide.at_most(guided)
        return less, self.guide.exactly(guided), z3.Not(same)


@dataclass(frozen=True)
class Criterion:
    """A criterion: in words, what it looks at in each pod of Jeopardy, and its objective over classes that agree in that."""

    words: str
    looks_at: Callable[[tuple[Pod, ...], Snapshot], Mapping[Pod, Hashable]]
    objective: Callable[[tuple[Class, ...], Snapshot], Objective]


def _by_priority(pods: tuple[Pod, ...], _: Snapshot) -> Mapping[Pod, Hashable]:
    return {pod: pod.priority for pod in pods}


def _by_start(pods: tuple[Pod, ...], _: Snapshot) -> Mapping[Pod, Hashable]:
    return {pod: (pod.priority, started(pod)) for pod in pods}


def _by_nothing(pods: tuple[Pod, ...], _: Snapshot) -> Mapping[Pod, Hashable]:
    return dict.fromkeys(pods)


def highest_priority(victims: Victims) -> int:
    """The highest priority among the victims."""
    return max((pod.priority for pod in victims), default=LOWEST_PRIORITY)


def _highest(classes: tuple[Class, ...], _: Snapshot) -> Objective:
    values = sorted({LOWEST_PRIORITY, *(each.any.priority for each in classes)})
    return Objective(highest_priority, values, lambda most: _none(each for each in classes if each.any.priority > most))


def _none(classes: Iterable[Class]) -> z3.BoolRef:
    """That nobody of these classes goes."""
    return z3.And(*(each.number == 0 for each in classes))


def _sum(classes: tuple[Class, ...], weight: Callable[[Pod], int], guide: Objective | None = None) -> Objective:
    """The sum of a weight, which is never negative, over the victims."""
    total = sum(weight(pod) for each in classes for pod in each.members)
    expression = z3.Sum([weight(each.any) * each.number for each in classes])
    return Objective(
        lambda victims: sum(weight(pod) for pod in victims),
        range(total + 1),
        lambda most: expression <= most,
        guide,
    )


def _count(classes: tuple[Class, ...], _: Snapshot) -> Objective:
    return _sum(classes, lambda pod: 1)


def _priorities(classes: tuple[Class, ...], _: Snapshot) -> Objective:
    return _sum(classes, lambda pod: max(0, pod.priority))


def _shifted_priorities(classes: tuple[Class, ...], snapshot: Snapshot) -> Objective:
    """Each victim adds so much that fewest comes first nearly always; alone z3 would not see it in so great numbers."""
    return _sum(classes, lambda pod: pod.priority + SHIFT, _count(classes, snapshot))


def started(pod: Pod) -> int:
    """When the pod started, in microseconds since 1970; now if it has not."""
    return NOW if pod.start_time is None else pod.start_time


def earliest_start(victims: Victims) -> int:
    """The earliest start among the victims of the highest priority, negative, as the later is the better."""
    highest = highest_priority(victims)
    return -min((started(pod) for pod in victims if pod.priority == highest), default=NOW)


def _earliest(classes: tuple[Class, ...], _: Snapshot) -> Objective:
    """Who started too early may go only together with somebody of a higher priority."""

    def gone(some: Iterable[Class]) -> z3.BoolRef:
        return z3.Sum([each.number for each in some]) > 0

    def at_most(most: int) -> z3.BoolRef:
        early = [each for each in classes if -started(each.any) > most]
        return z3.And(
            *(
                z3.Implies(
                    gone(each for each in early if each.any.priority == priority),
                    gone(each for each in classes if each.any.priority > priority),
                )
                for priority in sorted({each.any.priority for each in early})
            )
        )

    return Objective(earliest_start, sorted({-NOW, *(-started(each.any) for each in classes)}), at_most)


def charging(pod: Pod, snapshot: Snapshot) -> tuple[PodDisruptionBudget, ...]:
    """The budgets that the eviction of `pod` would use.

    Kubernetes 1.34: filterPodsWithPDBViolation in pkg/scheduler/framework/plugins/defaultpreemption.
    """
    return tuple(
        budget
        for budget in snapshot.budgets
        if pod.labels
        and budget.selector not in (None, LabelSelector())
        and protects(budget, pod)
        and pod.name not in budget.disrupted
    )


def important(pods: Iterable[Pod]) -> list[Pod]:
    """The pods in the order of importance: the highest priority first, then the oldest."""
    return sorted(pods, key=lambda pod: (-pod.priority, started(pod), pod.key))


def violations(victims: Victims, snapshot: Snapshot) -> int:
    """How many victims violate a budget, each charged for the victims alone, the most important first."""
    left = {budget: budget.disruptions_allowed for budget in snapshot.budgets}
    violating = 0
    for pod in important(victims):
        charged = charging(pod, snapshot)
        for budget in charged:
            left[budget] -= 1
        violating += any(left[budget] < 0 for budget in charged)
    return violating


def _by_budgets(pods: tuple[Pod, ...], snapshot: Snapshot) -> Mapping[Pod, Hashable]:
    """The budgets of each pod, and its place in the order of importance where that matters.

    Who of a budget's pods violates it matters only if one of them has a second budget.
    """
    budgets = {pod: charging(pod, snapshot) for pod in pods}
    shared = _shared(budgets.values())
    place = {pod: number for number, pod in enumerate(important(pods))}
    return {pod: (found, place[pod] if shared.intersection(found) else None) for pod, found in budgets.items()}


def _shared(charged: Iterable[tuple[PodDisruptionBudget, ...]]) -> frozenset[PodDisruptionBudget]:
    """The budgets that some pod has beside another."""
    return frozenset(budget for budgets in charged if len(budgets) > 1 for budget in budgets)


def _violations(classes: tuple[Class, ...], snapshot: Snapshot) -> Objective:
    """Counted budget by budget; pod by pod, in the order of importance, where budgets share pods."""
    budgets = {each: charging(each.any, snapshot) for each in classes}
    shared = _shared(budgets.values())
    charged = [each for each in classes if budgets[each]]
    terms = []
    for budget in snapshot.budgets:
        if budget not in shared:
            gone = z3.Sum([each.number for each in charged if budget in budgets[each]])
            terms.append(_above(gone - max(0, budget.disruptions_allowed)))
    in_order = sorted((each for each in charged if shared.intersection(budgets[each])), key=_rank)
    for place, each in enumerate(in_order):
        over = []
        for budget in budgets[each]:
            before = [other.number for other in in_order[: place + 1] if budget in budgets[other]]
            over.append(z3.Sum(before) > max(0, budget.disruptions_allowed))
        terms.append(z3.If(z3.And(each.number > 0, z3.Or(*over)), 1, 0))
    return Objective(
        lambda victims: violations(victims, snapshot),
        range(sum(len(each.members) for each in charged) + 1),
        lambda most: z3.Sum(terms) <= most,
    )


def _rank(each: Class) -> tuple[int, int, tuple[str, str]]:
    return -each.any.priority, started(each.any), each.any.key


def _above(amount: z3.ArithRef) -> z3.ArithRef:
    """The amount, or 0 if it is negative."""
    return z3.If(amount > 0, amount, 0)


HIGHEST_PRIORITY = Criterion("highest priority", _by_priority, _highest)
PRIORITIES = Criterion("sum of priorities", _by_priority, _priorities)
COUNT = Criterion("count", _by_nothing, _count)
VIOLATIONS = Criterion("violations of budgets", _by_budgets, _violations)
SHIFTED_PRIORITIES = Criterion("sum of priorities + 2^31", _by_priority, _shifted_priorities)
EARLIEST_START = Criterion("earliest start of the highest", _by_start, _earliest)

CORRECTED = (HIGHEST_PRIORITY, PRIORITIES, COUNT)
KUBERNETES = (VIOLATIONS, HIGHEST_PRIORITY, SHIFTED_PRIORITIES, COUNT, EARLIEST_START)
