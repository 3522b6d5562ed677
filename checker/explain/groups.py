"""Why the pods of a gang wait, or where they get nodes: `group_explanation`, `GroupExplanation`.

The answer is about the group as it stands: whether its pods are in the queue, and then every way in which they may be
tried. The ways are followed here; what each step of them does is asked of the specification.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from schedcheck.checker.explain.group_ends import GroupEnd, GroupExplanation
from schedcheck.checker.explain.group_likeness import Likeness, kind, likeness, orders
from schedcheck.checker.explain.group_ways import (
    Counted,
    TooMany,
    Tried,
    Way,
    ways_in_a_cycle,
    ways_one_by_one,
    with_pod,
)
from schedcheck.checker.explain.kubernetes import CycleExplanation, Evictions, cycle_explanation
from schedcheck.spec.kubernetes import gangs, group_decisions
from schedcheck.spec.kubernetes.control_loop import entering, unmodelled
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_groups import (
    Pairs,
    alike,
    as_listed,
    fewest,
    group_members,
    group_refusal,
    highest_first,
    in_one_cycle,
    judged,
    pod_group,
    queued_with,
    scheduled,
    seen_in_group,
    tried,
)
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.preemption.of_groups import Attempt
from schedcheck.spec.kubernetes.preemption.post_filter import said
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.workload_objects import PodGroup

UNALIKE = "its pods differ in schedulerName, preemptionPolicy or priority, or its PodGroup has another priority"
BY_ITSELF = "not modelled: preemption by a pod of a pod group"
TOO_MANY = "its pods can be tried in too many orders, or placed in too many ways"
EXTENDERS = "not modelled: extenders together with gang scheduling"
MOST_ORDERS = 120
"""The most orders of pods that are not alike."""

MOST_UNLIKE = 300
"""The most pods of a group in which not all pods are alike."""


def of_a_group(pod: Pod, plugins: Plugins) -> bool:
    """Whether the profile schedules `pod` with others: whether the pod names a group."""
    return bool(pod.scheduling_group if in_one_cycle(plugins) else pod.workload and gangs.one_by_one(plugins))


def group_explanation(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> GroupExplanation:
    """Return the explanation of the group of `pod`, an unbound pod of the snapshot that names one."""
    return _of_pod_group(pod, snapshot, plugins) if in_one_cycle(plugins) else _of_workload(pod, snapshot, plugins)


def _of_pod_group(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> GroupExplanation:
    group, refusal = pod_group(pod, snapshot), group_refusal(pod, snapshot, plugins)
    if group is None:
        exist = gangs.members(pod, snapshot)
        return GroupExplanation(pod.scheduling_group, 1, None, True, exist, _with_node(exist), refusal)
    head = GroupExplanation(
        group.name, fewest(group), group.min_count, True, group_members(group, snapshot), scheduled(group, snapshot)
    )
    gated = _held(queued_with(pod, snapshot, plugins), snapshot, plugins)
    if refusal is not None or gated:
        return replace(head, refusal=refusal, gated=gated)
    unknown = group_decisions.unmodelled_in(group, snapshot, plugins)
    if unknown or plugins.extenders or plugins.unasked:
        return replace(head, unknown=f"not modelled: {unknown}" if unknown else EXTENDERS)
    if not alike(group, snapshot, plugins):
        return replace(head, error=UNALIKE)
    pods = tuple(sorted(tried(group, snapshot, plugins), key=_key))
    return _followed(head, _Cycles(group, snapshot, plugins, pods, likeness(pods, snapshot, plugins)))


def _of_workload(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> GroupExplanation:
    refusal, exist = gangs.refusal(pod, snapshot, plugins), gangs.members(pod, snapshot)
    least = gangs.min_count(pod, snapshot)
    assert pod.workload is not None, "the pod names a group"
    name = "/".join(filter(None, (pod.workload.workload, pod.workload.group, pod.workload.replica)))
    head = GroupExplanation(name, least or 1, least, False, exist, _with_node(exist), refusal)
    gated = _held(frozenset({pod}), snapshot, plugins)
    if refusal is not None or gated:
        return replace(head, gated=gated)
    pods = tuple(each for each in sorted(exist, key=_key) if _one_by_one(each, snapshot, plugins))
    unknown = next(filter(None, (unmodelled(each, snapshot, plugins) for each in pods)), "")
    if unknown or plugins.extenders or plugins.unasked:
        return replace(head, unknown=unknown or EXTENDERS)
    return _followed(head, _OneByOne(snapshot, plugins, pods, likeness(pods, snapshot, plugins)))


def _with_node(pods: Iterable[Pod]) -> frozenset[Pod]:
    return frozenset(pod for pod in pods if pod.node_name)


def _held(pods: Iterable[Pod], snapshot: Snapshot, plugins: Plugins) -> tuple[Pod, ...]:
    """Return those of the pods that a gate, or a missing claim, keeps out of the queue."""
    return tuple(sorted((each for each in pods if not entering(each, snapshot, plugins)), key=_key))


def _one_by_one(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> bool:
    """Whether a member is tried by itself, in 1.35."""
    unbound = not (pod.node_name or pod.waits_on or pod.terminating)
    return unbound and pod.scheduler_name == plugins.scheduler_name and entering(pod, snapshot, plugins)


@dataclass(frozen=True)
class _Cycles:
    """The cycles of a PodGroup, by order of its pods."""

    group: PodGroup
    snapshot: Snapshot
    plugins: Plugins
    pods: tuple[Pod, ...]
    like: Likeness

    def orders(self) -> Iterator[tuple[Pod, ...]]:
        """Yield the orders in which its pods may be tried."""
        return orders(self.pods, highest_first)

    def ends(self, most: int | None = None) -> Iterator[GroupEnd | str]:
        """Yield the ends in each order; a text says why they are not known. Raises: TooMany.

        `most` is how many ways are followed in each order; None for all.
        """
        attempt, chosen = Attempt(self.group, self.snapshot, self.plugins), Counted(self.plugins)
        odd = group_decisions.unmodelled_preemption(self.group, self.snapshot)
        for order in self.orders():
            ways = ways_in_a_cycle(self.group, order, self.snapshot, chosen, self.like, most)
            yield from (GroupEnd(way.end, way) for way in ways if way.end != "waits")
            failing = [way for way in ways if way.end == "waits"]
            if not failing or Departure.MEMBERS_PREEMPT in self.plugins.departures:
                yield from (GroupEnd("waits", way) for way in failing)
            elif odd:
                yield GroupEnd("waits", failing[0])
                yield f"not modelled: preemption for a pod group with {odd}"
            else:
                yield from self._preempting(attempt, failing[0], chosen, most)

    def _preempting(self, attempt: Attempt, first: Way, chosen: Counted, most: int | None) -> Iterator[GroupEnd | str]:
        """Yield the ends after the group did not fit."""
        if not attempt.eligible(first.order):
            yield GroupEnd("waits", first, unable=_unable(attempt, first.order))
            return
        if any(attempt.awaits_victims(pod) for pod in first.order):
            yield GroupEnd("waits", first, awaits=True)
            return
        for second in ways_in_a_cycle(self.group, first.order, attempt.emptied, chosen, self.like, most):
            if second.end != "placed":
                yield GroupEnd("error" if second.end == "error" else "waits", first, second)
                continue
            made = attempt.nominating(second.placed)
            if isinstance(made, str):
                yield GroupEnd("waits", first, second)
                yield made
                continue
            for end in sorted(made, key=lambda each: sorted(map(_key, each.victims))):
                yield GroupEnd("preempts", first, second, end.nominated, end.victims)


def _unable(attempt: Attempt, order: tuple[Pod, ...]) -> str:
    """Return why the group may not preempt."""
    if attempt.victims == frozenset():
        return "no bound pod has a lower priority"
    never = any(pod.preemption_policy == "Never" for pod in order)
    return "its pods have the preemptionPolicy Never" if never else "DefaultPreemption is not enabled"


@dataclass(frozen=True)
class _OneByOne:
    """The members of a gang of 1.35, tried one after the other. They have no common queue: any order is possible."""

    snapshot: Snapshot
    plugins: Plugins
    pods: tuple[Pod, ...]
    like: Likeness

    def orders(self) -> Iterator[tuple[Pod, ...]]:
        """Yield the orders in which its pods may be tried."""
        return orders(self.pods, lambda _: True)

    def ends(self, most: int | None = None) -> Iterator[GroupEnd | str]:
        """Yield the ends in each order, following `most` ways in each; None for all. Raises: TooMany."""
        for order in self.orders():
            ways = ways_one_by_one(order, self.snapshot, self.plugins, self.like, most)
            yield from (GroupEnd(way.end, way) for way in ways)


@lru_cache(maxsize=8)
def _followed(head: GroupExplanation, cycles: _Cycles | _OneByOne) -> GroupExplanation:
    """Return the explanation with all ends; with one of them if there are too many."""
    found: dict[object, GroupEnd] = {}
    unknown = "" if _few(cycles) else TOO_MANY
    try:
        for each in cycles.ends() if not unknown else ():
            if isinstance(each, str):
                unknown = unknown or each
            else:
                found.setdefault(each.essence(cycles.like), each)
    except TooMany:
        unknown = TOO_MANY
    ends = tuple(found.values()) if unknown != TOO_MANY else _one(cycles)
    if head.together and any(each.kind == "alone" for each in ends):
        unknown = BY_ITSELF
    return replace(head, pods=cycles.pods, ends=ends, unknown=unknown, like=cycles.like)


def _few(cycles: _Cycles | _OneByOne) -> bool:
    """Whether there are few enough orders to try them all."""
    if len(set(map(kind, cycles.pods))) < 2:
        return True
    return len(cycles.pods) <= MOST_UNLIKE and len(list(islice(cycles.orders(), MOST_ORDERS + 1))) <= MOST_ORDERS


def _one(cycles: _Cycles | _OneByOne) -> tuple[GroupEnd, ...]:
    """Return one end, or none if even that is too much."""
    try:
        return tuple(islice((each for each in cycles.ends(most=1) if isinstance(each, GroupEnd)), 1))
    except TooMany:
        return ()


def untried(pod: Pod, about: GroupExplanation, snapshot: Snapshot, plugins: Plugins) -> Tried:
    """Return what a pod of the group would see that the shown cycle does not try, or no cycle tries."""
    placed = Pairs()
    if about.shown is not None:
        placed, snapshot = about.shown.way.placed, about.shown.way.left_with
    if not about.together:
        return Tried(pod, snapshot, None)
    return Tried(pod, with_pod(seen_in_group(pod, as_listed(pod, snapshot, placed, plugins)), pod), None)


def member_explanation(one: Tried, plugins: Plugins) -> CycleExplanation:
    """Return the explanation of a pod that is tried with its group: what `explain` says of it on what its cycle sees.

    Since 1.37 a pod of a group does not preempt by itself.
    """
    made = cycle_explanation(one.pod, one.seen, plugins)
    assert made is not None, "a pod that is tried has not ended"
    if made.evictions is None or not judged(plugins):
        return made
    return replace(made, evictions=Evictions((said(DryRun(made.cycle), ""),), None, (), {}, ()))


def _key(pod: Pod) -> tuple[str, str]:
    return pod.key
