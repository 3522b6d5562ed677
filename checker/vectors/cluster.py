"""The nodes of a snapshot and the pods on them as arrays: `Cluster`, `Kind`.

A *place* is the index of a node in the order of the snapshot. Pods of one *kind* agree in everything that a selector,
an affinity term or a spread constraint of any pod reads.
"""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, TypeVar

import numpy as np

from schedcheck.checker.vectors.attaching import Attaching
from schedcheck.checker.vectors.classes import Classes, Mask, Numbers, alike, combined
from schedcheck.checker.vectors.tallied import Emptied, Tallied
from schedcheck.spec.binding import completed
from schedcheck.spec.footprints import UNSEEN
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES, Departures
from schedcheck.spec.kubernetes.filters.dynamic_resources import claiming
from schedcheck.spec.kubernetes.filters.pod_topology_spread import there
from schedcheck.spec.kubernetes.node_info import NodeInfo, node_infos
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.requests import occupied
from schedcheck.spec.kubernetes.scores.image_locality import image_names
from schedcheck.spec.kubernetes.scores.node_resources_fit import rated_occupation
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot, SpreadConstraint
from schedcheck.spec.requests import allocatable
from schedcheck.spec.terms import LabelSelector, PodAffinityTerm
from schedcheck.spec.values import Amounts

Answer = TypeVar("Answer")

LARGE = 2**62
"""The least amount that is counted in Python's integers, as sums of such amounts may exceed 64 bits."""

Column = tuple[str, str, Departures]
"""What a column holds: allocatable, requested or rated; of which resource; and counted with which departures."""

KEPT = 256
"""The size of each cache of arrays: equal pods come close to each other, and an array has one row per node."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """The number of each place's value under a label key, -1 if it has none; and the values by number."""

    numbers: Numbers
    values: tuple[str, ...]
    index: dict[str, int]


class Kind(Protocol):
    """A representative of a kind of pods, and the places of all of them, each place once per pod."""

    @property
    def pod(self) -> Pod:
        """The representative."""

    @property
    def places(self) -> Numbers:
        """The places of the pods."""


@dataclass(frozen=True, eq=False)
class Counted:
    """A kind whose pods do not change."""

    pod: Pod
    places: Numbers


class Cluster:
    """The nodes of a snapshot with their pods that have not ended, and the cached sums over these."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.running = replace(snapshot, pods=tuple(each for each in snapshot.pods if not completed(each)))
        self._seen: dict[str, Snapshot] = {}
        self._amounts: dict[tuple[Departures, object], Amounts] = {}
        self._columns: dict[Column, Numbers] = {}
        self._labels: dict[str, Labelled] = {}
        self._classes: dict[object, Classes] = {}
        self._counts: dict[object, Numbers] = {}
        self.emptied: dict[object, Emptied] = {}
        """Nodes without the potential victims of all preemptors of one priority."""
        self.infos = tuple(
            Tallied(info.node, info.pods, info.ports, amounts=self.amounts) for info in node_infos(self.running)
        )
        self.names = tuple(info.node.name for info in self.infos)
        self.place = {name: number for number, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.infos)

    def waits(self, pod: Pod) -> bool:
        """Whether this pod is one of the snapshot's that have not ended."""
        place = bisect_left(self.running.pods, pod.key, key=lambda each: each.key)
        return self.running.pods[place : place + 1] == (pod,)

    def claiming(self, pod: Pod, plugins: Plugins) -> bool:
        """Whether the pod needs devices."""
        return claiming(pod, self.running.devices, plugins.departures)

    def seen_by(self, pod: Pod) -> Snapshot:
        """Return the snapshot for a pod without the parts that this cluster provides.

        Reading its pods raises OutsideFootprint. Services and controllers are those of the pod's namespace; others do
        not affect its spreading.
        """
        if pod.namespace not in self._seen:
            whole = self.running
            self._seen[pod.namespace] = replace(
                whole,
                pods=UNSEEN,
                services=tuple(each for each in whole.services if each.namespace == pod.namespace),
                controllers=tuple(each for each in whole.controllers if each.namespace == pod.namespace),
            )
        return self._seen[pod.namespace]

    def amounts(self, pod: Pod, departures: Departures) -> Amounts:
        """Return the amounts that a pod occupies on its node, cached for all pods with the same requests."""
        key = departures, requests_of(pod)
        known = self._amounts.get(key)
        if known is None:
            known = self._amounts[key] = occupied(pod, departures)
        return known

    def rated(self, pod: Pod, resource: str, departures: Departures) -> int:
        """Return the amount by which a bound pod is scored."""
        return rated_occupation(pod, resource, departures)

    @cached_property
    def number_of_pods(self) -> Numbers:
        """The number of pods on each node."""
        return np.array([len(info.pods) for info in self.infos], np.int64)

    def allocatable(self, resource: str) -> Numbers:
        """Return the allocatable amount of a resource on each node."""
        key: Column = "allocatable", resource, NO_DEPARTURES
        return self._column(key, lambda: [allocatable(info.node, resource) for info in self.infos])

    def requested(self, resource: str, departures: Departures) -> Numbers:
        """Return the sum of what the pods on each node use of a resource."""
        key: Column = "requested", resource, departures
        return self._column(key, lambda: self._sums(lambda pod: self.amounts(pod, departures).get(resource, 0)))

    def rated_use(self, resource: str, departures: Departures) -> Numbers:
        """Return the sum of the amounts by which the pods on each node are scored."""
        key: Column = "rated", resource, departures
        return self._column(key, lambda: self._sums(lambda pod: self.rated(pod, resource, departures)))

    @cached_property
    def _by_requests(self) -> tuple[list[Pod], list[list[int]]]:
        """A pod for each number, and for each node the numbers of its pods; equal requests have one number."""
        examples: list[Pod] = []
        number_of: dict[object, int] = {}

        def number(pod: Pod) -> int:
            known = number_of.setdefault(requests_of(pod), len(examples))
            if known == len(examples):
                examples.append(pod)
            return known

        return examples, [[number(pod) for pod in info.pods] for info in self.infos]

    def _sums(self, amount: Callable[[Pod], int]) -> list[int]:
        """Return the sum over the pods on each node of an amount that depends on the requests alone."""
        examples, numbers = self._by_requests
        amounts = [amount(pod) for pod in examples]
        return [sum(amounts[each] for each in own) for own in numbers]

    def _column(self, key: Column, column: Callable[[], list[int]]) -> Numbers:
        known = self._columns.get(key)
        if known is None:
            amounts = column()
            large = any(abs(each) >= LARGE for each in amounts)
            known = self._columns[key] = np.array(amounts, object if large else np.int64)
        return known

    def labelled(self, key: str) -> Labelled:
        """Return the values of the nodes under a label key."""
        known = self._labels.get(key)
        if known is None:
            index: dict[str, int] = {}
            numbers = [
                index.setdefault(labels[key], len(index)) if key in labels else -1
                for labels in (info.node.labels for info in self.infos)
            ]
            known = self._labels[key] = Labelled(np.array(numbers, np.int64), tuple(index), index)
        return known

    def has(self, keys: Iterable[str]) -> Mask:
        """Return for each node whether it has all of the label keys."""
        found = np.ones(len(self), np.bool_)
        for key in keys:
            found &= self.labelled(key).numbers >= 0
        return found

    def classes(self, name: str, looks_at: Callable[[NodeInfo], Hashable]) -> Classes:
        """Return the classes of nodes that agree in the value of `looks_at`; `name` is the cache key of that value."""
        known = self._classes.get(name)
        if known is None:
            known = self._classes[name] = alike(looks_at(info) for info in self.infos)
        return known

    def by_labels(self, keys: frozenset[str], name: bool) -> Classes:
        """Return the classes of nodes with the same values under these keys; with `name` each node is its own class."""
        known = self._classes.get((keys, name))
        if known is None:
            every = np.arange(len(self))
            columns = (self.labelled(key).numbers for key in sorted(keys))
            known = Classes(every, every) if name else combined(columns, len(self))
            self._classes[keys, name] = known
        return known

    def holders(self, image: str) -> Numbers:
        """Return the places of the nodes that report an image of this name."""
        return self._holders.get(image, np.zeros(0, np.int64))

    @cached_property
    def _holders(self) -> dict[str, Numbers]:
        found: dict[str, list[int]] = {}
        for place, info in enumerate(self.infos):
            for name in image_names(info.node):
                found.setdefault(name, []).append(place)
        return {name: np.array(places, np.int64) for name, places in found.items()}

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The pods on the nodes, by kinds."""
        found: dict[object, tuple[Pod, list[int]]] = {}
        for place, info in enumerate(self.infos):
            for pod in info.pods:
                found.setdefault(alike_in(pod), (pod, []))[1].append(place)
        return tuple(Counted(pod, np.array(places, np.int64)) for pod, places in found.values())

    @cached_property
    def _by_label(self) -> dict[tuple[str, str], list[Kind]]:
        found: dict[tuple[str, str], list[Kind]] = {}
        for kind in self.kinds:
            for pair in kind.pod.labels.items():
                found.setdefault(pair, []).append(kind)
        return found

    def selectable(self, selector: LabelSelector | None) -> Iterable[Kind]:
        """Return the kinds that the selector may select, found by a label that it requires."""
        pairs = demanded(selector)
        if pairs is None:
            return self.kinds
        return [kind for pair in pairs for kind in self._by_label.get(pair, ())]

    def counted(self, constraint: SpreadConstraint, pod: Pod) -> Numbers:
        """Return the number of pods on each node that count for a spread constraint of `pod`."""
        key = constraint.selector, pod.namespace
        known = self._counts.get(key)
        if known is None:
            kinds = [each for each in self.selectable(constraint.selector) if there(constraint, pod, each.pod)]
            places = np.concatenate([np.zeros(0, np.int64), *(each.places for each in kinds)])
            if len(self._counts) >= KEPT:
                self._counts.clear()
            known = self._counts[key] = np.bincount(places, minlength=len(self))
        return known

    def attaching(self, departures: Departures) -> Attaching:
        """Return the volumes attached to the nodes, counted as with these departures."""
        known = self._attaching.get(departures)
        if known is None:
            known = self._attaching[departures] = Attaching(self.infos, self.running.storage, departures)
        return known

    @cached_property
    def _attaching(self) -> dict[Departures, Attaching]:
        return {}

    @cached_property
    def unwilling(self) -> "Terms":
        """The required anti-affinity terms of the pods on the nodes."""
        return Terms((kind, 0, term) for kind in self.kinds for term in kind.pod.affinity.anti_required)

    def guarding(self, pods: Iterable[Pod]) -> tuple[PodDisruptionBudget, ...]:
        """Return the budgets that may protect one of these pods, found by a label that they require, in order."""
        keys = {(pod.namespace, pair) for pod in pods for pair in (None, *pod.labels.items())}
        found = {place: each for key in keys for place, each in self._budgets.get(key, ())}
        return tuple(each for _, each in sorted(found.items()))

    @cached_property
    def _budgets(self) -> dict[tuple[str, tuple[str, str] | None], list[tuple[int, PodDisruptionBudget]]]:
        found: dict[tuple[str, tuple[str, str] | None], list[tuple[int, PodDisruptionBudget]]] = {}
        for place, budget in enumerate(self.running.budgets):
            pairs = demanded(budget.selector)
            for pair in (None,) if pairs is None else pairs:
                found.setdefault((budget.namespace, pair), []).append((place, budget))
        return found

    @cached_property
    def nominated(self) -> tuple[tuple[str, tuple[Pod, ...]], ...]:
        """The unbound pods nominated to each node."""
        waiting = (
            (name, tuple(each for each in pods if each.node_name == ""))
            for name, pods in self.running.pods_by_nomination.items()
        )
        return tuple((name, pods) for name, pods in waiting if pods)


class Terms:
    """Weighted terms of the pods on the nodes, each with the places of all pods of a namespace that have it."""

    def __init__(self, terms: Iterable[tuple[Kind, int, PodAffinityTerm]]) -> None:
        found: dict[tuple[str, int, PodAffinityTerm], tuple[Pod, list[Numbers]]] = {}
        for kind, weight, term in terms:
            owner = kind.pod
            found.setdefault((owner.namespace, weight, term), (owner, []))[1].append(kind.places)
        self._anyone: list[tuple[int, PodAffinityTerm, Kind]] = []
        self._by_label: dict[tuple[str, str], list[tuple[int, PodAffinityTerm, Kind]]] = {}
        for (_, weight, term), (owner, places) in found.items():
            self._enter(weight, term, Counted(owner, np.concatenate(places)))

    def _enter(self, weight: int, term: PodAffinityTerm, owners: Kind) -> None:
        entry = weight, term, owners
        pairs = demanded(term.label_selector)
        if pairs is None:
            self._anyone.append(entry)
        for pair in pairs or ():
            self._by_label.setdefault(pair, []).append(entry)

    def that_may_select(self, pod: Pod) -> Iterator[tuple[int, PodAffinityTerm, Kind]]:
        """Yield the terms whose selector may select `pod`, with weight, a representative owner, and the owners'
        places.
        """
        yield from self._anyone
        for pair in pod.labels.items():
            yield from self._by_label.get(pair, ())


def demanded(selector: LabelSelector | None) -> list[tuple[str, str]] | None:
    """Return labels of which every selected object has exactly one; None if the selector requires none."""
    if selector is None:
        return []
    for pair in selector.match_labels.items():
        return [pair]
    for requirement in selector.match_expressions:
        if requirement.operator == "In":
            return [(requirement.key, value) for value in dict.fromkeys(requirement.values)]
    return None


def alike_in(pod: Pod) -> Hashable:
    """Return the fields in which the pods of a kind agree."""
    return pod.namespace, pod.labels, pod.affinity, pod.terminating


def requests_of(pod: Pod) -> tuple[Hashable, ...]:
    """Return the fields of a pod on which its requests depend."""
    of_the_pod = pod.overhead, pod.pod_requests, pod.pod_allocated, pod.pod_actual, pod.resize_infeasible
    return pod.containers, pod.init_containers, *of_the_pod


def remembered(kept: dict[object, Answer], key: object, answer: Callable[[], Answer]) -> Answer:
    """Return the cached value for the key; compute and cache it if it is missing."""
    if key not in kept:
        if len(kept) >= KEPT:
            kept.clear()
        kept[key] = answer()
    return kept[key]
