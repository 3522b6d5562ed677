"""The pods that a preemptor may evict, and their order of importance: `jeopardy`, `by_importance`, `orders`.

Which of several equally important pods is put back first depends on the order in which the scheduler learned of them.
A snapshot does not record that order, so every order is allowed. Pods of one kind differ only in their names, which no
filter reads: one order of them stands for all orders, and any such pod for any other.

Kubernetes 1.34: MoreImportantPod in pkg/scheduler/util/utils.go.

Not modelled: start times in the future.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, combinations, groupby, product
from typing import TypeVar

from schedcheck.spec.binding import occupants
from schedcheck.spec.faults import Faults
from schedcheck.spec.footprints import Footprint, looks_at
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot

Order = tuple[Pod, ...]
"""Pods in order of importance, the most important first."""

EVICTED = Footprint(frozenset({"pods.priority", "pods.start_time", "pods.labels", "budgets"}))
"""The footprint over potential victims, in addition to that of the filters."""


OFFSET = 2**31
"""The amount added to each priority in a sum, so that one more victim never makes the sum smaller."""

Kind = tuple[Pod, frozenset[tuple[str, str]]]
"""A pod without its name, and the budgets that list it by name as disrupted."""

Item = TypeVar("Item", bound=Hashable)
OfItem = TypeVar("OfItem", bound=Hashable)


@looks_at("occupants.priority")
def jeopardy(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> frozenset[Pod]:
    r"""Return the pods on `node` that `pod` may evict: those of lower priority.

    TLA+: Jeopardy(Pod, Node, Snapshot) ==
            {Other \in Occupants(Node, Snapshot) : Other.Spec.Priority < Pod.Spec.Priority}
    """
    return frozenset(other for other in occupants(node, snapshot, faults) if other.priority < pod.priority)


def started(pod: Pod) -> tuple[bool, int]:
    """Return the start time of `pod` as a sort key; a pod without one is assumed to start now, after all others."""
    return pod.start_time is None, pod.start_time or 0


@looks_at("victims.priority", "victims.start_time")
def importance(pod: Pod) -> tuple[int, tuple[bool, int]]:
    r"""Return the sort key of importance, smaller being more important: higher priority first, then earlier start.

    TLA+: MoreImportant(Pod, Other) ==
            \/ Pod.Spec.Priority > Other.Spec.Priority
            \/ Pod.Spec.Priority = Other.Spec.Priority /\ Pod.Status.StartTime < Other.Status.StartTime
    """
    return -pod.priority, started(pod)


def by_importance(pods: Iterable[Pod]) -> Order:
    """Return the pods in order of importance; equally important pods keep their given order."""
    return tuple(sorted(pods, key=importance))


def kind(pod: Pod, budgets: Iterable[PodDisruptionBudget]) -> Kind:
    """Return everything that distinguishes `pod` from other pods except its name."""
    disrupted = (each.key for each in budgets if each.namespace == pod.namespace and pod.name in each.disrupted)
    return replace(pod, name=""), frozenset(disrupted)


def sequences(kinds: Counter[OfItem]) -> Iterator[tuple[OfItem, ...]]:
    """Yield every sequence that contains each kind the given number of times."""
    if kinds.total() == 0:
        yield ()
    for first in kinds:
        if kinds[first]:
            yield from ((first, *rest) for rest in sequences(kinds - Counter([first])))


def orders(pods: Iterable[Pod], budgets: tuple[PodDisruptionBudget, ...]) -> Iterator[Order]:
    r"""Yield the possible orders of importance of `pods`, one for all that differ only between pods of one kind.

    TLA+: Orders(Some) ==
            IF Some = {} THEN {<<>>}
            ELSE UNION {{<<First>> \o Rest : Rest \in Orders(Some \ {First})} :
                         First \in {Pod \in Some : ~\E Other \in Some : MoreImportant(Other, Pod)}}
    """
    return arranged({pod: kind(pod, budgets) for pod in by_importance(pods)}, importance)


def arranged(kinds: Mapping[Item, OfItem], rank: Callable[[Item], object]) -> Iterator[tuple[Item, ...]]:
    """Yield the orders in which those of equal rank are exchanged, one for all that differ only between items of one kind.

    `kinds` has the kind of each item, in the order of their ranks.
    """
    alike = [Counter(kinds[item] for item in group) for _, group in groupby(kinds, key=rank)]
    for each in product(*map(sequences, alike)):
        members = {one: iter([item for item in kinds if kinds[item] == one]) for one in kinds.values()}
        yield tuple(next(members[one]) for one in chain(*each))


def renamed(
    victims: tuple[Pod, ...], pods: tuple[Pod, ...], budgets: tuple[PodDisruptionBudget, ...]
) -> Iterator[Order]:
    """Yield every selection of `pods`, in order of importance, with as many pods of each kind as `victims` has."""
    return map(by_importance, exchanged(victims, {pod: kind(pod, budgets) for pod in pods}))


def exchanged(chosen: Iterable[Item], kinds: Mapping[Item, OfItem]) -> Iterator[tuple[Item, ...]]:
    """Yield every selection with as many items of each kind as `chosen` has."""
    numbers = Counter(kinds[item] for item in chosen)
    alike = (combinations([item for item in kinds if kinds[item] == one], numbers[one]) for one in numbers)
    return (tuple(chain(*each)) for each in product(*alike))
