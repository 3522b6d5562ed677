"""kube-scheduler's decisions judged one after the other while pods come and go: `StandingJudge`."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from schedcheck.checker.vectors.classes import Numbers
from schedcheck.checker.vectors.cluster import KEPT, Terms
from schedcheck.checker.vectors.counting import Counting
from schedcheck.checker.vectors.filtering import Filtering
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.checker.vectors.ratings import Rooms
from schedcheck.checker.vectors.scoring import Scoring
from schedcheck.checker.vectors.standing import Key, StandingCluster
from schedcheck.checker.vectors.standing_run import Kept, StandingRun
from schedcheck.checker.vectors.tallied import Tallied
from schedcheck.checker.vectors.trials import Run
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.scores.inter_pod_affinity import others_terms
from schedcheck.spec.kubernetes.scores.scored import ScorePlugin
from schedcheck.spec.objects import Node, Pod, Snapshot


class Part:
    """Some nodes of a cluster, by their places."""

    def __init__(self, there: StandingCluster, places: Sequence[int]) -> None:
        self._there, self._places = there, np.array(places, np.int64)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def infos(self) -> Sequence[Tallied]:
        """The nodes."""
        return [self._there.infos[place] for place in self._places]

    def allocatable(self, resource: str) -> Numbers:
        """Return the allocatable amounts."""
        return self._there.allocatable(resource)[self._places]

    def requested(self, resource: str, departures: Departures) -> Numbers:
        """Return the sums of what the pods use."""
        return self._there.requested(resource, departures)[self._places]

    def rated_use(self, resource: str, departures: Departures) -> Numbers:
        """Return the sums of the amounts by which the pods are scored."""
        return self._there.rated_use(resource, departures)[self._places]


class StandingScoring(Scoring):
    """The scoring plugins of a profile, whose raw scores are brought up to date where a node has changed."""

    def __init__(self, there: StandingCluster, plugins: Plugins) -> None:
        super().__init__(there, plugins)
        self._standing = there
        self._by_amounts: dict[object, tuple[Numbers, int]] = {}

    @property
    def terms(self) -> Terms:
        """The terms by which the pods on the nodes vote."""
        weight = self.plugins.arguments.hard_pod_affinity_weight
        return self._standing.grown.terms(weight, lambda pod: others_terms(pod, weight))

    def by_amounts(self, plugin: ScorePlugin, key: Hashable, asked: Callable[[Rooms], Numbers]) -> Numbers:
        """Return the raw scores of all nodes, computed only for the nodes that have changed since the last time."""
        changed = self._standing.changed
        known = self._by_amounts.get((plugin.name, key))
        places = sorted(set(changed[known[1] :])) if known is not None else []
        if known is None or 2 * len(places) > len(self._standing):
            if len(self._by_amounts) >= KEPT:
                self._by_amounts.clear()
            scores = asked(self._standing)
        else:
            scores = known[0]
            if places:
                scores[places] = asked(Part(self._standing, places))
        self._by_amounts[plugin.name, key] = scores, len(changed)
        return scores


class StandingJudge(CycleJudge):
    """The specification on a cluster that changes."""

    there: StandingCluster

    def __init__(self, snapshot: Snapshot) -> None:
        self.there = StandingCluster(snapshot)
        self._by_profile = {}
        self._kept = Kept()

    def profile(self, plugins: Plugins) -> tuple[Filtering, Scoring]:
        """Return the filters and scores of a profile on these nodes."""
        known = self._by_profile.get(id(plugins))
        if known is None:
            known = plugins, Filtering(self.there, plugins), StandingScoring(self.there, plugins)
            self._by_profile[id(plugins)] = known
        return known[1:]

    def run(self, cycle: Counting, numbers: Numbers, filtering: Filtering) -> Run:
        """Return the dry run of preemption, which keeps the results of nodes that do not change."""
        verdicts, potential = self.verdicts(numbers, filtering), self.potential(numbers, filtering)
        return StandingRun(cycle, verdicts, potential, self._kept)

    def put(self, pod: Pod) -> None:
        """Add a pod, or replace the pod of its key."""
        self.there.put(pod)

    def remove(self, key: Key) -> None:
        """Remove the pod of this key, if there is one."""
        self.there.remove(key)

    def put_node(self, node: Node) -> None:
        """Add a node, or replace the node of its name. A new node makes all arrays anew."""
        known = self.there.place.get(node.name)
        if known is not None:
            if self.there.infos[known].node != node:
                self.there.put_node(node)
                self._by_profile.clear()
            return
        self._with_nodes((*self.there.running.nodes, node))

    def remove_node(self, name: str) -> None:
        """Remove a node. Its pods stay, and come back with the node."""
        if name in self.there.place:
            self._with_nodes(node for node in self.there.running.nodes if node.name != name)

    def put_rest(self, snapshot: Snapshot) -> None:
        """Take namespaces, budgets, services, controllers and storage from a snapshot; its pods and nodes are not read."""
        self.there.put_rest(snapshot)

    def _with_nodes(self, nodes: Iterable[Node]) -> None:
        whole = replace(self.there.snapshot(), nodes=tuple(sorted(nodes, key=lambda node: node.name)))
        self.there = StandingCluster(whole)
        self._by_profile.clear()
        self._kept = Kept()
