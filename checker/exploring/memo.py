"""A profile with memoized operators: each is evaluated once for the part of the snapshot on which it depends.

The definitions of `spec` cache nothing, and most depend on little, as their footprints say. Without inter-pod
(anti-)affinity, the answer for a pod and a node depends on these two and on the pods bound to the node. With it, the
key is the whole snapshot. So it is for kube-scheduler, which judges all nodes at once, and for the early scheduler.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from math import comb, factorial, prod
from typing import TypeVar

from frozendict import frozendict

from schedcheck.checker.exploring.cycles import Cycles
from schedcheck.checker.limits.clock import Clock, TooManySets
from schedcheck.spec.decisions import Decision
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import Width, footprint
from schedcheck.spec.importance import by_importance, importance, jeopardy, kind
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.profiles import Profile, by_scheduler_name, feasible_nodes, kubernetes, totals
from schedcheck.spec.published.feasibility import FILTERS
from schedcheck.spec.published.operators import VictimSets
from schedcheck.spec.published.viability import RATINGS
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, Scheduler

Answer = TypeVar("Answer")
Asked = Callable[[Pod, Snapshot, Plugins], Answer]

MOST_IN_JEOPARDY = 16
"""The most pods on one node of which all subsets are tried."""


def remembering(
    profile: Profile, pods: Iterable[Pod], clock: Clock | None = None, cycles: Cycles | None = None
) -> Profile:
    """Return `profile` with memoized operators, for snapshots with no other pods than `pods`.

    Decisions of kube-scheduler are kept in `cycles`, which are of this profile and scenario alone.

    Its `victim_sets` raises TooManySets if a definition over all subsets would not terminate in time. Each operator
    raises OutOfTime before a new evaluation if the clock is over, as one step may take long on a large cluster.
    """
    return REMEMBERING[profile.scheduler](profile, pods, clock or Clock(None), cycles or Cycles())


def _published(profile: Profile, pods: Iterable[Pod], clock: Clock, cycles: Cycles) -> Profile:
    return _by_node(profile, _whole if beyond_one_node(pods) else _beside, clock)


def _kubernetes(profile: Profile, pods: Iterable[Pod], clock: Clock, cycles: Cycles) -> Profile:
    made = kubernetes(profile.name, profile.plugins, _once(feasible_nodes, clock), _once(totals, clock))
    return replace(made, decision=_by_cycles(profile.plugins, clock, cycles))


def _classic(profile: Profile, pods: Iterable[Pod], clock: Clock, cycles: Cycles) -> Profile:
    def decision(pod: Pod, snapshot: Snapshot, own: Profile) -> frozenset[Decision]:
        extended = profile.policy.extenders or profile.policy.unasked
        if extended or not any(own.feasibility(pod, node, snapshot) for node in snapshot.nodes):
            refuse_too_many_orders(pod, snapshot)
        return profile.decision(pod, snapshot, own)

    return replace(_by_node(profile, _whole, clock), decision=decision)


REMEMBERING: Mapping[Scheduler, Callable[[Profile, Iterable[Pod], Clock, Cycles], Profile]] = frozendict(
    {PUBLISHED: _published, KUBERNETES: _kubernetes, CLASSIC: _classic}
)
"""The memoized profile of each scheduler."""


def _by_node(profile: Profile, looked_at: Callable[[Node, Snapshot], Hashable], clock: Clock) -> Profile:
    """Return the profile with the operators on a pod and a node memoized by what they look at."""
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

    return replace(
        profile,
        feasibility=_remembering(profile.feasibility, looked_at, clock),
        viability=_remembering(profile.viability, looked_at, clock),
        victim_sets=_remembering(victim_sets, looked_at, clock),
        casualty=casualty,
    )


def _by_cycles(
    profiles: tuple[Plugins, ...], clock: Clock, cycles: Cycles
) -> Callable[[Pod, Snapshot, Profile], frozenset[Decision]]:
    """Return the decision of kube-scheduler, which keeps what it computes."""

    def decided(pod: Pod, snapshot: Snapshot, profile: Profile) -> frozenset[Decision]:
        clock.look()
        return cycles.decision(pod, snapshot, by_scheduler_name(pod, profiles))

    return decided


def refuse_too_many_orders(pod: Pod, snapshot: Snapshot) -> None:
    """Raises TooManySets if there are too many orders of equally important pods to try."""
    for node in snapshot.nodes:
        number = orders_of(jeopardy(pod, node, snapshot, NO_FAULTS), snapshot.budgets)
        if number > 2**MOST_IN_JEOPARDY:
            raise TooManySets(f"{number} orders in which equally important pods may be reprieved on {node} for {pod}")


def orders_of(pods: Iterable[Pod], budgets: tuple[PodDisruptionBudget, ...]) -> int:
    """Return the number of orders of these pods to try, or of choices among equal pods, if greater."""
    alike = [Counter(kind(pod, budgets) for pod in group) for _, group in groupby(by_importance(pods), key=importance)]
    orders = prod(factorial(kinds.total()) // prod(map(factorial, kinds.values())) for kinds in alike)
    choices = prod(comb(number, number // 2) for kinds in alike for number in kinds.values())
    return max(orders, choices)


def beyond_one_node(pods: Iterable[Pod]) -> bool:
    """Whether, for these pods, a filter or score of the published model depends on more than the judged node."""
    definitions: list[Callable[..., object]] = [each.admits for each in FILTERS]
    definitions += [each.value for each in RATINGS]
    cluster = tuple(pods)
    return any(footprint(definition).width_among(cluster) > Width.NODE for definition in definitions)


def _beside(node: Node, snapshot: Snapshot) -> Hashable:
    """Return the pods bound to the node."""
    return snapshot.pods_by_node.get(node.name, ())


def _whole(node: Node, snapshot: Snapshot) -> Hashable:
    """Return the whole snapshot."""
    return snapshot


def _remembering(
    operator: Callable[[Pod, Node, Snapshot], Answer],
    looked_at: Callable[[Node, Snapshot], Hashable],
    clock: Clock,
) -> Callable[[Pod, Node, Snapshot], Answer]:
    """Return `operator` memoized by pod, node and `looked_at`."""
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
    """Return an operator of kube-scheduler memoized by pod and snapshot."""
    known: dict[Hashable, Answer] = {}

    def answered(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> Answer:
        answer = known.get((pod, snapshot))
        if answer is None:
            clock.look()
            answer = known[pod, snapshot] = asked(pod, snapshot, plugins)
        return answer

    return answered
