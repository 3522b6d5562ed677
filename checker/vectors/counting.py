"""The counts of the plugins in the cluster for a pod, from sums over kinds of pods: `Counting`, a cycle of the
specification.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from frozendict import frozendict

from schedcheck.checker.vectors.classes import Mask
from schedcheck.checker.vectors.cluster import Cluster, Kind
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import Near, Pair, Pairs, matches_all, speaks_of
from schedcheck.spec.kubernetes.filters.node_affinity import required_node_affinity
from schedcheck.spec.kubernetes.filters.pod_topology_spread import Counts, required
from schedcheck.spec.kubernetes.filters.taint_toleration import taint_toleration
from schedcheck.spec.objects import Pod, SpreadConstraint
from schedcheck.spec.pod_terms import concerns
from schedcheck.spec.terms import NodeSelectorTerm, PodAffinityTerm


@dataclass(frozen=True)
class Counting(Cycle):
    """The cycle of an unbound pod on the nodes of `there`."""

    there: Cluster = field(compare=False)

    @cached_property
    def nominated(self) -> frozendict[str, tuple[Pod, ...]]:
        """The pods nominated to each node that the filters must take into account."""
        found = {}
        for name, pods in self.there.nominated:
            kept = tuple(each for each in pods if each.key != self.pod.key and each.priority >= self.pod.priority)
            if kept:
                found[name] = kept
        return frozendict(found)

    @cached_property
    def spread(self) -> tuple[Counts, ...]:
        """The number of counted pods in each domain, for each DoNotSchedule constraint."""
        pod, there = self.spreading, self.there
        keyed = there.has(each.topology_key for each in required(pod))
        return tuple(_by_domain(each, pod, there, keyed & honoured(each, pod, there)) for each in required(pod))

    @cached_property
    def around(self) -> Near:
        """The counts of pods in topology domains that inter-pod affinity needs for the pod."""
        pod, snapshot, departures, there = self.pod, self.snapshot, self.plugins.departures, self.there
        wanting = [each for each in _company(pod, there) if matches_all(pod, each.pod, snapshot, departures)]
        own = (
            (term, each)
            for term in pod.affinity.anti_required
            for each in there.selectable(term.label_selector)
            if speaks_of(term, pod, each.pod, snapshot, departures)
        )
        others = (
            (term, each)
            for _, term, each in there.unwilling.that_may_select(pod)
            if concerns(term, each.pod, pod, snapshot, NO_FAULTS)
        )
        return Near(
            _pairs(((term, each) for each in wanting for term in pod.affinity.pod_required), there),
            _pairs(own, there),
            _pairs(others, there),
            sum(len(each.places) for each in wanting),
        )


def honoured(constraint: SpreadConstraint, pod: Pod, there: Cluster) -> Mask:
    """Return for each node whether it counts by nodeAffinityPolicy and nodeTaintsPolicy."""
    found = np.ones(len(there), np.bool_)
    if constraint.affinity_honored:
        classes = there.by_labels(*looked_at(pod.node_selector, pod.affinity.node_required))
        asked = [required_node_affinity(pod, there.infos[place].node) for place in classes.first]
        found &= np.array(asked, np.bool_)[classes.numbers]
    if constraint.taints_honored:
        classes = there.classes("taints", lambda info: info.node.taints)
        asked = [taint_toleration(pod, there.infos[place].node) for place in classes.first]
        found &= np.array(asked, np.bool_)[classes.numbers]
    return found


def looked_at(selector: Iterable[str], terms: Iterable[NodeSelectorTerm]) -> tuple[frozenset[str], bool]:
    """Return the label keys that a node selector and terms name, and whether they read the name of the node."""
    terms = tuple(terms)
    keys = (each.key for term in terms for each in term.match_expressions)
    return frozenset((*selector, *keys)), any(term.match_fields for term in terms)


def _by_domain(constraint: SpreadConstraint, pod: Pod, there: Cluster, scope: Mask) -> Counts:
    """Return the number of counted pods in each domain that has a node in scope."""
    labelled = there.labelled(constraint.topology_key)
    numbers, size = labelled.numbers[scope], len(labelled.values)
    totals = np.bincount(numbers, weights=there.counted(constraint, pod)[scope], minlength=size)
    inside = np.flatnonzero(np.bincount(numbers, minlength=size))
    return frozendict({labelled.values[each]: int(totals[each]) for each in inside})


def _company(pod: Pod, there: Cluster) -> Iterable[Kind]:
    """Return the kinds that may match all required affinity terms of the pod."""
    terms = pod.affinity.pod_required
    return there.selectable(terms[0].label_selector) if terms else ()


def _pairs(terms: Iterable[tuple[PodAffinityTerm, Kind]], there: Cluster) -> Pairs:
    """Return the number of pods of these kinds in each domain of the term that is paired with the kind."""
    found: dict[Pair, int] = {}
    for term, kind in terms:
        for value, number in domains_of(term.topology_key, kind, there):
            found[term.topology_key, value] = found.get((term.topology_key, value), 0) + number
    return frozendict(found)


def domains_of(key: str, kind: Kind, there: Cluster) -> Iterator[tuple[str, int]]:
    """Yield the values of the key on the nodes of these pods, each with the number of pods there."""
    labelled = there.labelled(key)
    numbers, counts = np.unique(labelled.numbers[kind.places], return_counts=True)
    for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
        if number >= 0:
            yield labelled.values[number], count
