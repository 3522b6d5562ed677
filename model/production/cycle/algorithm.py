"""The nodes that may be chosen for a pod: `scheduled`.

Kubernetes 1.34: schedulePod and what it calls in pkg/scheduler/schedule_one.go.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from schedcheck.model.production.cycle.diagnosis import CycleError, Diagnosis, FitError, NoNodesError
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.extender import BY_EXTENDER, HIGHEST_EXTENDER_SCORE, Extender, ExtenderError
from schedcheck.model.production.framework.filtering import filtered_with_nominated, listed, pre_filtered
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.framework.plugin import HIGHEST_SCORE
from schedcheck.model.production.framework.scoring import Scored, pre_scored, scored
from schedcheck.model.production.framework.status import unresolvable, unschedulable
from schedcheck.model.production.framework.verdicts import FAILED, NodeStatuses
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot

FEWEST_NODES = 100
"""The least number of feasible nodes at which a search stops."""
LOWEST_PERCENTAGE = 5


@dataclass(frozen=True)
class Search:
    """The part of the cluster to search: a percentage, 0 for one that adapts to its size; and the node to start at."""

    percentage: int = 0
    start: int = 0


@dataclass(frozen=True)
class Suggestion:
    """The nodes of the highest score, in list order, any of which may be chosen; and where the next search starts.

    `mode` says how they were found: "nominated", "single" (the only feasible node) or "scored". `found` are the feasible
    nodes at which the search stopped.
    """

    hosts: tuple[str, ...]
    mode: str
    evaluated: int
    feasible: int
    next_start: int
    found: Nodes = field(repr=False, compare=False)
    statuses: NodeStatuses = field(repr=False, compare=False)
    scores: Scored | None = field(default=None, repr=False, compare=False)
    """The scores of `found`, if several nodes were scored; their total includes those of extenders."""


@dataclass(frozen=True)
class Failure:
    """The error of a pod without a feasible node; and where the next search starts."""

    error: FitError
    next_start: int


def nodes_to_find(nodes: int, percentage: int) -> int:
    """Return how many feasible nodes end the search in a cluster of `nodes`; `percentage` 0 adapts to its size."""
    if nodes < FEWEST_NODES:
        return nodes
    share = percentage or max(50 - nodes // 125, LOWEST_PERCENTAGE)
    return max(nodes * share // 100, FEWEST_NODES)


def scheduled(
    framework: Framework,
    state: CycleState,
    pod: PodInfo,
    snapshot: Snapshot,
    search: Search = Search(),
    extenders: Sequence[Extender] = (),
) -> Suggestion | Failure:
    """Return the nodes that may be chosen for the pod, or why there is none.

    Raises: CycleError.
    """
    if not len(snapshot):
        raise NoNodesError
    diagnosis = Diagnosis()
    found, mode, start = _feasible(framework, state, pod, snapshot, search, extenders, diagnosis)
    if not len(found):
        return Failure(FitError(len(snapshot), diagnosis), start)
    evaluated = len(found) + diagnosis.statuses.explicit()
    if len(found) == 1:
        return Suggestion(tuple(found.names()), mode or "single", evaluated, 1, start, found, diagnosis.statuses)
    scores = _rated(framework, state, pod, found, extenders)
    best = found.only(np.flatnonzero(scores.total == scores.total.max()))
    return Suggestion(tuple(best.names()), "scored", evaluated, len(found), start, found, diagnosis.statuses, scores)


def _feasible(
    framework: Framework,
    state: CycleState,
    pod: PodInfo,
    snapshot: Snapshot,
    search: Search,
    extenders: Sequence[Extender],
    diagnosis: Diagnosis,
) -> tuple[Nodes, str, int]:
    """Return the feasible nodes, "nominated" if a nomination gave them, and where the next search starts."""
    before = pre_filtered(framework, state, pod, snapshot)
    # Plugins whose PreFilterResult narrows the nodes share this set with those that reject the nominated node.
    diagnosis.refused_by |= before.narrowed_by
    nothing = snapshot.some(())
    if not before.status.success:
        if not before.status.rejected:
            raise CycleError(before.status.message)
        diagnosis.statuses.absent = before.status
        diagnosis.pre_filter = before.status.message
        diagnosis.blame(before.status)
        return nothing, "", search.start
    nominated = pod.pod.nominated_node_name
    if nominated and snapshot.node(nominated) is not None:
        try:
            first = _passing(framework, state, pod, snapshot.some([nominated]), 1, extenders, diagnosis)
        except CycleError:
            first = nothing
        if len(first):
            return first, "nominated", search.start
    nodes = snapshot.all()
    if before.names is not None:
        nodes = snapshot.some(sorted(before.names))
        blamed = listed(frozenset(diagnosis.refused_by))
        diagnosis.statuses.absent = unresolvable(f"node(s) didn't satisfy plugin(s) {blamed}")
    if search.start:
        nodes = nodes.only(np.roll(np.arange(len(nodes)), -search.start))
    enough = nodes_to_find(len(nodes), framework.percentage_of_nodes_to_score or search.percentage)
    if not framework.at("score") and not any(each.filters or each.prioritizes for each in extenders):
        enough = 1
    passing = _filtered(framework, state, pod, nodes, enough, diagnosis)
    start = (search.start + len(passing) + diagnosis.statuses.explicit()) % len(snapshot)
    kept = _kept_by_extenders(pod, passing, extenders, diagnosis.statuses)
    if len(kept) != len(passing):
        diagnosis.refused_by.add(BY_EXTENDER)
    return kept, "", start


def _passing(
    framework: Framework,
    state: CycleState,
    pod: PodInfo,
    nodes: Nodes,
    enough: int,
    extenders: Sequence[Extender],
    diagnosis: Diagnosis,
) -> Nodes:
    """Return the nodes that pass the filters and then the extenders."""
    passing = _filtered(framework, state, pod, nodes, enough, diagnosis)
    return _kept_by_extenders(pod, passing, extenders, diagnosis.statuses)


def _filtered(
    framework: Framework, state: CycleState, pod: PodInfo, nodes: Nodes, enough: int, diagnosis: Diagnosis
) -> Nodes:
    """Return the first `enough` nodes that pass the filters; record the statuses of the nodes rejected on the way.

    Raises: CycleError if a filter fails.
    """
    if not len(nodes):
        return nodes
    outcome = filtered_with_nominated(framework, state, pod, nodes)
    passed = np.flatnonzero(outcome.passed())
    if len(passed) == len(nodes) <= enough:
        return nodes
    if len(passed) > enough:
        # The search stops when it finds one feasible node more than needed.
        outcome = outcome.only(np.arange(passed[enough]))
        passed = passed[:enough]
    failed = np.flatnonzero(outcome.codes == FAILED)
    if len(failed):
        raise CycleError(outcome.status(int(failed[0])).message)
    diagnosis.statuses.record(outcome)
    for plugin in np.flatnonzero(np.bincount(outcome.plugins[outcome.plugins >= 0])).tolist():
        diagnosis.refused_by.add(outcome.explained[plugin][0])
    return nodes.only(passed)


def _kept_by_extenders(
    pod: PodInfo, nodes: Nodes, extenders: Sequence[Extender], statuses: NodeStatuses
) -> Nodes:  # fmt: skip
    """Return the nodes that every extender keeps, each asked about those that the extenders before it kept.

    Raises: CycleError if an extender fails that is not ignorable.
    """
    for extender in extenders:
        if not len(nodes):
            break
        if not extender.filters or not extender.interested(pod.pod):
            continue
        try:
            said = extender.filter(pod.pod, [nodes.table.node(int(row)) for row in nodes.rows])
        except ExtenderError as error:
            if extender.ignorable:
                continue
            raise CycleError(str(error)) from error
        for name, reason in said.failed.items():
            if name in nodes.table.row_of:
                statuses.put(nodes.table.row_of[name], unschedulable(reason))
        for name, reason in said.hopeless.items():
            if name in nodes.table.row_of:
                statuses.put(nodes.table.row_of[name], unresolvable(reason))
        kept = set(said.kept)
        nodes = nodes.only(np.array([i for i, name in enumerate(nodes.names()) if name in kept], np.int64))
        if said.bare:
            nodes = replace(nodes, bare=True)
    return nodes


def _rated(
    framework: Framework, state: CycleState, pod: PodInfo, nodes: Nodes, extenders: Sequence[Extender]
) -> Scored:
    """Return all scores of each node. Their total includes extenders; a failing extender contributes nothing.

    Raises: CycleError if a plugin fails.
    """
    if not framework.at("score") and not extenders:
        return Scored(total=np.ones(len(nodes), np.int64))
    status = pre_scored(framework, state, pod, nodes)
    if not status.success:
        raise CycleError(status.message)
    found = scored(framework, state, pod, nodes)
    if not found.status.success:
        raise CycleError(found.status.message)
    total = found.total
    for extender in extenders:
        if not extender.prioritizes or not extender.interested(pod.pod):
            continue
        try:
            scores = extender.prioritize(pod.pod, [nodes.table.node(int(row)) for row in nodes.rows])
        except ExtenderError:
            continue
        scale = extender.weight * (HIGHEST_SCORE // HIGHEST_EXTENDER_SCORE)
        total = total + np.array([scores.get(name, 0) * scale for name in nodes.names()], np.int64)
    return replace(found, total=total)
