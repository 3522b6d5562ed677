"""The pods on nodes as arrays: `PodTable`; and the distinct kinds of pods as others see them: `PodKinds`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schedcheck.model.production.snapshot.labels import BySelector, LabelColumns, Mask, Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.terms import CarriedTerm, NamespaceLabels
from schedcheck.spec.objects import Pod
from schedcheck.spec.terms import NO_AFFINITY, Affinity, LabelSelector
from schedcheck.spec.values import Labels


@dataclass(frozen=True)
class Kind:
    """All that affinity terms and spread constraints of other pods can read of a pod."""

    namespace: str
    labels: Labels
    affinity: Affinity
    terminating: bool


class Bearers:
    """For each affinity term the kinds of pods that have it, each with its weight or number of occurrences.

    Terms whose selector requires certain values of a label are indexed by those labels.
    """

    def __init__(self) -> None:
        self._weights: dict[CarriedTerm, dict[int, int]] = {}
        self._terms: BySelector[CarriedTerm] = BySelector()

    def carry(self, terms: Iterable[tuple[CarriedTerm, int]], kind: int) -> None:
        """Record that a kind has these terms, each with its weight."""
        for term, weight in terms:
            if term not in self._weights:
                self._weights[term] = {}
                self._terms.put(term.selector, term)
            weights = self._weights[term]
            weights[kind] = weights.get(kind, 0) + weight

    def speaking_of(self, pod: Pod, namespaces: NamespaceLabels) -> Iterator[tuple[CarriedTerm, Mapping[int, int]]]:
        """Yield the terms that match the pod, each with the kinds that have it."""
        for term in self._terms.that_may_select(pod.labels):
            if term.matches(pod, namespaces):
                yield term, self._weights[term]


class PodKinds:
    """All kinds of pods seen so far, each with a number, and the terms that they have."""

    def __init__(self) -> None:
        self.labels = LabelColumns()
        self.kinds: list[Kind] = []
        self._number_of: dict[Kind, int] = {}
        self._of_namespace: dict[str, list[int]] = {}
        self._terminating: list[bool] = []
        self.required = Bearers()
        self.required_anti = Bearers()
        self.preferred = Bearers()

    def number(self, info: PodInfo) -> int:
        """Return the number of the pod's kind, assigning a new one if it has none."""
        pod = info.pod
        kind = Kind(pod.namespace, pod.labels, pod.affinity, pod.terminating)
        number = self._number_of.get(kind)
        if number is None:
            number = self._number_of[kind] = len(self.kinds)
            self.kinds.append(kind)
            self.labels.put(number, kind.labels)
            self._of_namespace.setdefault(kind.namespace, []).append(number)
            self._terminating.append(kind.terminating)
            if kind.affinity != NO_AFFINITY:
                self.required.carry(((term, 1) for term in info.required), number)
                self.required_anti.carry(((term, 1) for term in info.required_anti), number)
                self.preferred.carry(info.preferred, number)
        return number

    def selected(self, selector: LabelSelector | None) -> Mask:
        """Return for each kind whether the selector selects it."""
        return self.labels.selected(selector, slice(0, len(self.kinds)))

    def within(self, namespaces: Iterable[str] | None) -> Mask:
        """Return for each kind whether it is in one of the namespaces; None means all namespaces."""
        if namespaces is None:
            return np.ones(len(self.kinds), bool)
        found = np.zeros(len(self.kinds), bool)
        for namespace in namespaces:
            found[self._of_namespace.get(namespace, [])] = True
        return found

    def terminating(self) -> Mask:
        """Return for each kind whether its pods are terminating."""
        return np.array(self._terminating, bool)


class PodTable:
    """The pods on nodes, one row each in no order: the row of the node, the number of the kind, the amounts taken.

    `amounts` has one column a resource, in the order of the node table; columns of resources added later may be
    missing.
    """

    def __init__(self) -> None:
        self.kinds = PodKinds()
        self.infos: list[PodInfo] = []
        self._node: npt.NDArray[np.int64] = np.zeros(16, np.int64)
        self._kind: npt.NDArray[np.int64] = np.zeros(16, np.int64)
        self.amounts: Numbers = np.zeros((16, 4), np.int64)
        self._row_of: dict[PodInfo, int] = {}

    def __len__(self) -> int:
        return len(self.infos)

    def rows(self, infos: Sequence[PodInfo]) -> Numbers:
        """Return the row of each pod, -1 for a pod that is missing or present in another form."""
        row_of = self._row_of
        return np.array([row_of.get(info, -1) for info in infos], np.int64)

    def add(self, info: PodInfo, node: int, amounts: Numbers) -> None:
        """Add a new pod on the node of this row."""
        row = len(self.infos)
        if row == len(self._node):
            self._node = np.concatenate([self._node, np.zeros_like(self._node)])
            self._kind = np.concatenate([self._kind, np.zeros_like(self._kind)])
            self.amounts = np.concatenate([self.amounts, np.zeros_like(self.amounts)])
        if len(amounts) > self.amounts.shape[1]:
            more = np.zeros((len(self.amounts), len(amounts) - self.amounts.shape[1]), np.int64)
            self.amounts = np.hstack([self.amounts, more])
        self.infos.append(info)
        self._row_of[info] = row
        self._node[row], self._kind[row] = node, self.kinds.number(info)
        self.amounts[row] = 0
        self.amounts[row, : len(amounts)] = amounts

    def remove(self, info: PodInfo) -> None:
        """Remove a pod; the last pod moves into its row."""
        row, last = self._row_of.pop(info), len(self.infos) - 1
        moved = self.infos.pop()
        if row != last:
            self.infos[row] = moved
            self._row_of[moved] = row
            self._node[row], self._kind[row] = self._node[last], self._kind[last]
            self.amounts[row] = self.amounts[last]

    def per_node(self, kinds: Mask, nodes: int) -> Numbers:
        """Return the number of pods of these kinds on each node."""
        size = len(self.infos)
        return np.bincount(self._node[:size][kinds[self._kind[:size]]], minlength=nodes).astype(np.int64)

    def weight_per_node(self, weights: Mapping[int, int], nodes: int) -> tuple[Numbers, Mask]:
        """Return for each node the sum of its pods' weights, and whether it has any pod of the weighted kinds."""
        by_kind = np.zeros(len(self.kinds.kinds), np.int64)
        carries = np.zeros(len(self.kinds.kinds), bool)
        kinds = list(weights)
        by_kind[kinds], carries[kinds] = list(weights.values()), True
        size = len(self.infos)
        rows = carries[self._kind[:size]]
        nodes_of = self._node[:size][rows]
        sums = np.zeros(nodes, np.int64)
        np.add.at(sums, nodes_of, by_kind[self._kind[:size][rows]])
        there = np.zeros(nodes, bool)
        there[nodes_of] = True
        return sums, there
