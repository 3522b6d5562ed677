"""Proofs and proposals by sums over the limits, which save a solver: `none_less` and `proposal`.

A sufficient set meets every limit, and a set that is better than another meets the demand of each criterion: some pods
are spared, and the weights of the victims add up to at most a bound. Pods of equal weights form a group. A set takes
some number of pods from each group. It frees of each resource at most as much as those pods of the group that
free most. If no choice of numbers is enough, no set is better. A choice that is enough need not belong to a real
set, so the answer of `none_less` is a proof only if it is True.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING

from schedcheck.spec.decisions import VictimSet
from schedcheck.spec.importance import started
from schedcheck.spec.objects import Pod

if TYPE_CHECKING:
    from schedcheck.checker.victims.casualty import Criterion
    from schedcheck.checker.victims.judges import Limit
    from schedcheck.checker.victims.problem import Question

Numbers = tuple[int, ...]
Start = tuple[bool, int]
Allowance = tuple[frozenset[Pod], int]
"""The pods of a budget, and how many of them it allows to be evicted."""

MOST_CHOICES = 3_000
"""The most choices of numbers that are tried."""


@dataclass(frozen=True)
class Demand:
    """A necessary condition of every set that is no worse, or better, by a criterion than another set.

    The pods in `spared` stay. The `weights` of the victims, and how far the victims of each budget in `beyond` exceed the
    number that it allows, add up to at most `most`. Sums leave `beyond` out, which makes the condition weaker.
    """

    spared: frozenset[Pod] = frozenset()
    weights: Mapping[Pod, int] = field(default_factory=dict)
    most: int = 0
    beyond: tuple[Allowance, ...] = ()


NEVER = Demand(most=-1)
"""A demand that no set meets."""


@dataclass(frozen=True)
class Group:
    """Pods of equal weights.

    `freed` has one row per limit: entry n is the most that n pods of the group free of it.
    """

    pods: tuple[Pod, ...]
    weights: Numbers
    freed: tuple[tuple[int, ...], ...]


class TooMany(Exception):
    """There are too many choices of numbers to try."""


def none_less(question: "Question", victims: VictimSet) -> bool:
    """Whether sums prove that no sufficient set on this node has less casualty than `victims`, which may be on another one.

    False proves nothing.
    """
    before: tuple[Demand, ...] = ()
    pods = question.ordered
    for criterion in question.judge.criteria:
        demanded = [criterion.demand(pods, question.snapshot, victims, strict) for strict in (True, False)]
        if _possible(pods, question.needed, (*before, demanded[0])):
            return False
        before = (*before, demanded[1])
    return True


def _possible(pods: Sequence[Pod], limits: "Sequence[Limit]", demands: Sequence[Demand]) -> bool:
    """Whether sums leave it possible that some of the pods meet the limits and the demands."""
    # With a negative weight, one more victim could weigh less, so such a demand is ignored.
    counted = [each for each in demands if min(each.weights.values(), default=0) >= 0]
    if any(each.most < 0 for each in counted):
        return False
    left = [pod for pod in pods if not any(pod in each.spared for each in demands)]
    try:
        weighed = [each for each in counted if each.weights]
        return cheapest(grouped(left, limits, weighed), limits, [each.most for each in weighed]) is not None
    except TooMany:
        return True


def grouped(pods: Iterable[Pod], limits: "Sequence[Limit]", demands: Sequence[Demand]) -> list[Group]:
    """Return the pods in groups of equal weights, the lightest group last."""
    groups: dict[Numbers, list[Pod]] = {}
    for pod in pods:
        groups.setdefault(tuple(each.weights[pod] for each in demands), []).append(pod)
    return [
        Group(tuple(members), weights, tuple(_most(members, limit) for limit in limits))
        for weights, members in sorted(groups.items(), reverse=True)
    ]


def _most(pods: Sequence[Pod], limit: "Limit") -> tuple[int, ...]:
    """Return the most that 0, 1, 2 and so on of the pods free of the limit."""
    return tuple(accumulate(sorted((limit.freed.get(pod, 0) for pod in pods), reverse=True), initial=0))


def cheapest(groups: Sequence[Group], limits: "Sequence[Limit]", most: Sequence[int]) -> Numbers | None:
    """Return how many pods of each group to take for lexicographically least weights that may meet the limits.

    None if the sums of the weights would be more than `most`, or a limit cannot be met. Raises TooMany.
    """
    found: list[tuple[Numbers, Numbers]] = []
    tried = 0

    def go(place: int, taken: Numbers, weights: Numbers, needed: Numbers) -> None:
        nonlocal tried
        tried += 1
        if tried > MOST_CHOICES:
            raise TooMany
        if any(weight > bound for weight, bound in zip(weights, most, strict=True)):
            return
        if found and weights > found[0][0]:
            return
        if place == len(groups):
            if max(needed, default=0) <= 0:
                found[:] = [min([(weights, taken), *found])]
            return
        group = groups[place]
        size = len(group.pods)
        # The last group supplies what is still missing, and no more, as weights are not negative.
        numbers = [_fewest(group, needed)] if place == len(groups) - 1 else range(size + 1)
        for number in numbers:
            if number <= size:
                go(
                    place + 1,
                    (*taken, number),
                    tuple(weight + number * each for weight, each in zip(weights, group.weights, strict=True)),
                    tuple(left - row[number] for left, row in zip(needed, group.freed, strict=True)),
                )

    go(0, (), (0,) * len(most), tuple(limit.needed for limit in limits))
    return found[0][1] if found else None


def _fewest(group: Group, needed: Numbers) -> int:
    """Return the fewest pods of the group that may free what is needed; one more than its size if all do not."""
    return max((bisect_left(row, left) for left, row in zip(needed, group.freed, strict=True)), default=0)


def proposal(question: "Question") -> VictimSet | None:
    """Return a set of victims that meets the limits and is likely to be least, without proof; None if none is found."""
    pods, limits = question.ordered, question.needed
    if not limits:
        return frozenset()
    for pool in _pools(question, pods):
        if all(limit.met(frozenset(pool)) for limit in limits):
            try:
                return _latest(question, pool)
            except TooMany:
                return None
    return None


def _pools(question: "Question", pods: Sequence[Pod]) -> Iterator[list[Pod]]:
    """Yield the pools of potential victims, the best first: without budget violations, then by low priority."""
    first = _weighing(question, question.judge.criteria[:1])
    for free in ([pod for pod in pods if not any(each.weights[pod] for each in first)], list(pods)):
        for priority in sorted({pod.priority for pod in free}):
            yield [pod for pod in free if pod.priority <= priority]


def _weighing(question: "Question", criteria: "Iterable[Criterion]") -> list[Demand]:
    """Return the demands of the criteria that weigh pods."""
    pods, no_victims = question.ordered, frozenset[Pod]()
    demands = (each.demand(pods, question.snapshot, no_victims, False) for each in criteria)
    return [each for each in demands if each.weights]


def _latest(question: "Question", pool: list[Pod]) -> VictimSet | None:
    """Return the lightest set of the pool; among equals, one whose pods of the highest priority started latest."""
    limits, weighed = question.needed, _weighing(question, question.judge.criteria)
    highest = max(pod.priority for pod in pool)

    def lightest(latest: Start | None) -> tuple[Numbers, VictimSet] | None:
        """Return the weights and the pods; of the highest priority only pods that started no earlier than `latest`."""
        kept = [pod for pod in pool if latest is None or pod.priority < highest or _start(pod) <= latest]
        groups = grouped(kept, limits, weighed)
        numbers = cheapest(groups, limits, [sum(each.weights.values()) for each in weighed])
        if numbers is None:
            return None
        pairs = list(zip(groups, numbers, strict=True))
        weights = tuple(sum(group.weights[place] * n for group, n in pairs) for place in range(len(weighed)))
        return weights, frozenset(pod for group, n in pairs for pod in _best(group, limits)[:n])

    least = lightest(None)
    if least is None:
        return None
    starts = sorted({_start(pod) for pod in pool if pod.priority == highest})
    enough = bisect_left(starts, True, key=lambda start: (made := lightest(start)) is not None and made[0] == least[0])
    found = lightest(starts[enough]) if enough < len(starts) else least
    return found[1] if found is not None and all(limit.met(found[1]) for limit in limits) else None


def _start(pod: Pod) -> Start:
    """Return a sort key of the pod's start time: later is less."""
    without, at = started(pod)
    return not without, -at


def _best(group: Group, limits: "Sequence[Limit]") -> list[Pod]:
    """Return the pods of the group, those first that free most of what is needed."""

    def worth(pod: Pod) -> tuple[Fraction, Start, tuple[str, str]]:
        freed = (Fraction(limit.freed.get(pod, 0), limit.needed) for limit in limits)
        return -sum(freed, Fraction()), _start(pod), pod.key

    return sorted(group.pods, key=worth)
