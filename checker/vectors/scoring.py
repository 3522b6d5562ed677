"""The nodes of the highest score among those that no filter refuses: `Scoring`.

A plugin scores all nodes once that agree in what it reads, and normalizes every raw score once. Its counts in
the cluster come from sums over kinds of pods.
"""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
from frozendict import frozendict

from schedcheck.checker.vectors import ratings
from schedcheck.checker.vectors.classes import Classes, Mask, Numbers, combined
from schedcheck.checker.vectors.cluster import Cluster, Terms, remembered
from schedcheck.checker.vectors.counting import Counting, domains_of, honoured, looked_at
from schedcheck.checker.vectors.filtering import topology_keys
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import speaks_of
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.requests import occupied
from schedcheck.spec.kubernetes.scores import pod_topology_spread as spreading
from schedcheck.spec.kubernetes.scores.balanced_allocation import balanced_allocation_skipped
from schedcheck.spec.kubernetes.scores.image_locality import images_of, number_of_images
from schedcheck.spec.kubernetes.scores.inter_pod_affinity import others_terms, own_terms, spoken_of, unheard
from schedcheck.spec.kubernetes.scores.node_resources_fit import rated_request_of_placed, strategy_of
from schedcheck.spec.kubernetes.scores.scored import (
    SCORE_PLUGINS,
    ScorePlugin,
    as_they_are,
    enabled,
    errors_after,
    errors_before,
    errors_between,
)
from schedcheck.spec.objects import Pod, SpreadConstraint


@dataclass(frozen=True, eq=False)
class Rated:
    """A cycle, and the places of the nodes to choose from."""

    cycle: Counting
    places: Numbers
    groups: "Scoring" = field(repr=False)

    @cached_property
    def votes(self) -> dict[str, Numbers]:
        """The sum of the votes for each value of each topology key with votes."""
        cycle, there = self.cycle, self.groups.there
        pod, snapshot, departures = cycle.pod, cycle.snapshot, cycle.plugins.departures
        found: dict[str, Numbers] = {}
        own = (
            (weight, term, kind)
            for weight, term in own_terms(pod)
            for kind in there.selectable(term.label_selector)
            if speaks_of(term, pod, kind.pod, snapshot, departures)
        )
        others = (
            each for each in self.groups.terms.that_may_select(pod) if spoken_of(each[1], each[2].pod, pod, snapshot)
        )
        for cast in (own, others):
            for weight, term, kind in cast:
                labelled = there.labelled(term.topology_key)
                for value, number in domains_of(term.topology_key, kind, there):
                    sums = found.setdefault(term.topology_key, np.zeros(len(labelled.values) + 1, np.int64))
                    sums[labelled.index[value]] += weight * number
        return found

    @cached_property
    def soft(self) -> tuple[SpreadConstraint, ...]:
        """The ScheduleAnyway constraints, which the score reads."""
        cycle = self.cycle
        return spreading.soft_constraints(cycle.spreading, cycle.snapshot, cycle.plugins.arguments)

    @cached_property
    def left_out(self) -> Mask:
        """Whether each node lacks the key of one of the pod's own constraints."""
        pod, there = self.cycle.spreading, self.groups.there
        if not pod.spread:
            return np.zeros(len(there), np.bool_)
        constraints = spreading.soft_constraints(pod, self.cycle.snapshot)
        return ~there.has(each.topology_key for each in constraints)


def scoring_fails(pod: Pod, plugins: Plugins) -> bool:
    """Whether scoring the pod on several nodes ends with an error in some cluster; only kube-scheduler's plugins are known.

    Their scores are never out of bounds. Whether a plugin is skipped depends on the cluster, so none is taken to be.
    """
    asked = enabled(plugins, "preScore", SCORE_PLUGINS)
    scoring = enabled(plugins, "score", SCORE_PLUGINS)
    return any(True for _ in (*errors_before(pod, plugins, asked), *errors_between(pod, plugins, scoring)))


class Scoring:
    """The scoring plugins of a profile on the nodes of a cluster."""

    def __init__(self, there: Cluster, plugins: Plugins) -> None:
        self.there = there
        self.plugins = plugins
        self._kept: dict[object, Numbers] = {}

    @cached_property
    def terms(self) -> Terms:
        """The terms by which the pods on the nodes vote."""
        weight = self.plugins.arguments.hard_pod_affinity_weight
        return Terms(
            (kind, each, term) for kind in self.there.kinds for each, term in others_terms(kind.pod, weight)
        )  # fmt: skip

    def best(self, cycle: Counting, places: Numbers) -> Numbers | str:
        """Return the places with the highest sum among these, at least one, or the error of scoring."""
        if enabled(self.plugins, "score", SCORE_PLUGINS) == ():
            return places
        weighted = self.weighted(cycle, places)
        if isinstance(weighted, str):
            return weighted
        total = sum(weighted.values(), np.zeros(len(places), np.int64))
        best: Numbers = places[total == total.max()]
        return best

    def weighted(self, cycle: Counting, places: Numbers) -> dict[str, Numbers] | str:
        """Return for each scoring plugin the weighted scores of these places, or the error of scoring."""
        pod, plugins = cycle.pod, self.plugins
        asked = enabled(plugins, "preScore", SCORE_PLUGINS)
        for error in errors_before(pod, plugins, asked):
            return error
        made = Rated(cycle, places, self)
        leaving = {plugin.name for plugin in asked if self._skipped(plugin, made)}
        scoring = tuple(each for each in enabled(plugins, "score", SCORE_PLUGINS) if each.name not in leaving)
        for error in errors_between(pod, plugins, scoring):
            return error
        found = {}
        for plugin in scoring:
            scores = self._normalised(plugin, made, RAW[plugin.name](self, plugin, made)[places])
            if isinstance(scores, str):
                return scores
            found[plugin.name] = scores * plugins.weights[plugin.name]
        return found

    def _skipped(self, plugin: ScorePlugin, made: Rated) -> bool:
        """Whether the plugin is skipped."""
        if plugin.name == "InterPodAffinity":
            return unheard(made.cycle.pod, self.plugins) or made.votes == {}
        if plugin.name == "PodTopologySpread" and made.cycle.spreading is made.cycle.pod:
            return made.soft == ()
        return plugin.skipped(made.cycle.pod, (), made.cycle.snapshot, self.plugins)

    def _normalised(self, plugin: ScorePlugin, made: Rated, raw: Numbers) -> Numbers | str:
        """Return the normalized score of each place, or the error of one that is out of bounds."""
        if plugin.normalised is as_they_are and (raw >= 0).all() and (raw <= 100).all():
            return raw
        columns = (raw, made.left_out[made.places].astype(np.int64)) if plugin.name == "PodTopologySpread" else (raw,)
        classes = combined(columns, len(raw))
        nodes = tuple(self.there.infos[made.places[each]].node for each in classes.first)
        scores = {node.name: int(raw[each]) for node, each in zip(nodes, classes.first, strict=True)}
        found = plugin.normalised(scores, made.cycle.pod, nodes, made.cycle.snapshot, self.plugins)
        for error in errors_after({plugin.name: found}):
            return error
        return classes.expanded([found[node.name] for node in nodes])

    def of_classes(self, plugin: ScorePlugin, made: Rated, key: Hashable, classes: Callable[[], Classes]) -> Numbers:
        """Return the raw scores of all nodes, for a plugin that reads nothing of the pod but `key`."""

        def asked() -> Numbers:
            alike = classes()
            nodes = tuple(self.there.infos[place].node for place in alike.first)
            scores = plugin.raw(made.cycle.pod, nodes, made.cycle.snapshot, self.plugins)
            return alike.expanded([scores[node.name] for node in nodes])

        return self.remembered(plugin, key, asked)

    def remembered(self, plugin: ScorePlugin, key: Hashable, asked: Callable[[], Numbers]) -> Numbers:
        """Return the raw scores of all nodes, cached for all pods with the same `key`."""
        return remembered(self._kept, (plugin.name, key), asked)

    def by_amounts(self, plugin: ScorePlugin, key: Hashable, asked: Callable[[ratings.Rooms], Numbers]) -> Numbers:
        """Return the raw scores of all nodes, which depend on `key` and on the amounts of each node alone."""
        return self.remembered(plugin, key, lambda: asked(self.there))


def _taints(scoring: Scoring, plugin: ScorePlugin, made: Rated) -> Numbers:
    classes = scoring.there.classes
    return scoring.of_classes(
        plugin, made, made.cycle.pod.tolerations, lambda: classes("taints", lambda info: info.node.taints)
    )


def _affinity(scoring: Scoring, plugin: ScorePlugin, made: Rated) -> Numbers:
    preferred = made.cycle.pod.affinity.node_preferred
    terms = (*scoring.plugins.arguments.added_affinity.preferred, *preferred)
    return scoring.of_classes(
        plugin, made, preferred, lambda: scoring.there.by_labels(*looked_at((), (each.term for each in terms)))
    )


def _storage(scoring: Scoring, plugin: ScorePlugin, made: Rated) -> Numbers:
    waiting = made.cycle.claims.waiting
    if waiting == ():
        return np.zeros(len(scoring.there), np.int64)
    keys = topology_keys((volume for each in waiting for volume in (*each.kept, *each.free)), made.cycle.storage)
    return scoring.of_classes(plugin, made, waiting, lambda: scoring.there.by_labels(keys, name=False))


def _devices(scoring: Scoring, plugin: ScorePlugin, made: Rated) -> Numbers:
    """Return the scores by the definition, which is asked for the feasible nodes alone."""
    found = np.zeros(len(scoring.there), np.int64)
    if made.cycle.pod.resource_claims:
        nodes = tuple(scoring.there.infos[place].node for place in made.places)
        raw = plugin.raw(made.cycle.pod, nodes, made.cycle.snapshot, scoring.plugins)
        found[made.places] = [raw[node.name] for node in nodes]
    return found


def _images(scoring: Scoring, plugin: ScorePlugin, made: Rated) -> Numbers:
    pod, snapshot = made.cycle.pod, made.cycle.snapshot
    departures = scoring.plugins.departures
    wanted, number = images_of(pod, departures), number_of_images(pod, departures)
    return scoring.remembered(
        plugin, (wanted, number), lambda: ratings.localities(scoring.there, wanted, number, snapshot)
    )


def _fit(scoring: Scoring, plugin: ScorePlugin, made: Rated) -> Numbers:
    strategy, departures = strategy_of(scoring.plugins.arguments), scoring.plugins.departures
    wanted = frozendict(
        {name: rated_request_of_placed(made.cycle.pod, name, departures) for name, _ in strategy.resources}
    )
    return scoring.by_amounts(plugin, wanted, lambda there: ratings.fit(there, wanted, strategy, departures))


def _balanced(scoring: Scoring, plugin: ScorePlugin, made: Rated) -> Numbers:
    pod, departures = made.cycle.pod, scoring.plugins.departures
    if balanced_allocation_skipped(pod, (), made.cycle.snapshot, scoring.plugins):
        return np.zeros(len(scoring.there), np.int64)
    wants = occupied(pod, departures)
    wanted = frozendict({name: wants.get(name, 0) for name in scoring.plugins.arguments.balanced})
    return scoring.by_amounts(plugin, wanted, lambda there: ratings.balances(there, wanted, departures))


def _company(scoring: Scoring, plugin: ScorePlugin, made: Rated) -> Numbers:
    found = np.zeros(len(scoring.there), np.int64)
    for key, sums in made.votes.items():
        found += sums[scoring.there.labelled(key).numbers]
    return found


def _spread(scoring: Scoring, plugin: ScorePlugin, made: Rated) -> Numbers:
    """Return the raw scores, computed in 64-bit floating point in the order of the definition."""
    there = scoring.there
    chosen = np.zeros(len(there), np.bool_)
    chosen[made.places] = True
    chosen &= ~made.left_out
    scores = np.zeros(len(there), np.float64)
    for constraint in made.soft:
        labelled = there.labelled(constraint.topology_key)
        more = _pods(constraint, made, chosen) + float(constraint.max_skew - 1)
        scores = np.where(labelled.numbers >= 0, scores + more, scores)
    whole = np.trunc(scores)
    nearest = whole + np.where(np.abs(scores - whole) >= 0.5, np.copysign(1.0, scores), 0.0)
    return np.where(chosen, nearest, 0.0).astype(np.int64)


def _pods(constraint: SpreadConstraint, made: Rated, chosen: Mask) -> npt.NDArray[np.float64]:
    """Return the weighted number of pods in each node's domain; a node without the key belongs to the empty value."""
    pod, there = made.cycle.spreading, made.groups.there
    counted = there.counted(constraint, pod)
    if constraint.topology_key == spreading.HOSTNAME:
        return counted.astype(np.float64) * math.log(float(int(chosen.sum()) + 2))
    labelled = there.labelled(constraint.topology_key)
    empty = labelled.index.get("", len(labelled.values))
    domains = np.where(labelled.numbers < 0, empty, labelled.numbers)
    scope = honoured(constraint, pod, there) & ~made.left_out
    totals = np.bincount(domains[scope], weights=counted[scope], minlength=len(labelled.values) + 1)
    weight = math.log(float(len(np.unique(domains[chosen])) + 2))
    return np.asarray(totals[domains] * weight, np.float64)


RAW: dict[str, Callable[[Scoring, ScorePlugin, Rated], Numbers]] = {
    "TaintToleration": _taints,
    "NodeAffinity": _affinity,
    "NodeResourcesFit": _fit,
    "DynamicResources": _devices,
    "VolumeBinding": _storage,
    "PodTopologySpread": _spread,
    "InterPodAffinity": _company,
    "NodeResourcesBalancedAllocation": _balanced,
    "ImageLocality": _images,
}
"""The raw scores of all nodes, by plugin."""
