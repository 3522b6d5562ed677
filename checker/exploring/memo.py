"""A profile that remembers: the same operators, each answered once for what it looks at.

The definitions of `spec` remember nothing, and most of them look at little, as their footprints say: without inter-pod
(anti-)affinity, what holds of a pod and a node depends on the two and on the pods that name the node. With it the whole
snapshot counts, as it does for kube-scheduler, which is asked of all nodes at once, and for the early scheduler.
"""

import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from itertools import groupby
from math import comb, factorial, prod
from typing import TypeVar

from schedcheck.checker.limits.timer import end_after
from schedcheck.spec.decisions import Decision
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import Width, footprint
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption.importance import by_importance, importance
from schedcheck.spec.kubernetes.preemption.ties import kind
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.profiles import Asked, Profile, feasible_nodes, kubernetes, totals
from schedcheck.spec.published.feasibility import FILTERS
from schedcheck.spec.published.preemption import VictimSets, jeopardy
from schedcheck.spec.published.viability import RATINGS

Answer = TypeVar("Answer")

MOST_IN_JEOPARDY = 16
"""Of how many pods on one node all subsets are tried."""


class Beyond(Exception):
    """An operator was asked for what lies beyond a bound; the text says which."""


class OutOfTime(Beyond):
    """The time that an exploration may take is over."""


class TooManySets(Beyond):
    """More pods of lower priority share a node than all sets of which can be tried; the text says how many, and where."""


class Clock:
    """The time that is left of so many seconds, as `limits.end_after` counts them; without end where `seconds` is None."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.end = float("inf") if seconds is None else end_after(seconds)

    def look(self) -> None:
        """Raises OutOfTime once the time is over."""
        if time.monotonic() > self.end:
            raise OutOfTime(f"--time {self.seconds:g}")

    def stop(self) -> None:
        """Let what follows take as long as it takes."""
        self.end = float("inf")


def remembering(profile: Profile, pods: Iterable[Pod], clock: Clock | None = None) -> Profile:
    """`profile` with operators that remember their answers, for snapshots that hold no other pods than `pods`.

    Its `victim_sets` raises TooManySets where a definition over all subsets would not come to an end, and each
    operator, before it looks at something new, OutOfTime once the clock says so: on a large cluster one step takes long.
    """
    clock = clock or Clock(None)
    if profile.plugins:
        return kubernetes(profile.name, profile.plugins, _once(feasible_nodes, clock), _once(totals, clock))
    looked_at = _whole if profile.policy is not None or beyond_one_node(pods) else _beside
    known: dict[frozenset[Pod], tuple[int, int, int]] = {}

    def casualty(victims: frozenset[Pod]) -> tuple[int, int, int]:
        answer = known.get(victims)
        if answer is None:
            answer = known[victims] = profile.casualty(victims)
        return answer

    def victim_sets(pod: Pod, node: Node, snapshot: Snapshot) -> VictimSets:
        endangered = len(jeopardy(pod, node, snapshot, profile.faults))
        if endangered > MOST_IN_JEOPARDY:
            raise TooManySets(
                f"{endangered} pods that {pod} may evict from {node}: 2^{endangered} sets of victims to try"
            )
        return profile.victim_sets(pod, node, snapshot)

    def decision(pod: Pod, snapshot: Snapshot, own: Profile) -> frozenset[Decision]:
        if profile.policy is not None and not any(own.feasibility(pod, node, snapshot) for node in snapshot.nodes):
            refuse_too_many_orders(pod, snapshot)
        return profile.decision(pod, snapshot, own)

    return replace(
        profile,
        decision=decision,
        feasibility=_remembering(profile.feasibility, looked_at, clock),
        viability=_remembering(profile.viability, looked_at, clock),
        victim_sets=_remembering(victim_sets, looked_at, clock),
        casualty=casualty,
    )


def refuse_too_many_orders(pod: Pod, snapshot: Snapshot) -> None:
    """Raises TooManySets where too many orders of pods that matter alike would have to be tried."""
    for node in snapshot.nodes:
        number = orders_of(jeopardy(pod, node, snapshot, NO_FAULTS), snapshot.budgets)
        if number > 2**MOST_IN_JEOPARDY:
            raise TooManySets(f"{number} orders in which pods that matter alike may be put back on {node} for {pod}")


def orders_of(pods: Iterable[Pod], budgets: tuple[PodDisruptionBudget, ...]) -> int:
    """How many orders of these pods are tried, or how many choices of pods that differ in their names alone, if more."""
    alike = [Counter(kind(pod, budgets) for pod in group) for _, group in groupby(by_importance(pods), key=importance)]
    orders = prod(factorial(kinds.total()) // prod(map(factorial, kinds.values())) for kinds in alike)
    choices = prod(comb(number, number // 2) for kinds in alike for number in kinds.values())
    return max(orders, choices)


def beyond_one_node(pods: Iterable[Pod]) -> bool:
    """Whether, where these are the pods, a filter or rating of the printed model looks beyond the node it is asked of."""
    definitions: list[Callable[..., object]] = [each.admits for each in FILTERS]
    definitions += [each.value for each in RATINGS]
    cluster = tuple(pods)
    return any(footprint(definition).width_among(cluster) > Width.NODE for definition in definitions)


def _beside(node: Node, snapshot: Snapshot) -> Hashable:
    """The pods that name the node."""
    return snapshot.pods_by_node.get(node.name, ())


def _whole(node: Node, snapshot: Snapshot) -> Hashable:
    """Everything."""
    return snapshot


def _remembering(
    operator: Callable[[Pod, Node, Snapshot], Answer],
    looked_at: Callable[[Node, Snapshot], Hashable],
    clock: Clock,
) -> Callable[[Pod, Node, Snapshot], Answer]:
    """`operator`, asked once for each pod, node and what is looked at."""
    known: dict[Hashable, Answer] = {}

    def answered(pod: Pod, node: Node, snapshot: Snapshot) -> Answer:
        question = (pod, node, looked_at(node, snapshot))
        answer = known.get(question)
        if answer is None:
            clock.look()
            answer = known[question] = operator(pod, node, snapshot)
        return answer

    return answered


def _once(asked: Asked[Answer], clock: Clock) -> Asked[Answer]:
    """What kube-scheduler says of a pod and a snapshot, asked once."""
    known: dict[Hashable, Answer] = {}

    def answered(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> Answer:
        answer = known.get((pod, snapshot))
        if answer is None:
            clock.look()
            answer = known[pod, snapshot] = asked(pod, snapshot, plugins)
        return answer

    return answered
