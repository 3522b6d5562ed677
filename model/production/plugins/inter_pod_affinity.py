"""The plugin InterPodAffinity: required and preferred affinity and anti-affinity between pods.

Kubernetes 1.34: pkg/scheduler/framework/plugins/interpodaffinity.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState, NotFoundError
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.plugin import HIGHEST_SCORE
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Status, error
from schedcheck.model.production.framework.verdicts import PASSED, REFUSED, UNRESOLVED, Verdicts, failing
from schedcheck.model.production.plugins.topology_counts import TopologyCounts
from schedcheck.model.production.snapshot.labels import Mask, Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.model.production.snapshot.terms import NamespaceLabels, OwnTerm, all_match, own
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.terms import PodAffinityTerm

FILTER_KEY, SCORE_KEY = "PreFilterInterPodAffinity", "PreScoreInterPodAffinity"
REASONS = (
    "node(s) didn't match pod affinity rules",
    "node(s) didn't match pod anti-affinity rules",
    "node(s) didn't satisfy existing pods anti-affinity rules",
)


@dataclass
class FilterState:
    """The required terms of the pod, and the matching pods in each domain."""

    near: tuple[OwnTerm, ...]
    """The required affinity terms of the pod."""
    far: tuple[OwnTerm, ...]
    """The required anti-affinity terms of the pod."""
    first_of_group: bool
    """Whether the pod matches all its own affinity terms."""
    wanted: TopologyCounts = field(default_factory=TopologyCounts)
    """Pods that match all affinity terms."""
    unwanted: TopologyCounts = field(default_factory=TopologyCounts)
    """Pods that match an anti-affinity term."""
    unwilling: TopologyCounts = field(default_factory=TopologyCounts)
    """Pods with a required anti-affinity term that matches the pod."""

    def clone(self) -> "FilterState":
        """Return a copy with counts of its own."""
        counts = (self.wanted.clone(), self.unwanted.clone(), self.unwilling.clone())
        return FilterState(self.near, self.far, self.first_of_group, *counts)


class InterPodAffinity:
    """A plugin for affinity and anti-affinity to pods: required terms reject nodes, preferred terms score them."""

    name = "InterPodAffinity"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._weight = arguments.hard_pod_affinity_weight
        self._ignores_others = arguments.ignore_preferred_terms_of_existing_pods
        self._handle = handle

    @property
    def _namespaces(self) -> NamespaceLabels:
        return self._handle.listers.namespaces

    def _own(self, term: PodAffinityTerm, pod: Pod) -> OwnTerm:
        on_no_labels = Departure.NAMESPACE_SELECTOR_ON_NO_LABELS in self._handle.departures
        return own(term, pod, self._namespaces, on_no_labels=on_no_labels)

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Count matching pods by domain; skip if the pod requires nothing and no existing anti-affinity matches it."""
        asked, table = pod.pod, snapshot.table
        near = tuple(self._own(term, asked) for term in asked.affinity.pod_required)
        far = tuple(self._own(term, asked) for term in asked.affinity.anti_required)
        unwilling = list(table.pods.kinds.required_anti.speaking_of(asked, self._namespaces))
        if not near and not far and not unwilling:
            return SKIP, None
        found = FilterState(near, far, all_match(near, asked))
        for carried, bearers in unwilling:
            found.unwilling.count(carried.topology_key, table.pods.weight_per_node(bearers, table.size), snapshot)
        if near:
            company = np.logical_and.reduce([_spoken_of(term, snapshot) for term in near])
            for term in near:
                found.wanted.count(term.topology_key, _counted(company, snapshot), snapshot)
        for term in far:
            found.unwanted.count(term.topology_key, _counted(_spoken_of(term, snapshot), snapshot), snapshot)
        if not near and not far and not found.unwilling.pairs():
            return SKIP, None
        state.write(FILTER_KEY, found)
        return SUCCESS, None

    def add_pods(self, state: CycleState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo]) -> None:
        """Count each of the pods on its node."""
        self._change(state.read(FILTER_KEY, FilterState), pod, nodes, infos, 1)

    def remove_pods(self, state: CycleState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo]) -> None:
        """Stop counting each of the pods on its node."""
        self._change(state.read(FILTER_KEY, FilterState), pod, nodes, infos, -1)

    def _change(
        self, state: FilterState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo], sign: int
    ) -> None:  # fmt: skip
        for place, info in enumerate(infos):
            changes = self._counted(state, pod, info)
            if changes:
                node = nodes.only(np.array([place]))
                for counts, key in changes:
                    counts.change(key, node, sign)

    def _counted(self, state: FilterState, pod: PodInfo, info: PodInfo) -> list[tuple[TopologyCounts, str]]:
        """Return the counts, and of which topology keys, in which a placed pod appears."""
        changes = [
            (state.unwilling, term.topology_key)
            for term in info.required_anti
            if term.matches(pod.pod, self._namespaces)
        ]
        if state.near and all_match(state.near, info.pod):
            changes += [(state.wanted, own_term.topology_key) for own_term in state.near]
        return changes + [
            (state.unwanted, own_term.topology_key) for own_term in state.far if own_term.matches(info.pod)
        ]

    def elsewhere(self, state: CycleState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo], sign: int) -> None:
        """Count each of the pods on its node, or stop counting it, in every world."""
        found = state.read(FILTER_KEY, FilterState)
        for place, info in enumerate(infos):
            for counts, key in self._counted(found, pod, info):
                counts.shift(key, nodes.only(np.array([place])), sign)

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Reject nodes that violate the pod's affinity, its anti-affinity, or the anti-affinity of existing pods."""
        try:
            found = state.read(FILTER_KEY, FilterState)
        except NotFoundError:
            return failing(nodes, f'error reading "{FILTER_KEY}" from cycleState: not found')
        alone = ~_near(found, nodes)
        beside = _counts_somewhere(found.unwanted, (term.topology_key for term in found.far), nodes)
        unwelcome = _counts_somewhere(found.unwilling, found.unwilling.keys(), nodes)
        reasons = np.where(alone, 0, np.where(beside, 1, 2))
        codes = np.where(alone, UNRESOLVED, np.where(beside | unwelcome, REFUSED, PASSED)).astype(np.int8)
        return Verdicts(codes, reasons, lambda reason: (REASONS[reason],))

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Status:
        """Sum the weights in each domain; skip if no pod matches any term."""
        asked, affinity = pod.pod, pod.pod.affinity
        prefers = bool(affinity.pod_preferred or affinity.anti_preferred)
        if self._ignores_others and not prefers:
            return SKIP
        snapshot = self._handle.snapshot
        table = snapshot.table
        scores = TopologyCounts()
        weighed = [(each.term, each.weight) for each in affinity.pod_preferred]
        weighed += [(each.term, -each.weight) for each in affinity.anti_preferred]
        for preferred, weight in weighed:
            term = self._own(preferred, asked)
            counts, there = _counted(_spoken_of(term, snapshot), snapshot)
            scores.count(term.topology_key, (counts * weight, there), snapshot)
        kinds = table.pods.kinds
        for bearers, factor in ((kinds.required, self._weight), (kinds.preferred, 1)):
            for carried, weights in bearers.speaking_of(asked, self._namespaces) if factor > 0 else ():
                sums, there = table.pods.weight_per_node(weights, table.size)
                scores.count(carried.topology_key, (sums * factor, there), snapshot)
        if not scores.touched():
            return SKIP
        state.write(SCORE_KEY, scores)
        return SUCCESS

    def score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Numbers | Status:
        """Return for each node the sum of the weights in its domains; an error if PreScore did not run."""
        try:
            scores = state.read(SCORE_KEY, TopologyCounts)
        except NotFoundError:
            return error(f'failed to read "{SCORE_KEY}" from cycleState: not found')
        total = np.zeros(len(nodes), np.int64)
        for key in scores.keys():  # noqa: SIM118
            total += scores.at(key, nodes)
        return total

    def normalize(self, state: CycleState, pod: PodInfo, nodes: Nodes, scores: Numbers) -> Numbers:
        """Map the greatest score to 100 and the least to 0; if all are equal, all become 0."""
        least, greatest = int(scores.min()), int(scores.max())
        if greatest == least:
            return np.zeros_like(scores)
        parts = (scores - least).astype(np.float64) / float(greatest - least)
        return (float(HIGHEST_SCORE) * parts).astype(np.int64)

    def events(self) -> Sequence[EventOfInterest]:
        """Return the events of interest: pods added, deleted or relabelled; nodes added or relabelled."""
        pod = ClusterEvent(Resource.POD, Action.ADD | Action.UPDATE_POD_LABEL | Action.DELETE)
        node = ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL)
        return (EventOfInterest(pod, self.pod_matters), EventOfInterest(node, self.node_matters))

    def pod_matters(self, pod: Pod, before: Pod | None, after: Pod | None) -> bool:
        """Whether the changed pod may resolve the rejection: it matches affinity now, or anti-affinity no longer.

        A pod that matches the affinity terms and is deleted or relabelled may have been the last such pod. A pod that
        matches its own affinity terms is then the first of its group, and may go anywhere. kube-scheduler does not
        consider that (kubernetes#141354).
        """
        if before is not None and after is not None and after.key == pod.key:
            return True
        near = [self._own(term, pod) for term in pod.affinity.pod_required]
        far = [self._own(term, pod) for term in pod.affinity.anti_required]
        if before is not None and after is not None:
            came = all_match(near, after) != all_match(near, before) and (
                all_match(near, after) or all_match(near, pod)
            )
            return came or any(term.matches(before) and not term.matches(after) for term in far)
        if after is not None:
            return all_match(near, after)
        assert before is not None
        unwilling = any(term.matches(pod, self._namespaces) for term in PodInfo(before).required_anti)
        last = all_match(near, before) and all_match(near, pod)
        return any(term.matches(before) for term in far) or unwilling or last

    def node_matters(self, pod: Pod, before: Node | None, after: Node) -> bool:
        """Whether the node entered a domain of an affinity term, or left a domain of an anti-affinity term."""
        near = {term.topology_key for term in pod.affinity.pod_required}
        far = {term.topology_key for term in pod.affinity.anti_required}
        if before is None:
            return bool(far) or not near or any(key in after.labels for key in near)
        moved = {key for key in near | far if before.labels.get(key) != after.labels.get(key)}
        came = any(key in after.labels for key in near & moved)
        left = any(key in before.labels for key in far & moved)
        # A pod without required terms was rejected by anti-affinity of existing pods, whose keys are not known here.
        return came or left or not (near | far)


def _spoken_of(term: OwnTerm, snapshot: Snapshot) -> Mask:
    """Return for each kind of pod whether the term matches it."""
    kinds = snapshot.table.pods.kinds
    return kinds.selected(term.selector) & kinds.within(term.namespaces)


def _counted(kinds: Mask, snapshot: Snapshot) -> tuple[Numbers, Mask]:
    """Return the number of pods of these kinds on each row of the table, and whether there are any."""
    counts = snapshot.table.pods.per_node(kinds, snapshot.table.size)
    return counts, counts > 0


def _near(state: FilterState, nodes: Nodes) -> Mask:
    """Return for each node whether it satisfies the pod's required affinity.

    It also does if no matching pod is counted in any domain and the pod matches its own terms.
    """
    has_keys, company = np.ones(len(nodes), bool), np.ones(len(nodes), bool)
    for term in state.near:
        has_keys &= nodes.table.labels.column(term.topology_key).numbers[nodes.rows] != 0
        company &= state.wanted.at(term.topology_key, nodes) > 0
    if state.first_of_group:
        company |= state.wanted.pairs_in_worlds(nodes) == 0
    return has_keys & company


def _counts_somewhere(counts: TopologyCounts, keys: Iterable[str], nodes: Nodes) -> Mask:
    """Return for each node whether a pod is counted in its domain of one of the keys."""
    found = np.zeros(len(nodes), bool)
    for key in keys:
        found |= counts.at(key, nodes) > 0
    return found
