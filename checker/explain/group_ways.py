"""The ways in which the pods of a group may be tried, one after the other: `ways_in_a_cycle`, `ways_one_by_one`.

Of the orders and choices that differ only between pods or nodes that are alike, one is followed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from schedcheck.checker.explain.group_likeness import Likeness
from schedcheck.checker.limits.timer import doing
from schedcheck.spec.kubernetes import gangs
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_groups import (
    Choices,
    Pairs,
    as_listed,
    assumptions,
    fewest,
    judged,
    preempts,
    scheduled,
    seen_in_group,
)
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.preemption.post_filter import post_filter
from schedcheck.spec.kubernetes.select_host import Choice, choice
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.workload_objects import PodGroup

MOST_CYCLES = 2_000
"""The most cycles of single pods."""

End = Literal["placed", "waits", "error", "alone"]
"""Whether enough pods have a node, or too few; the cycle of a pod ends in an error; or a pod preempts by itself."""


class TooMany(Exception):
    """There are too many orders and choices to try them all."""


@dataclass(frozen=True)
class Tried:
    """A pod that is tried: the snapshot that its cycle sees, itself included, and the node that it found, if any."""

    pod: Pod
    seen: Snapshot
    node: Node | None
    error: str = ""


@dataclass(frozen=True)
class Way:
    """One way in which the pods of `order` are tried; the rest of them is not. `placed` are those with a node.

    `left_with` is the snapshot at its end, in which these have their nodes and what their claims take there.
    """

    order: tuple[Pod, ...]
    left_with: Snapshot
    tried: tuple[Tried, ...] = ()
    placed: Pairs = ()
    end: End = "waits"

    @property
    def left(self) -> tuple[Pod, ...]:
        """The pods that are not tried."""
        return self.order[len(self.tried) :]


class Counted(Choices):
    """The ends of the cycles of single pods, of which no more than `MOST_CYCLES` are computed."""

    def __missing__(self, key: tuple[Pod, Snapshot]) -> Choice:
        if len(self) >= MOST_CYCLES:
            raise TooMany
        doing(f"trying the pods of the group, {len(self) + 1:,} cycles")
        return super().__missing__(key)


@dataclass(frozen=True)
class _State:
    """Where a way has come to: the snapshot, the pods that were tried, and those of them that have a node."""

    snapshot: Snapshot
    tried: tuple[Tried, ...] = ()
    placed: Pairs = ()

    def ended(self, order: tuple[Pod, ...], end: End, *more: Tried) -> Way:
        """Return the way that ends here."""
        return Way(order, self.snapshot, (*self.tried, *more), self.placed, end)


def ways_in_a_cycle(
    group: PodGroup, order: tuple[Pod, ...], snapshot: Snapshot, chosen: Choices, like: Likeness, most: int | None = None
) -> tuple[Way, ...]:  # fmt: skip
    """Return the ways of the cycle of a PodGroup that tries its pods in this order, or `most` of them.

    Raises: TooMany.
    """
    plugins, done, now = chosen.plugins, list[Way](), [_State(snapshot)]
    for place in range(len(order) + 1):
        later: list[_State] = []
        for state in now:
            enough = len(scheduled(group, state.snapshot)) + len(order) - place >= fewest(group)
            if not enough and (place == len(order) or judged(plugins)):
                done.append(state.ended(order, "waits"))
            elif place == len(order):
                done.append(state.ended(order, "placed" if state.placed else "waits"))
            else:
                done += _in_group(order, place, state, chosen, later)
        now = distinct(later, like)[:most]
    return tuple(done)


def _in_group(order: tuple[Pod, ...], place: int, state: _State, chosen: Choices, later: list[_State]) -> list[Way]:
    """Add the states after the pod at this place to `later`; return the ways that end with it."""
    pod, plugins = order[place], chosen.plugins
    listed = as_listed(pod, state.snapshot, state.placed, plugins)
    found, seen = chosen[pod, listed], with_pod(seen_in_group(pod, listed), pod)
    if found.kind == "error":
        return [state.ended(order, "error", Tried(pod, seen, None, found.error))]
    if found.kind == "unschedulable" and preempts(pod, listed, plugins):
        return [state.ended(order, "alone", Tried(pod, seen, None))]
    if found.kind == "unschedulable":
        later.append(replace(state, tried=(*state.tried, Tried(pod, seen, None))))
    for node in (node for node in state.snapshot.nodes if node.name in found.hosts):
        tried = (*state.tried, Tried(pod, seen, node))
        there = assumptions_in_order(pod, node, state.snapshot, plugins)
        later += (_State(each, tried, (*state.placed, (pod, node))) for each in there)
    return []


def assumptions_in_order(pod: Pod, node: Node, snapshot: Snapshot, plugins: Plugins) -> list[Snapshot]:
    """Return the snapshots in which `pod` has this node, one for each allocation to its claims, always in the same order."""
    return sorted(assumptions(pod, node, snapshot, plugins), key=lambda each: repr(each.devices.claims))


def ways_one_by_one(
    order: tuple[Pod, ...], snapshot: Snapshot, plugins: Plugins, like: Likeness, most: int | None = None
) -> tuple[Way, ...]:
    """Return the ways of the members of a gang that are tried in this order, or `most` of them.

    No other pod comes in between. Each that finds a node waits on permit, until its quorum is reached.

    Raises: TooMany.
    """
    done, now, cycles = list[Way](), [_State(snapshot)], 0
    for pod in order:
        later: list[_State] = []
        for state in now:
            cycles += 1
            if cycles > MOST_CYCLES:
                raise TooMany
            doing(f"trying the pods of the group, {cycles:,} cycles")
            done += _on_permit(order, pod, state, plugins, later)
        now = distinct(later, like)[:most]
    for state in now:
        bound = any(each.node_name for each in state.snapshot.pods if each.key in {pod.key for pod in order})
        done.append(state.ended(order, "placed" if bound else "waits"))
    return tuple(done)


def _on_permit(
    order: tuple[Pod, ...], pod: Pod, state: _State, plugins: Plugins, later: list[_State]
) -> list[Way]:  # fmt: skip
    made = taken_up(pod, state.snapshot, plugins)
    found, seen = choice(made), with_pod(made.snapshot, pod)
    if found.kind == "unschedulable" and post_filter(DryRun(made)).code == "Success":
        return [state.ended(order, "alone", Tried(pod, seen, None))]
    if found.kind != "scheduled":
        later.append(replace(state, tried=(*state.tried, Tried(pod, seen, None, found.error))))
    for node in (node for node in state.snapshot.nodes if node.name in found.hosts):
        tried = (*state.tried, Tried(pod, seen, node))
        later.append(_State(permitted(pod, node, state.snapshot), tried, (*state.placed, (pod, node))))
    return []


def permitted(pod: Pod, node: Node, snapshot: Snapshot) -> Snapshot:
    """Return the snapshot after Permit for a member that found this node: it waits there, or its gang is bound."""
    enough = gangs.quorum(pod, snapshot)
    allowed = {each.key for each in gangs.waiting_members(pod, snapshot)} if enough else set()

    def after(each: Pod) -> Pod:
        if each == pod:
            return replace(each, node_name=node.name) if enough else replace(each, waits_on=node.name)
        return replace(each, node_name=each.waits_on, waits_on="") if each.key in allowed else each

    return replace(snapshot, pods=tuple(map(after, snapshot.pods)))


def distinct(states: Iterable[_State], like: Likeness) -> list[_State]:
    """Return the states that differ otherwise than between pods or nodes that are alike: the first of each.

    What their pods take for their claims tells states apart as well.
    """
    found: dict[object, _State] = {}
    for each in states:
        taken = each.snapshot.storage, each.snapshot.devices
        found.setdefault((like.arranged(each.placed), taken), each)
    return list(found.values())


def with_pod(snapshot: Snapshot, pod: Pod) -> Snapshot:
    """Return the snapshot that a cycle of `pod` sees with the pod in it."""
    return replace(snapshot, pods=tuple(sorted((*snapshot.pods, pod), key=lambda each: each.key)))
