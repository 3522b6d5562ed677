"""The smallest cluster on which reprieve evicts worse than necessary, by exhaustive enumeration: `smallest`.

Smallest means fewest objects, then the least sum of quantities. The clusters have one node, a pending pod, some pods of
lower priority on the node, and at most one disruption budget over some of these. The quantities are whole cpus,
priorities, and the disruptions that the budget allows. Equally important pods are reprieved in the order of their
names.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from frozendict import frozendict

from schedcheck.checker.limits.timer import doing
from schedcheck.checker.victims.greedy import reprieve
from schedcheck.checker.victims.judges import Judge
from schedcheck.checker.victims.problem import Question, question
from schedcheck.spec.decisions import VictimSet
from schedcheck.spec.importance import by_importance
from schedcheck.spec.objects import Container, Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.published.preemption import subsets
from schedcheck.spec.terms import LabelSelector
from schedcheck.spec.values import NO_AMOUNTS, NO_LABELS

UNIT = 10**9
"""One cpu in billionths, the unit of container requests."""

NODE = "node-1"
GUARDED = frozendict(app="guarded")


@dataclass(frozen=True)
class Cluster:
    """A cluster: the pending pod, its node, and the snapshot."""

    pod: Pod
    node: Node
    snapshot: Snapshot


@dataclass(frozen=True)
class Worse:
    """A cluster on which reprieve evicts worse than necessary: its victims, a least set, and both casualties."""

    cluster: Cluster
    reprieved: VictimSet
    least: VictimSet
    casualties: tuple[tuple[Any, ...], tuple[Any, ...]]


def smallest(judge: Judge, objects: int = 5, total: int = 12, *, budget: bool = True) -> Worse | None:
    """Return the smallest cluster within these bounds on which reprieve does worse, None if there is none."""
    found = (worse(cluster, judge) for cluster in clusters(objects, total, budget=budget))
    return next((each for each in found if each is not None), None)


def worse(cluster: Cluster, judge: Judge) -> Worse | None:
    """Return the victims of reprieve and better ones on a cluster, None if there are no better ones."""
    asked = question(cluster.pod, cluster.node, cluster.snapshot, judge)
    order = judge.reprieve_order(by_importance(_in_order(asked)), asked.snapshot)
    reprieved = reprieve(order, asked.feasible)
    if reprieved is None:
        return None
    damage = asked.casualty(reprieved)
    better = (victims for victims in subsets(asked.jeopardy) if asked.casualty(victims) < damage)
    fitting = [victims for victims in better if asked.feasible(victims)]
    if not fitting:
        return None
    least = min(fitting, key=lambda victims: (asked.casualty(victims), sorted(pod.key for pod in victims)))
    return Worse(cluster, reprieved, least, (damage, asked.casualty(least)))


def _in_order(asked: Question) -> list[Pod]:
    return sorted(asked.jeopardy, key=lambda pod: pod.key)


def clusters(objects: int, total: int, *, budget: bool = True) -> Iterator[Cluster]:
    """Yield, in order, every cluster within the bounds in which the pod fits only after evictions.

    A cluster has a budget only if `budget` is true.
    """
    for number in range(3, objects + 1):
        for amount in range(total + 1):
            doing(f"trying the clusters of {number} objects whose quantities sum to {amount}")
            for budgets in (0, 1) if budget else (0,):
                yield from _clusters(number, budgets, amount)


def _clusters(objects: int, budgets: int, total: int) -> Iterator[Cluster]:
    """Yield the clusters with this number of objects, of which `budgets` are budgets, and this sum of quantities."""
    number = objects - 2 - budgets
    for priorities in _up_to(total, number) if number else ():
        own = 1 + max(priorities)
        for cpus in _up_to(total - own - sum(priorities), number):
            left = total - own - sum(priorities) - sum(cpus)
            for room, new in _up_to(left, 2):
                allowed = left - room - new
                finds_none = room - sum(cpus) < new <= room
                if sum(cpus) <= room and finds_none and (budgets or not allowed):
                    for guarded in _guarded(number, budgets):
                        others = zip(cpus, priorities, guarded, strict=True)
                        pods = [_pod(f"p{place}", *each, node=NODE) for place, each in enumerate(others, 1)]
                        yield _cluster(_pod("new", new, own), room, pods, allowed if budgets else None)


def _up_to(total: int, number: int) -> Iterator[tuple[int, ...]]:
    """Yield all tuples of `number` numbers whose sum is at most `total`, in order."""
    if number == 0:
        yield ()
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in _up_to(total - first, number - 1))


def _guarded(number: int, budgets: int) -> Iterator[tuple[bool, ...]]:
    """Yield which of the pods the budget selects: at least one; none without a budget."""
    every = product((False, True), repeat=number if budgets else 0)
    return (chosen for chosen in every if any(chosen)) if budgets else iter([(False,) * number])


def _cluster(pod: Pod, room: int, others: list[Pod], allowed: int | None) -> Cluster:
    node = Node(NODE, allocatable=frozendict(cpu=1000 * room, pods=110))
    budget = PodDisruptionBudget("kept", selector=LabelSelector(GUARDED), disruptions_allowed=allowed or 0)
    budgets = () if allowed is None else (budget,)
    return Cluster(pod, node, replace(Snapshot.of([pod, *others], [node]), budgets=budgets))


def _pod(name: str, cpu: int, priority: int, guarded: bool = False, node: str = "") -> Pod:
    requests = frozendict(cpu=cpu * UNIT) if cpu else NO_AMOUNTS
    return Pod(
        name,
        labels=GUARDED if guarded else NO_LABELS,
        node_name=node,
        phase="Running" if node else "Pending",
        priority=priority,
        containers=(Container(requests),),
    )
