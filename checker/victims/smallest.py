"""The smallest cluster on which reprieve evicts worse than necessary, by exhaustive enumeration: `smallest`.

Smallest means fewest objects, then the least sum of quantities. The clusters are those of one node, a pod that is to get
room on it, some pods of lower priority there, and at most one disruption budget over some of these; the quantities are
whole cpus, priorities, and the disruptions that the budget allows. Pods that matter alike are put back in the order of
their names.
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
from schedcheck.spec.kubernetes.preemption.importance import by_importance
from schedcheck.spec.objects import Container, Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.published.preemption import subsets
from schedcheck.spec.terms import LabelSelector
from schedcheck.spec.values import NO_AMOUNTS, NO_LABELS

UNIT = 10**9
"""Container requests are in billionths."""

NODE = "node-1"
GUARDED = frozendict(app="guarded")

Victims = frozenset[Pod]


@dataclass(frozen=True)
class Cluster:
    """A cluster: the pod that is to get room on the node, and everything there is."""

    pod: Pod
    node: Node
    snapshot: Snapshot


@dataclass(frozen=True)
class Worse:
    """A cluster on which reprieve evicts worse than necessary, with what it evicts and a least set, and their casualties."""

    cluster: Cluster
    reprieved: Victims
    least: Victims
    casualties: tuple[tuple[Any, ...], tuple[Any, ...]]


def smallest(judge: Judge, objects: int = 5, total: int = 12, *, budget: bool = True) -> Worse | None:
    """The smallest cluster of at most so many objects and so great a sum on which reprieve does worse, None without any."""
    found = (worse(cluster, judge) for cluster in clusters(objects, total, budget=budget))
    return next((each for each in found if each is not None), None)


def worse(cluster: Cluster, judge: Judge) -> Worse | None:
    """What reprieve does worse than necessary on a cluster, None where it does nothing worse."""
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
    """Every cluster within the bounds in which the pod finds no room, and would if all others were gone, in order.

    Those with a budget only if there may be one.
    """
    for number in range(3, objects + 1):
        for amount in range(total + 1):
            doing(f"trying the clusters of {number} objects whose quantities sum to {amount}")
            for budgets in (0, 1) if budget else (0,):
                yield from _clusters(number, budgets, amount)


def _clusters(objects: int, budgets: int, total: int) -> Iterator[Cluster]:
    """The clusters of so many objects, one of them a budget or none, and of just this sum of quantities."""
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
    """So many numbers whose sum is at most `total`, in order."""
    if number == 0:
        yield ()
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in _up_to(total - first, number - 1))


def _guarded(number: int, budgets: int) -> Iterator[tuple[bool, ...]]:
    """Which of the pods the budget speaks of: at least one, none without a budget."""
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
