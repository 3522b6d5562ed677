"""The scores of kube-scheduler from sums over the bound pods, computed once for all pending pods: `Counted`.

The definitions sum over the pods of each node again for every incoming pod. The requests of bound pods are the same for
all incoming pods. The terms that select bound pods are the same for all bound pods of one kind.
`tests/checker/incremental/test_scores.py` checks that the scores equal those of the definitions.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import Pair, speaks_of
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.requests import occupied
from schedcheck.spec.kubernetes.scores.arithmetic import Scores
from schedcheck.spec.kubernetes.scores.balanced_allocation import balance, balanced_allocation_skipped
from schedcheck.spec.kubernetes.scores.inter_pod_affinity import in_domains, others_terms, own_terms, spoken_of, unheard
from schedcheck.spec.kubernetes.scores.node_resources_fit import (
    rated_occupation,
    rated_request_of_placed,
    rating_of,
    strategy_of,
)
from schedcheck.spec.kubernetes.scores.scored import SCORE_PLUGINS, Scored, ScorePlugin, scored
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.terms import PodAffinityTerm

Nodes = tuple[Node, ...]
Kind = tuple[Pod, tuple[tuple[Node, int], ...]]
"""A representative pod, and the number of pods like it on each node."""


_occupation = lru_cache(maxsize=1 << 17)(rated_occupation)
"""What a pod uses for scoring, which is the same wherever it is."""


@dataclass(frozen=True, eq=False)
class Counted:
    """Nodes with their pods, and the sums over these computed so far."""

    infos: tuple[NodeInfo, ...]
    _rated: dict[tuple[str, str, Departures], int] = field(default_factory=dict)
    _votes: dict[object, Counter[Pair]] = field(default_factory=dict)

    def scores(self, made: Cycle, names: tuple[str, ...]) -> Scored:
        """Return the scores of the nodes of these names in a cycle on these nodes, as `scores_of` gives them."""
        chosen = frozenset(names)
        nodes = tuple(info.node for info in made.infos if info.node.name in chosen)
        return scored(made.pod, nodes, made.snapshot, made.plugins, self.plugins) if nodes else Scored()

    @cached_property
    def plugins(self) -> tuple[ScorePlugin, ...]:
        """The plugins that score, three of them by these sums."""
        faster = {
            "NodeResourcesFit": {"raw": self._fit},
            "NodeResourcesBalancedAllocation": {"raw": self._balanced},
            "InterPodAffinity": {"raw": self._company, "skipped": self._company_skipped},
        }
        return tuple(replace(each, **faster.get(each.name, {})) for each in SCORE_PLUGINS)  # type: ignore[arg-type]

    @cached_property
    def _by_name(self) -> dict[str, NodeInfo]:
        return {info.node.name: info for info in self.infos}

    def _rated_use(self, name: str, resource: str, departures: Departures) -> int:
        """Return the sum of what a node's pods use, by which it is scored."""
        known = self._rated.get((name, resource, departures))
        if known is None:
            known = sum(_occupation(each, resource, departures) for each in self._by_name[name].pods)
            self._rated[name, resource, departures] = known
        return known

    def _fit(self, pod: Pod, nodes: Nodes, snapshot: Snapshot, plugins: Plugins) -> Scores:
        strategy = strategy_of(plugins.arguments)
        names = [resource for resource, _ in strategy.resources]
        departures = plugins.departures
        wanted = {name: rated_request_of_placed(pod, name, departures) for name in names}

        def used(node: Node) -> dict[str, int]:
            return {name: self._rated_use(node.name, name, departures) for name in names}

        return {node.name: rating_of(used(node), wanted, node, strategy) for node in nodes}

    def _balanced(self, pod: Pod, nodes: Nodes, snapshot: Snapshot, plugins: Plugins) -> Scores:
        resources = plugins.arguments.balanced
        if balanced_allocation_skipped(pod, nodes, snapshot, plugins):
            return {node.name: 0 for node in nodes}
        wants = occupied(pod, plugins.departures)
        wanted = {resource: wants.get(resource, 0) for resource in resources}

        def taken(node: Node) -> dict[str, int]:
            requested = self._by_name[node.name].requested(plugins.departures)
            return {resource: requested.get(resource, 0) for resource in resources}

        return {node.name: balance(taken(node), wanted, node, resources, plugins.departures) for node in nodes}

    def _company(self, pod: Pod, nodes: Nodes, snapshot: Snapshot, plugins: Plugins) -> Scores:
        return in_domains(self.domain_scores(pod, snapshot, plugins), nodes)

    def _company_skipped(self, pod: Pod, nodes: Nodes, snapshot: Snapshot, plugins: Plugins) -> bool:
        return unheard(pod, plugins) or len(self.domain_scores(pod, snapshot, plugins)) == 0

    @cached_property
    def _kinds(self) -> tuple[Kind, ...]:
        """The bound pods grouped by everything that inter-pod affinity terms read."""
        found: dict[object, tuple[Pod, Counter[Node]]] = {}
        for info in self.infos:
            for pod in info.pods:
                known = found.setdefault((pod.namespace, pod.labels, pod.affinity), (pod, Counter()))
                known[1][info.node] += 1
        return tuple((pod, tuple(counts.items())) for pod, counts in found.values())

    def domain_scores(self, pod: Pod, snapshot: Snapshot, plugins: Plugins) -> Counter[Pair]:
        """Return the sum of the votes for each domain; the last answer is cached."""
        question = pod, snapshot.namespaces, plugins.departures, plugins.arguments.hard_pod_affinity_weight
        if question not in self._votes:
            self._votes.clear()
            self._votes[question] = self._summed(pod, snapshot, plugins)
        return self._votes[question]

    def _summed(self, pod: Pod, snapshot: Snapshot, plugins: Plugins) -> Counter[Pair]:
        scores: Counter[Pair] = Counter()
        for other, nodes in self._kinds:
            for weight, term in heard(pod, other, snapshot, plugins):
                key = term.topology_key
                for node, number in nodes:
                    if key in node.labels:
                        scores[key, node.labels[key]] += weight * number
        return scores


def heard(pod: Pod, other: Pod, snapshot: Snapshot, plugins: Plugins) -> Iterator[tuple[int, PodAffinityTerm]]:
    """Yield the terms, with weights, by which `other` votes for the domains of its node, whichever node that is."""
    for weight, term in own_terms(pod):
        if speaks_of(term, pod, other, snapshot, plugins.departures):
            yield weight, term
    for weight, term in others_terms(other, plugins.arguments.hard_pod_affinity_weight):
        if spoken_of(term, other, pod, snapshot):
            yield weight, term
