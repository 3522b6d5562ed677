"""Proofs that a pod finds a place wherever all other pods are: `Shares`, `Certain`.

Nothing is assumed of where the others go, nor how often they are evicted: only that each is on one node at a time. Each
candidate node has a weight. A node is closed by what the others occupy there: their shares of what it takes to close it
sum up to 1 or more. A pod thus closes at most its greatest share, times the weight, of all that is to be closed. If the
sum over all pods is less than the weight of all nodes, one node is open, in every state.

The sum is a bound, so that no answer says nothing. Pods with required affinity, or a spread over other pods, are not proved.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import gcd
from typing import Any

import numpy as np
import numpy.typing as npt

from schedcheck.checker.alike import nameless
from schedcheck.checker.relocation.counting import Counting, beyond_counting, volumes_decide
from schedcheck.checker.relocation.others import Others
from schedcheck.checker.vectors.scoring import scoring_fails
from schedcheck.model.profiles import plugins_of
from schedcheck.model.scenario import Scenario
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import speaks_of
from schedcheck.spec.kubernetes.filters.node_resources_fit import looked_for
from schedcheck.spec.kubernetes.filters.pod_topology_spread import required, spread_with
from schedcheck.spec.kubernetes.node_info import host_ports
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.requests import occupied
from schedcheck.spec.objects import Node, Pod, Snapshot

Key = tuple[str, str]
Numbers = npt.NDArray[Any]
ALMOST = 1e-6
"""What the sums are rounded up by: more than the error of floating point."""


@dataclass(frozen=True)
class Certain:
    """How many nodes could take the pod if they were empty, and the part of them that all others could close at most.

    `evicting`: only others of at least the pod's priority are counted, as the pod may evict the rest.
    """

    nodes: int
    closed: float
    evicting: bool = False


class Shares:
    """All pods of a cluster, of which `staying` never leave their nodes."""

    def __init__(
        self,
        scenario: Scenario,
        snapshot: Snapshot,
        pods: Iterable[Pod],
        staying: Iterable[Key],
        *,
        unsettled: frozenset[str],
        closing: frozenset[str],
        lost: int,
    ) -> None:
        self.scenario = scenario
        self.pods = tuple(pods)
        self.closing, self.lost = closing, lost
        self.empty = Counting(replace(snapshot, pods=()), unsettled)
        self.others = Others(self.pods)
        names = {node.name: place for place, node in enumerate(scenario.nodes)}
        kept = frozenset(staying)
        at = [names.get(each.node_name, -1) if each.key in kept else -1 for each in self.pods]
        self._at = np.array(at, np.int64)
        self._where = {each.key: place for each, place in zip(self.pods, at, strict=True)}
        self._amounts: dict[tuple[str, frozenset[str]], Numbers] = {}
        self._units: dict[tuple[str, frozenset[str]], int] = {}
        self._known: dict[tuple[Pod, int], Certain | None] = {}
        self._lasting: dict[tuple[Pod, bool], bool] = {}

    def certain(self, pod: Pod) -> Certain | None:
        """Return the proof that some node is feasible for a fresh pod in every state in which it waits, or None."""
        known = nameless(pod), self._where.get(pod.key, -1)
        if known not in self._known:
            self._known[known] = self._certain(pod, plugins_of(pod, self.scenario))
        return self._known[known]

    def _certain(self, pod: Pod, plugins: Plugins) -> Certain | None:
        if beyond_counting(pod, plugins, self.scenario.devices) or volumes_decide(
            pod, self.empty.snapshot.storage, self.others
        ):
            return None
        judge = self.empty.judge
        cycle = judge.cycle(pod, plugins)
        if self._spread_with_others(pod, cycle.spreading) or pod.affinity.pod_required:
            return None
        passed = judge.passed(pod, plugins)
        if passed is None or scoring_fails(pod, plugins):
            return None
        infos = [
            info
            for info, open_ in zip(judge.there.infos, passed.tolist(), strict=True)
            if open_ and info.node.name not in self.empty.closed
        ]
        if not infos:
            return None
        wants = {name: size for name, size in looked_for(pod, plugins.arguments).items() if size > 0}
        # What others must occupy of each node to close it; the last column is their number.
        needed = np.array(
            [
                [*(self._least(name, info.node, size, plugins) for name, size in wants.items()), _slots(info.node)]
                for info in infos
            ],
            float,
        )
        taken = np.column_stack(
            [*(self._occupied(name, plugins) for name in wants), np.ones(len(self.pods))]
        )  # fmt: skip
        mine = np.array([each.key == pod.key for each in self.pods], bool)
        found = [
            self._closed(pod, plugins, infos, needed, taken[~mine], self._at[~mine], weights)
            for weights in (*needed.T, np.ones(len(infos)))
        ]
        closed = min(found)
        return Certain(len(infos), closed) if closed < 1 else None

    def _spread_with_others(self, pod: Pod, spreading: Pod) -> bool:
        """Whether a DoNotSchedule constraint of the pod counts another pod; otherwise it counts none in any domain."""
        return any(
            number > (_alike(other) == _alike(pod)) and spread_with(each, spreading, other)
            for each in required(spreading)
            for (namespace, _), groups in self._groups.items()
            if namespace == pod.namespace
            for _, number, other in groups
        )

    def _closed(
        self,
        pod: Pod,
        plugins: Plugins,
        infos: Sequence[Any],
        needed: Numbers,
        occupied: Numbers,
        at: Numbers,
        weights: Numbers,
    ) -> float:
        """Return the part of the weight of these nodes that all others could close at most; 1 or more proves nothing."""
        ratios = weights[:, None] / needed
        # No pod closes more than one node.
        anywhere = np.minimum((occupied * ratios.max(axis=0)).max(axis=1), weights.max())
        place_of = {info.node.name: place for place, info in enumerate(infos)}
        here = np.array([place_of.get(node.name, -1) for node in self.scenario.nodes], np.int64)
        where = np.where(at >= 0, here[at], -2)
        there = where >= 0
        moving = anywhere[where == -2].sum()
        staying = np.minimum((occupied[there] * ratios[where[there]]).max(axis=1), weights[where[there]]).sum()
        by_node = {info.node.name: float(weight) for info, weight in zip(infos, weights, strict=True)}
        taken = sum(_largest(by_node, self._single(pod)))
        taken += sum(sorted((by_node[name] for name in self.closing if name in by_node), reverse=True)[: self.lost])
        taken += sum(self._by_domains(pod, plugins, infos, by_node))
        return float((moving + staying + taken) * (1 + ALMOST) / weights.sum())

    def _single(self, pod: Pod) -> int:
        """Return how many of the others close a node by a host port or a volume."""
        found = 0
        if host_ports(pod):
            found += sum(each.key != pod.key and bool(host_ports(each)) for each in self.pods)
        if any(each.source is not None for each in pod.volumes):
            found += self.others.volumes
        return found

    def _by_domains(
        self, pod: Pod, plugins: Plugins, infos: Sequence[Any], weights: dict[str, float]
    ) -> Iterator[float]:
        """Yield the weights of the domains that required anti-affinity between the pod and others may close."""
        related: Counter[str] = Counter()
        for other, number in self.others.groups(pod):
            related.update(dict.fromkeys(self.empty.keys_between(pod, other, plugins), number))
        for key, number in related.items():
            sums: dict[str, float] = {}
            for info in infos:
                if key in info.node.labels:
                    value = info.node.labels[key]
                    sums[value] = sums.get(value, 0.0) + weights[info.node.name]
            yield from _largest(sums, number)

    def _occupied(self, name: str, plugins: Plugins) -> Numbers:
        """Return what each pod occupies of a resource: more than it requests while it is resized in place."""
        known = name, plugins.arguments.ignored_resources | plugins.arguments.ignored_groups
        if known not in self._amounts:
            amounts = (max(self._sizes(each, name, plugins)) for each in self.pods)
            self._amounts[known] = np.fromiter(amounts, float, len(self.pods))
        return self._amounts[known]

    @staticmethod
    def _sizes(pod: Pod, name: str, plugins: Plugins) -> tuple[int, int]:
        """Return what a pod occupies of a resource now, and what it requests once it is created again."""
        return occupied(pod, plugins.departures).get(name, 0), looked_for(pod, plugins.arguments).get(name, 0)

    def _least(self, name: str, node: Node, size: int, plugins: Plugins) -> int:
        """Return the least that pods which leave less than `size` of a resource free may occupy of the node.

        What pods occupy together is a multiple of the greatest common divisor of their amounts, now and once created again.
        """
        known = name, plugins.arguments.ignored_resources | plugins.arguments.ignored_groups
        if known not in self._units:
            self._units[known] = gcd(*chain.from_iterable(self._sizes(each, name, plugins) for each in self.pods))
        unit = self._units[known] or 1
        return -(-(node.allocatable.get(name, 0) - size + 1) // unit) * unit

    def lasting(self, pod: Pod, among_all: bool = False) -> bool:
        """Whether a nomination of the pod keeps its place from pods of lower priority until it is bound.

        The room of a nominated pod is kept. Its terms about other pods, and those of others about it, must not speak of
        pods of lower priority, which may be placed elsewhere in a domain meanwhile. With `among_all` they must speak of no
        other pod, so that pods of the same priority do not take the place either.
        """
        shape = nameless(pod), among_all
        if shape not in self._lasting:
            self._lasting[shape] = self._is_lasting(pod, plugins_of(pod, self.scenario), among_all)
        return self._lasting[shape]

    def _is_lasting(self, pod: Pod, plugins: Plugins, among_all: bool) -> bool:
        snapshot = self.empty.snapshot
        if (
            beyond_counting(pod, plugins, self.scenario.devices)
            or host_ports(pod)
            or volumes_decide(pod, snapshot.storage, self.others)
        ):
            return False
        spreading = self.empty.judge.cycle(pod, plugins).spreading
        terms = (*pod.affinity.anti_required, *pod.affinity.pod_required)
        own = all(not term.namespaces and term.namespace_selector is None for term in terms)
        alike = _alike(pod)
        for (namespace, anti), groups in self._groups.items():
            if own and not anti and namespace != pod.namespace:
                continue
            for lowest, number, other in groups:
                concerned = number > (_alike(other) == alike) if among_all else lowest < pod.priority
                if concerned and (
                    any(spread_with(each, spreading, other) for each in required(spreading))
                    or any(speaks_of(term, pod, other, snapshot, plugins.departures) for term in terms)
                    or (anti and self.empty.keys_between(pod, other, plugins))
                ):
                    return False
        return True

    @cached_property
    def _groups(self) -> dict[tuple[str, bool], list[tuple[int, int, Pod]]]:
        """One of each group of pods that terms do not tell apart, after their lowest priority and their number.

        By namespace, and by whether they have terms of anti-affinity themselves.
        """
        alike: dict[tuple[Any, ...], list[Pod]] = {}
        for each in self.pods:
            alike.setdefault(_alike(each), []).append(each)
        found: dict[tuple[str, bool], list[tuple[int, int, Pod]]] = {}
        for (namespace, _, anti), those in alike.items():
            lowest = min(those, key=lambda each: each.priority)
            found.setdefault((namespace, bool(anti)), []).append((lowest.priority, len(those), lowest))
        return found


def _alike(pod: Pod) -> tuple[Any, ...]:
    """Return what terms of affinity and spread see of a pod."""
    return pod.namespace, pod.labels, pod.affinity.anti_required


def _slots(node: Node) -> int:
    return max(node.allocatable.get("pods", 0), 1)


def _largest(sizes: dict[str, float], number: int) -> list[float]:
    return sorted(sizes.values(), reverse=True)[:number]
