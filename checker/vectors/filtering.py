"""The verdicts of the filters on all nodes at once: `Filtering`.

A filter is evaluated once for all nodes that agree in what it reads for the pod. `ALIKE` says for each filter which
nodes these are. Any other filter is evaluated on every node that no earlier filter has refused.
"""

from collections.abc import Callable, Hashable, Iterable

import numpy as np

from schedcheck.checker.vectors.classes import Classes, Numbers, combined
from schedcheck.checker.vectors.cluster import Cluster, remembered
from schedcheck.checker.vectors.counting import Counting, looked_at
from schedcheck.spec.kubernetes.filter import FILTERS, Verdict, filtered, verdicts
from schedcheck.spec.kubernetes.filters.node_resources_fit import looked_for
from schedcheck.spec.kubernetes.filters.pod_topology_spread import required
from schedcheck.spec.kubernetes.missing_state import unprepared_to_filter
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.refusal import Refusal
from schedcheck.spec.storage import PersistentVolume, Storage
from schedcheck.spec.terms import PodAffinityTerm

PASSED = 0
"""The number of a node that is not refused."""


def prepared(plugins: Plugins) -> bool:
    """Whether every filter is kube-scheduler's, and is enabled at preFilter if it needs that."""
    lacking = (unprepared_to_filter(name, plugins) for name in plugins.at("filter"))
    return not plugins.rules and not any(lacking)


class Filtering:
    """The filters of a profile on the nodes of a cluster."""

    def __init__(self, there: Cluster, plugins: Plugins) -> None:
        self.there = there
        self.plugins = plugins
        self.verdicts: list[Verdict | None] = [None]
        """The verdict of each number; None for `PASSED`."""
        self._numbers: dict[Verdict, int] = {}
        self._kept: dict[object, Numbers] = {}

    def numbers(self, cycle: Counting) -> Numbers:
        """Return for each node the number of its first refusal, `PASSED` for none."""
        there = self.there
        if cycle.rejection is not None:
            return np.full(len(there), self.number(Verdict(cycle.rejection, "preFilter")), np.int64)
        if cycle.named is not None:
            found = verdicts(cycle)
            return np.array([self.number(found[name]) for name in there.names], np.int64)
        said = np.full(len(there), PASSED, np.int64)
        for name in self.plugins.at("filter"):
            if name in FILTERS and name not in cycle.skipped:
                said = np.where(said == PASSED, self._said(name, cycle, said), said)
        for name in cycle.nominated:
            if name in there.place:
                place = there.place[name]
                said[place] = self._refused(filtered(cycle, there.infos[place]))
        return said

    def number(self, verdict: Verdict) -> int:
        """Return the number of a verdict."""
        if verdict.refusal is None:
            return PASSED
        known = self._numbers.setdefault(verdict, len(self.verdicts))
        if known == len(self.verdicts):
            self.verdicts.append(verdict)
        return known

    def _refused(self, refusal: Refusal | None) -> int:
        return self.number(Verdict(refusal, "filter"))

    def _said(self, name: str, cycle: Counting, before: Numbers) -> Numbers:
        """Return the verdicts of the filter of this name on the nodes that no earlier filter has refused."""
        alike = ALIKE[name](cycle) if name in ALIKE else None
        if alike is not None:
            key, classes = alike
            if key is None:
                return self._of_classes(name, cycle, classes())
            return remembered(self._kept, (name, key), lambda: self._of_classes(name, cycle, classes()))
        said = np.full(len(self.there), PASSED, np.int64)
        for place in np.flatnonzero(before == PASSED).tolist():
            said[place] = self._refused(FILTERS[name](cycle, self.there.infos[place]))
        return said

    def _of_classes(self, name: str, cycle: Counting, classes: Classes) -> Numbers:
        refusals = (FILTERS[name](cycle, self.there.infos[place]) for place in classes.first)
        return classes.expanded([self._refused(each) for each in refusals])


Alike = tuple[Hashable | None, Callable[[], Classes]]
"""The part of the pod that the filter reads, if it reads only pod and node, else None; and the classes of nodes."""


def _unschedulable(cycle: Counting) -> Alike:
    return cycle.pod.tolerations, lambda: cycle.there.classes("unschedulable", lambda info: info.node.unschedulable)


def _name(cycle: Counting) -> Alike:
    return cycle.pod.node_name, lambda: cycle.there.by_labels(frozenset(), name=cycle.pod.node_name != "")


def _taints(cycle: Counting) -> Alike:
    return cycle.pod.tolerations, lambda: cycle.there.classes("taints", lambda info: info.node.taints)


def _affinity(cycle: Counting) -> Alike:
    selector, terms = cycle.pod.node_selector, cycle.pod.affinity.node_required
    every = (*terms, *(cycle.plugins.arguments.added_affinity.required or ()))
    return (selector, terms), lambda: cycle.there.by_labels(*looked_at(selector, every))


def _ports(cycle: Counting) -> Alike:
    return None, lambda: cycle.there.classes("ports", lambda info: info.ports)


def _fit(cycle: Counting) -> Alike:
    """Return the classes of nodes on which the same resources are short, now and if the node were empty."""
    there = cycle.there

    def classes() -> Classes:
        columns = [there.number_of_pods + 1 > there.allocatable("pods")]
        for resource, amount in sorted(looked_for(cycle.pod, cycle.plugins.arguments).items()):
            has, taken = there.allocatable(resource), there.requested(resource, cycle.plugins.departures)
            columns.extend((amount > has - taken, amount > has) if amount > 0 else ())
        return combined(columns, len(there))

    return None, classes


def _limits(cycle: Counting) -> Alike:
    return None, lambda: cycle.there.attaching(cycle.plugins.departures).classes(cycle.pod)


def _features(cycle: Counting) -> Alike | None:
    """Return the classes of nodes that declare the same features."""
    classes = cycle.there.classes
    return None, lambda: classes("declared_features", lambda info: info.node.declared_features)


def _volumes(cycle: Counting) -> Alike | None:
    """Return the classes of nodes that agree in topology labels, None if a claim already has a volume or a node."""
    waiting, storage = cycle.claims.waiting, cycle.storage
    if cycle.claims.bound or any(each.claim.selected_node is not None for each in waiting):
        return None
    volumes = (volume for each in waiting for volume in (*each.kept, *each.free))
    keys = topology_keys(volumes, storage)
    return None, lambda: cycle.there.by_labels(keys, name=False)


def topology_keys(volumes: Iterable[PersistentVolume], storage: Storage) -> frozenset[str]:
    """Return the label keys that restrict the nodes of these volumes and of volumes to be provisioned."""
    selectors = (each.node_topology for each in storage.capacities if each.node_topology is not None)
    terms = (term for volume in volumes for term in volume.node_affinity or ())
    allowed = (requirement for each in storage.classes for term in each.allowed_topologies for requirement in term)
    requirements = (
        *allowed,
        *(requirement for term in terms for requirement in term.match_expressions),
        *(requirement for selector in selectors for requirement in selector.match_expressions),
    )
    labels = (
        key for each in storage.capacities if each.node_topology is not None for key in each.node_topology.match_labels
    )
    return frozenset((*(each.key for each in requirements), *labels))


def _spread(cycle: Counting) -> Alike:
    """Return the classes of nodes that, for each constraint, lack the key or are in domains with equal counts."""

    def classes() -> Classes:
        columns = []
        for constraint, counted in zip(required(cycle.spreading), cycle.spread, strict=True):
            labelled = cycle.there.labelled(constraint.topology_key)
            # The count -1 of nodes without the key comes last, where their number -1 finds it.
            full = np.array([*(counted.get(value, 0) for value in labelled.values), -1], np.int64)
            columns.append(full[labelled.numbers])
        return combined(columns, len(cycle.there))

    return None, classes


def _company(cycle: Counting) -> Alike:
    """Return the classes of nodes that have the same keys of affinity terms, and whose domains match the same terms."""
    there, around, terms = cycle.there, cycle.around, cycle.pod.affinity

    def keys(some: tuple[PodAffinityTerm, ...]) -> frozenset[str]:
        return frozenset(term.topology_key for term in some)

    def classes() -> Classes:
        columns = [there.labelled(key).numbers < 0 for key in keys(terms.pod_required)]
        asked = (
            (keys(terms.pod_required), around.wanted),
            (keys(terms.anti_required), around.unwanted),
            (frozenset(key for key, _ in around.unwilling), around.unwilling),
        )
        for some, pairs in asked:
            for key in sorted(some):
                labelled = there.labelled(key)
                counts = np.zeros(len(labelled.values) + 1, np.bool_)
                for (own, value), number in pairs.items():
                    if own == key:
                        counts[labelled.index[value]] = number > 0
                columns.append(counts[labelled.numbers])
        return combined(columns, len(there))

    return None, classes


ALIKE: dict[str, Callable[[Counting], Alike | None]] = {
    "NodeUnschedulable": _unschedulable,
    "NodeName": _name,
    "TaintToleration": _taints,
    "NodeAffinity": _affinity,
    "NodePorts": _ports,
    "NodeResourcesFit": _fit,
    "NodeVolumeLimits": _limits,
    "VolumeBinding": _volumes,
    "PodTopologySpread": _spread,
    "InterPodAffinity": _company,
    "NodeDeclaredFeatures": _features,
}
"""The classes of nodes for each filter, if they are known."""
