"""The victims that preemption would need on each of many nodes: `dry_run`.

All nodes are tried at once, each in a world of its own; the result for one does not depend on another.

Kubernetes 1.34: SelectVictimsOnNode in pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go,
DryRunPreemption in pkg/scheduler/framework/preemption/preemption.go.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress
from operator import attrgetter

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.extender import Victims
from schedcheck.model.production.framework.filtering import changed, filtered_with_nominated
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.framework.listers import Listers
from schedcheck.model.production.framework.status import Status, unresolvable
from schedcheck.model.production.framework.verdicts import NodeStatuses
from schedcheck.model.production.preemption.amounts import amounts_decide, by_amounts, take_away
from schedcheck.model.production.snapshot.labels import Mask, Numbers, selects
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import Pod, PodDisruptionBudget
from schedcheck.spec.terms import LabelSelector

A_FEW = 16
POD = attrgetter("pod")
NO_VICTIMS = "No preemption victims found for incoming pod"


@dataclass
class DryRun:
    """The candidates by node, those without a PDB violation first, and the statuses of the other nodes."""

    candidates: dict[str, Victims] = field(default_factory=dict)
    statuses: NodeStatuses = field(default_factory=NodeStatuses)


def importance(info: PodInfo) -> tuple[int, int]:
    """Return the sort key of victims."""
    return info.importance


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


Tried = Callable[[Framework, CycleState, PodInfo, Nodes], list[Victims | Status]]
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
    kind: dict[str, Victims] = {}
    harmless = False
    end = 0
    while end < len(rows):
        # Try as many at once as are needed in any case, and a few more in place of those that fail.
        begin, end = end, end + max(enough - len(kind), 0) + A_FEW
        some = Nodes(snapshot.table, rows[begin:end])
        said = (tried or victims_on)(framework, state, pod, some)
        for name, row, each in zip(some.names(), some.rows, said, strict=True):
            if isinstance(each, Status):
                found.statuses.put(int(row), each)
                continue
            kind[name] = each
            harmless |= each.violations == 0
            if harmless and len(kind) >= enough:
                found.candidates = _harmless_first(kind)
                return found
    found.candidates = _harmless_first(kind)
    return found


def _harmless_first(candidates: dict[str, Victims]) -> dict[str, Victims]:
    return dict(sorted(candidates.items(), key=lambda each: each[1].violations > 0))


@dataclass
class World:
    """A node without its pods of lower priority: the order in which they are reprieved, and the victims."""

    order: list[PodInfo]
    violating: int
    victims: list[PodInfo] = field(default_factory=list)
    violations: int = 0

    def told(self) -> Victims:
        """Return the victims, the most important first."""
        both = 0 < self.violating < len(self.order)
        pods = sorted(self.victims, key=importance) if both else self.victims
        return Victims(tuple(map(POD, pods)), self.violations)


def victims_on(framework: Framework, state: CycleState, pod: PodInfo, nodes: Nodes) -> list[Victims | Status]:
    """Return for each node the victims, or the status that says why there are none.

    All pods of lower priority are removed. If the pod fits then, they are put back one by one, those with a PDB
    violation first. A pod that keeps the preemptor from fitting is a victim. If there is no victim, an extender has
    rejected the node; if extenders have a preempt verb, they must name victims.
    """
    by_extenders = any(each.preempts and each.interested(pod.pod) for each in framework.handle.extenders)
    said: list[Victims | Status] = [unresolvable(NO_VICTIMS)] * len(nodes)
    every = [nodes.table.pods_below(row, pod.pod.priority) for row in nodes.rows.tolist()]
    places = [place for place, lower in enumerate(every) if lower.infos]
    if not places:
        return said
    lower = [every[place] for place in places]
    tried, state = nodes.only(np.array(places, np.int64)).tried(), state.clone()
    if amounts_decide(framework, state):
        take_away(tried, lower)
    else:
        _change(framework, state, pod, tried, [(i, info) for i, each in enumerate(lower) for info in each.infos], -1)
    emptied = filtered_with_nominated(framework, state, pod, tried)
    fits = emptied.passed().tolist()
    worlds: dict[int, World] = {}
    for i, place in enumerate(places):
        if fits[i]:
            wrong, right = violating(lower[i].by_importance, framework.handle.listers, framework.handle.departures)
            worlds[i] = World([*wrong, *right], len(wrong))
        else:
            said[place] = emptied.status(i)
    _reprieve(framework, state, pod, tried, worlds)
    for i, world in worlds.items():
        if world.victims or by_extenders:
            said[places[i]] = world.told()
    return said


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
        lost = by_amounts(
            framework, state, pod, tried, {i: (world.order, world.violating) for i, world in worlds.items()}
        )
        for world, turns in zip(worlds.values(), lost, strict=True):
            world.victims, world.violations = list(compress(world.order, turns)), sum(turns[: world.violating])
        return
    for turn in range(max((len(world.order) for world in worlds.values()), default=0)):
        there = [(i, world.order[turn]) for i, world in worlds.items() if turn < len(world.order)]
        _change(framework, state, pod, tried, there, 1)
        fits: Mask = filtered_with_nominated(
            framework, state, pod, tried.only(np.array([i for i, _ in there], np.int64))
        ).passed()
        gone = [each for each, fit in zip(there, fits, strict=True) if not fit]
        if gone:
            _change(framework, state, pod, tried, gone, -1)
        for i, info in gone:
            worlds[i].victims.append(info)
            worlds[i].violations += turn < worlds[i].violating
