"""The victims that preemption would need on each of many nodes: `dry_run`.

All nodes are tried at once, each in a world of its own; the result for one does not depend on another.

Kubernetes 1.34: SelectVictimsOnNode in pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go,
DryRunPreemption in pkg/scheduler/framework/preemption/preemption.go.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.extender import Victims
from schedcheck.model.production.framework.filtering import changed, filtered, filtered_with_nominated
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.framework.listers import Listers
from schedcheck.model.production.framework.status import Status, error, unresolvable
from schedcheck.model.production.framework.verdicts import NodeStatuses
from schedcheck.model.production.preemption.amounts import (
    amounts_decide,
    by_amounts,
    put_nominated,
    room,
    steadily_passed,
    take_away,
)
from schedcheck.model.production.preemption.remembered import Remembered, remembered
from schedcheck.model.production.preemption.worlds import Candidates, World
from schedcheck.model.production.snapshot.labels import Mask, Numbers, selects
from schedcheck.model.production.snapshot.lower_pods import LowerTable
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import Pod, PodDisruptionBudget
from schedcheck.spec.terms import LabelSelector

A_FEW = 16
NO_VICTIMS = "No preemption victims found for incoming pod"


@dataclass
class DryRun:
    """The candidates by node, those without a PDB violation first, and the statuses of the other nodes."""

    candidates: Mapping[str, Victims] = field(default_factory=dict)
    statuses: NodeStatuses = field(default_factory=NodeStatuses)


def violating(
    infos: Iterable[PodInfo], listers: Listers, departures: Departures = NEWEST.departures
) -> tuple[list[PodInfo], list[PodInfo]]:
    """Return the pods whose eviction would violate a PodDisruptionBudget, and the others, each in their order.

    All of the pods are charged to the budgets in turn, whether they will be evicted or not. From 1.37 on a pod is
    charged up to the first budget that it violates.
    """
    first_alone = Departure.LATER_BUDGETS_UNCHARGED in departures
    if not listers.budgets:
        return [], list(infos)
    left: dict[tuple[str, str], int] = {}
    wrong: list[PodInfo] = []
    right: list[PodInfo] = []
    for info in infos:
        over = False
        for budget in sorted(listers.budgets_that_may_protect(info.pod), key=lambda each: each.key):
            if _protects(budget, info.pod):
                left[budget.key] = left.get(budget.key, budget.disruptions_allowed) - 1
                over |= left[budget.key] < 0
                if over and first_alone:
                    break
        (wrong if over else right).append(info)
    return wrong, right


def _protects(budget: PodDisruptionBudget, pod: Pod) -> bool:
    """Whether the eviction of the pod is charged to the budget; an empty selector protects no pod."""
    return (
        bool(pod.labels)
        and budget.namespace == pod.namespace
        and budget.selector not in (None, LabelSelector())
        and selects(budget.selector, pod.labels)
        and pod.name not in budget.disrupted
    )


Tried = Callable[[Framework, CycleState, PodInfo, Nodes], list[World | Status]]
"""What finds the victims on some nodes."""


def dry_run(
    framework: Framework,
    state: CycleState,
    pod: PodInfo,
    snapshot: Snapshot,
    rows: Numbers,
    enough: int,
    tried: Tried | None = None,
) -> DryRun:
    """Try the nodes of these rows in turn, until there are `enough` candidates, one of them without a PDB violation.

    `tried` finds the victims on some of them, by default as `victims_on` does.
    """
    found = DryRun()
    worlds: dict[str, World] = {}
    harmless = False
    end = 0
    while end < len(rows) and not (harmless and len(worlds) >= enough):
        # Try as many at once as are needed in any case, and more in place of those that fail: a node more costs little,
        # and another round much.
        needed = max(enough - len(worlds), 0)
        begin, end = end, end + needed + max(needed // 2, A_FEW)
        some = Nodes(snapshot.table, rows[begin:end])
        said = (tried or victims_on)(framework, state, pod, some)
        for name, row, each in zip(some.names(), some.rows.tolist(), said, strict=True):
            if isinstance(each, Status):
                found.statuses.put(row, each)
                continue
            worlds[name] = each
            harmless = harmless or each.violations == 0
            if harmless and len(worlds) >= enough:
                break
    found.candidates = Candidates(_harmless_first(worlds))
    return found


def _harmless_first(worlds: dict[str, World]) -> dict[str, World]:
    if not any(world.violating for world in worlds.values()):
        return worlds
    return dict(sorted(worlds.items(), key=lambda each: each[1].violations > 0))


def victims_on(framework: Framework, state: CycleState, pod: PodInfo, nodes: Nodes) -> list[World | Status]:
    """Return for each node the victims, or the status that says why there are none.

    All pods of lower priority are removed. If the pod fits then, they are put back one by one, those with a PDB
    violation first. A pod that keeps the preemptor from fitting is a victim. If there is no victim, an extender has
    rejected the node (`needless`).
    """
    said: list[World | Status] = [unresolvable(NO_VICTIMS)] * len(nodes)
    lower = nodes.table.lower(pod.pod.priority, nodes.rows)
    places = np.flatnonzero(lower.sizes[nodes.rows])
    if not len(places):
        return said
    tried = _by_amounts if amounts_decide(framework, state) else _by_filters
    found = tried(framework, state, pod, nodes.only(places).tried(), lower)
    for place, each in zip(places.tolist(), found, strict=True):
        needed = isinstance(each, Status) or True in each.lost
        said[place] = each if needed else needless(framework, pod, str(nodes.table.names[nodes.rows[place]])) or each
    return said


def needless(framework: Framework, pod: PodInfo, node: str) -> Status | None:
    """Return why a node from which no pod has to go is no candidate; None if extenders are asked for victims there.

    Up to 1.37 the trial fails, whether or not an extender is to be asked.
    """
    if Departure.NEEDLESS_PREEMPTION_FAILS in framework.handle.departures:
        return error(f'expected at least one victim pod on node "{node}"')
    asked = any(each.preempts and each.interested(pod.pod) for each in framework.handle.extenders)
    return None if asked else unresolvable(NO_VICTIMS)


def _by_filters(
    framework: Framework, state: CycleState, pod: PodInfo, tried: Nodes, lower: LowerTable
) -> list[World | Status]:
    """Return what `victims_on` does, for nodes with pods that may be lost; each round of the reprieve asks the filters."""
    state = state.clone()
    every = [lower.infos[row] for row in tried.rows.tolist()]
    there = [(i, info) for i, infos in enumerate(every) for info in infos]
    _change(framework, state, pod, tried, there, -1)
    emptied = filtered_with_nominated(framework, state, pod, tried)
    worlds = {i: _emptied(framework, every[i]) for i in np.flatnonzero(emptied.passed()).tolist()}
    _reprieve(framework, state, pod, tried, worlds)
    statuses = emptied.statuses(np.arange(len(tried)))
    return [worlds.get(place, status) for place, status in enumerate(statuses)]


def _by_amounts(
    framework: Framework, state: CycleState, pod: PodInfo, tried: Nodes, lower: LowerTable
) -> list[World | Status]:
    """Return the same where only amounts decide, so that the filters are asked for nothing but reasons."""
    take_away(tried, lower)
    put_nominated(framework, state, pod, tried)
    columns, held, most = room(framework, state, pod, tried)
    fits, left = (held <= most).all(axis=1) & steadily_passed(framework, state, pod, tried), most - held
    rows = tried.rows
    # What budgets allow is not remembered.
    budgets = framework.handle.listers.budgets
    known = (
        Remembered(lower, len(columns))
        if budgets
        else remembered(lower, (*columns, *pod.requests.items()), len(columns))
    )
    new = np.flatnonzero(fits & known.stale(rows, left))
    if len(new):
        worlds = {place: _emptied(framework, lower.infos[rows[place]]) for place in new.tolist()}
        _reprieve(framework, state, pod, tried, worlds)
        known.put(rows[new], left[new], worlds.values())
    found: list[World | Status] = [*known.at(rows)]
    hopeless = np.flatnonzero(~fits)
    if len(hopeless):
        outcome = filtered(framework, state, pod, tried.only(hopeless))
        for place, status in zip(hopeless.tolist(), outcome.statuses(np.arange(len(hopeless))), strict=True):
            found[place] = status
    return found


def _emptied(framework: Framework, lower: Sequence[PodInfo]) -> World:
    """Return the world without these pods, which are in the order of importance."""
    handle = framework.handle
    if not handle.listers.budgets:
        return World(lower)
    wrong, right = violating(lower, handle.listers, handle.departures)
    place = {info: place for place, info in enumerate(lower)}
    order = [*wrong, *right]
    return World(order, len(wrong), [place[info] for info in order]) if wrong else World(lower)


def _change(
    framework: Framework,
    state: CycleState,
    pod: PodInfo,
    tried: Nodes,
    changes: Sequence[tuple[int, PodInfo]],
    sign: int,
) -> None:
    """Add or remove pods, each on the node at its index."""
    places = np.array([place for place, _ in changes], np.int64)
    changed(framework, state, pod, tried.only(places), [info for _, info in changes], sign)


def _reprieve(
    framework: Framework, state: CycleState, pod: PodInfo, tried: Nodes, worlds: dict[int, World]
) -> None:  # fmt: skip
    """Put the pods of all worlds back, in each round one of each world; those that prevent the fit become victims."""
    if amounts_decide(framework, state):
        by_amounts(framework, state, pod, tried, tried.table.lower(pod.pod.priority, tried.rows), worlds)
        return
    for world in worlds.values():
        world.lost = [False] * len(world.order)
    for turn in range(max((len(world.lost) for world in worlds.values()), default=0)):
        there = [(i, world.order[turn]) for i, world in worlds.items() if turn < len(world.lost)]
        _change(framework, state, pod, tried, there, 1)
        fits: Mask = filtered_with_nominated(
            framework, state, pod, tried.only(np.array([i for i, _ in there], np.int64))
        ).passed()
        gone = [each for each, fit in zip(there, fits, strict=True) if not fit]
        if gone:
            _change(framework, state, pod, tried, gone, -1)
        for i, _ in gone:
            worlds[i].lost[turn] = True
