"""The plugin PodTopologySpread: spreads selected pods over the domains of a topology key.

Kubernetes 1.34: pkg/scheduler/framework/plugins/podtopologyspread.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState, NotFoundError
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.plugin import HIGHEST_SCORE
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Status, error
from schedcheck.model.production.framework.verdicts import PASSED, REFUSED, UNRESOLVED, Verdicts, failing
from schedcheck.model.production.plugins.spread_constraints import (
    HOSTNAME,
    among,
    by_domain,
    constraints,
    counted,
    has_all_keys,
    included,
)
from schedcheck.model.production.snapshot.labels import Mask, Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Node, Pod, SpreadConstraint

FILTER_KEY, SCORE_KEY = "PreFilterPodTopologySpread", "PreScorePodTopologySpread"
UNEQUAL = "node(s) didn't match pod topology spread constraints"
NO_KEY = f"{UNEQUAL} (missing required label)"
NEVER_LEAST = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Counts:
    """The counts of a DoNotSchedule constraint."""

    constraint: SpreadConstraint
    sums: Numbers
    """For each domain the number of counted pods."""
    there: Mask
    """For each domain whether it has a node in scope."""
    scope: Mask
    """For each row of the node table whether the node is in scope."""
    itself: int
    """1 if the pod matches its own constraint, else 0."""
    changes: Numbers | None = None
    """For each world of a trial how many more pods its domain has; None outside a trial."""

    def skew(self, nodes: Nodes) -> Numbers:
        """Return the skew of each node's domain if the pod were added to it; the nodes have the topology key."""
        domains = nodes.table.labels.column(self.constraint.topology_key).numbers[nodes.rows]
        # A label value that was never seen in scope has no index in `sums`.
        known = domains < len(self.sums)
        own = np.where(known & self._at(self.there, domains), self._at(self.sums, domains), 0)
        if self.changes is None:
            least = self._least()
            return own + self.itself - least
        assert nodes.worlds is not None
        own = own + self.changes[nodes.worlds]
        within = known & self._at(self.there, domains)
        others = self._least_of_others(np.where(within, domains, 0))
        least_now = np.where(within, np.minimum(others, own), others)
        if self._too_few():
            least_now = np.zeros_like(least_now)
        return own + self.itself - least_now

    def _at(self, table: Any, domains: Numbers) -> Any:
        return table[np.minimum(domains, len(table) - 1)]

    def _too_few(self) -> bool:
        return int(np.count_nonzero(self.there)) < self.constraint.min_domains

    def _least(self) -> int:
        if self._too_few():
            return 0
        return int(self.sums[self.there].min(initial=NEVER_LEAST))

    def _least_of_others(self, domains: Numbers) -> Numbers:
        """Return for each of the domains the least count of the other domains."""
        present = np.flatnonzero(self.there)
        in_order = present[np.argsort(self.sums[present], kind="stable")][:2]
        least = [int(self.sums[domain]) for domain in in_order] + [NEVER_LEAST, NEVER_LEAST]
        first = int(in_order[0]) if len(in_order) else -1
        return np.where(domains == first, least[1], least[0])


@dataclass
class FilterState:
    """The counts of all DoNotSchedule constraints."""

    counts: tuple[Counts, ...]

    def clone(self) -> "FilterState":
        """Return a copy with counts of its own."""
        own = (each.changes if each.changes is None else each.changes.copy() for each in self.counts)
        return FilterState(
            tuple(replace(each, changes=changes) for each, changes in zip(self.counts, own, strict=True))
        )


@dataclass(frozen=True)
class ScoreState:
    """The result of the ScheduleAnyway constraints: for each row its score, and whether the node is ignored."""

    scores: Numbers
    left_out: Mask


class PodTopologySpread:
    """A plugin that rejects nodes whose domain would exceed the skew, and prefers domains with fewer pods."""

    name = "PodTopologySpread"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._defaults = arguments.default_constraints
        self._handle = handle

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Count the pods in each domain; skip without a DoNotSchedule constraint."""
        chosen = constraints(pod.pod, self._defaults, self._handle.listers, hard=True)
        if not chosen:
            return SKIP, None
        nodes = snapshot.all()
        have_keys = has_all_keys(chosen, nodes)
        found = []
        for constraint in chosen:
            in_scope = have_keys & included(constraint, pod.pod, nodes)
            sums, there = by_domain(constraint, counted(constraint, pod.pod, snapshot.table), in_scope, snapshot)
            scope = np.zeros(snapshot.table.size, bool)
            scope[snapshot.rows] = in_scope
            found.append(Counts(constraint, sums, there, scope, int(among(constraint, pod.pod, pod.pod))))
        state.write(FILTER_KEY, FilterState(tuple(found)))
        return SUCCESS, None

    def add_pods(self, state: CycleState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo]) -> None:
        """Count each of the pods in the domain of its node, even if it is terminating."""
        _change(state.read(FILTER_KEY, FilterState), pod, nodes, infos, 1)

    def remove_pods(self, state: CycleState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo]) -> None:
        """Stop counting each of the pods, even a terminating one, which was never counted."""
        _change(state.read(FILTER_KEY, FilterState), pod, nodes, infos, -1)

    def elsewhere(self, state: CycleState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo], sign: int) -> None:
        """Count each of the pods in the domain of its node, or stop counting it, in every world."""
        found = state.read(FILTER_KEY, FilterState)
        now = []
        for counts in found.counts:
            domains = nodes.table.labels.column(counts.constraint.topology_key).numbers[nodes.rows]
            alike = np.fromiter((among(counts.constraint, pod.pod, info.pod) for info in infos), bool, len(infos))
            sums = counts.sums.copy()
            np.add.at(sums, domains[alike & counts.scope[nodes.rows]], sign)
            now.append(replace(counts, sums=sums))
        found.counts = tuple(now)

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Reject nodes that lack a key or whose domain would exceed the skew; the first violation is the reason."""
        try:
            found = state.read(FILTER_KEY, FilterState)
        except NotFoundError:
            return failing(nodes, f'reading "{FILTER_KEY}" from cycleState: not found')
        codes = np.zeros(len(nodes), np.int8)
        for counts in found.counts:
            missing = nodes.table.labels.column(counts.constraint.topology_key).numbers[nodes.rows] == 0
            said = np.where(
                missing, UNRESOLVED, np.where(counts.skew(nodes) > counts.constraint.max_skew, REFUSED, PASSED)
            )
            codes = np.where(codes == PASSED, said, codes).astype(np.int8)
        return Verdicts(codes, codes.astype(np.int64), lambda code: (NO_KEY if code == UNRESOLVED else UNEQUAL,))

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Status:
        """Count for the ScheduleAnyway constraints; skip if there are none."""
        chosen = constraints(pod.pod, self._defaults, self._handle.listers, hard=False)
        if not chosen:
            return SKIP
        # The system default constraints ignore no node for a missing label.
        strict = bool(pod.pod.spread) or self._defaults is not None
        state.write(SCORE_KEY, _score_state(chosen, pod.pod, nodes, self._handle.snapshot, strict))
        return SUCCESS

    def score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Numbers | Status:
        """Return the weighted number of pods in each node's domains, fewer being better.

        Return an error if PreScore did not run.
        """
        try:
            return state.read(SCORE_KEY, ScoreState).scores[nodes.rows]
        except NotFoundError:
            return error(f'error reading "{SCORE_KEY}" from cycleState: not found')

    def normalize(self, state: CycleState, pod: PodInfo, nodes: Nodes, scores: Numbers) -> Numbers:
        """Map the least score to 100; ignored nodes get 0."""
        out = state.read(SCORE_KEY, ScoreState).left_out[nodes.rows]
        inside = scores[~out]
        least, greatest = int(inside.min(initial=2**62)), int(inside.max(initial=0))
        if greatest == 0:
            return np.where(out, 0, HIGHEST_SCORE)
        return np.where(out, 0, HIGHEST_SCORE * (greatest + least - scores) // greatest)

    def events(self) -> Sequence[EventOfInterest]:
        """Return the events of interest: pods added, deleted, relabelled, with other tolerations; nodes added, deleted, changed."""
        pod = ClusterEvent(Resource.POD, Action.ADD | Action.UPDATE_POD_LABEL | Action.DELETE)
        tolerations = ClusterEvent(Resource.UNSCHEDULED_POD, Action.UPDATE_POD_TOLERATIONS)
        node = ClusterEvent(
            Resource.NODE, Action.ADD | Action.DELETE | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_TAINT
        )
        return (
            EventOfInterest(pod, self.pod_matters),
            EventOfInterest(tolerations, self.tolerations_matter),
            EventOfInterest(node, self.node_matters),
        )

    def pod_matters(self, pod: Pod, before: Pod | None, after: Pod | None) -> bool:
        """Whether the changed pod is this one, or starts or stops matching a DoNotSchedule constraint of this one."""
        chosen = constraints(pod, self._defaults, self._handle.listers, hard=True)
        if before is not None and after is not None and after.key == pod.key:
            return True
        if any(each.namespace != pod.namespace for each in (before, after) if each is not None):
            return False
        return any(
            (before is not None and among(each, pod, before)) != (after is not None and among(each, pod, after))
            for each in chosen
        )

    def tolerations_matter(self, pod: Pod, before: Pod, after: Pod) -> bool:
        """Whether the pod is this one, and a DoNotSchedule constraint leaves out nodes whose taints it does not tolerate."""
        chosen = constraints(pod, self._defaults, self._handle.listers, hard=True)
        return pod.key == after.key and any(each.taints_honored for each in chosen)

    def node_matters(self, pod: Pod, before: Node | None, after: Node | None) -> bool:
        """Whether the node gained or lost the constraints' keys, or has them all and changed its domains or taints."""
        chosen = constraints(pod, self._defaults, self._handle.listers, hard=True)
        has = after is not None and all(each.topology_key in after.labels for each in chosen)
        had = before is not None and all(each.topology_key in before.labels for each in chosen)
        if before is None or after is None:
            return has or had
        moved = any(before.labels.get(each.topology_key) != after.labels.get(each.topology_key) for each in chosen)
        return has != had or (has and (moved or before.taints != after.taints))


def _change(state: FilterState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo], sign: int) -> None:
    """Add (1) or remove (-1) one pod in the world of each of the nodes."""
    assert nodes.trial is not None and nodes.worlds is not None
    now = []
    for counts in state.counts:
        changes = np.zeros(len(nodes.trial.rows), np.int64) if counts.changes is None else counts.changes
        alike = np.fromiter((among(counts.constraint, pod.pod, info.pod) for info in infos), bool, len(infos))
        np.add.at(changes, nodes.worlds[alike & counts.scope[nodes.rows]], sign)
        now.append(replace(counts, changes=changes))
    state.counts = tuple(now)


def _score_state(
    chosen: tuple[SpreadConstraint, ...], pod: Pod, nodes: Nodes, snapshot: Snapshot, strict: bool
) -> ScoreState:
    """Return the raw scores of the feasible `nodes`. A pod weighs ln(domains + 2); hostnames count as nodes."""
    table = snapshot.table
    everywhere = snapshot.all()
    out = ~has_all_keys(chosen, nodes) if strict else np.zeros(len(nodes), bool)
    inside = nodes.rows[~out]
    score = np.zeros(len(nodes), np.float64)
    for constraint in chosen:
        numbers = table.labels.column(constraint.topology_key).numbers
        counts = counted(constraint, pod, table)
        if constraint.topology_key == HOSTNAME:
            size, here = len(inside), counts[nodes.rows]
        else:
            size = len(np.unique(numbers[inside]))
            scope = included(constraint, pod, everywhere)
            if strict:
                scope &= has_all_keys(chosen, everywhere)
            here = by_domain(constraint, counts, scope, snapshot)[0][numbers[nodes.rows]]
        term = here.astype(np.float64) * math.log(float(size + 2)) + float(constraint.max_skew - 1)
        score = np.where(numbers[nodes.rows] != 0, score + term, score)
    whole = np.floor(score)
    rounded = np.where(score - whole >= 0.5, whole + 1, whole).astype(np.int64)
    scores, left_out = np.zeros(table.size, np.int64), np.zeros(table.size, bool)
    scores[nodes.rows], left_out[nodes.rows] = np.where(out, 0, rounded), out
    return ScoreState(scores, left_out)
