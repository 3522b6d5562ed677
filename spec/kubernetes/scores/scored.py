"""Scoring in kube-scheduler: every plugin's scores, their weighted sum, and the nodes that may be chosen.

`scored` computes all of them for the feasible nodes. A skipped plugin adds nothing. An error of any plugin, or a score
outside 0 to 100 after normalisation, ends the whole cycle.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes import missing_state
from schedcheck.spec.kubernetes.out_of_tree import ScoreRule
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.scores.arithmetic import HIGHEST, Scores
from schedcheck.spec.kubernetes.scores.balanced_allocation import balanced_allocation, balanced_allocation_skipped
from schedcheck.spec.kubernetes.scores.dynamic_resources import dynamic_resources, normalised_dynamic_resources
from schedcheck.spec.kubernetes.scores.image_locality import image_locality
from schedcheck.spec.kubernetes.scores.inter_pod_affinity import (
    inter_pod_affinity,
    inter_pod_affinity_skipped,
    normalised_inter_pod_affinity,
)
from schedcheck.spec.kubernetes.scores.node_affinity import (
    node_affinity_error,
    node_affinity_score,
    node_affinity_skipped,
    normalised_node_affinity,
)
from schedcheck.spec.kubernetes.scores.node_resources_fit import node_resources_fit
from schedcheck.spec.kubernetes.scores.pod_topology_spread import (
    normalised_topology_spread,
    topology_spread_score,
    topology_spread_skipped,
)
from schedcheck.spec.kubernetes.scores.taint_toleration import normalised_taint_toleration, taint_toleration
from schedcheck.spec.kubernetes.scores.volume_binding import volume_binding, volume_binding_skipped
from schedcheck.spec.objects import Node, Pod, Snapshot

Nodes = tuple[Node, ...]


def never(pod: Pod, nodes: Nodes, snapshot: Snapshot, plugins: Plugins) -> bool:
    """Return False: the plugin is never skipped."""
    return False


@looks_at("scores")
def as_they_are(scores: Scores, pod: Pod, nodes: Nodes, snapshot: Snapshot, plugins: Plugins) -> Scores:
    """Return the scores unchanged: the plugin does not normalise."""
    return scores


def no_error(pod: Pod) -> str | None:
    """Return None: the plugin scores every pod."""
    return None


@dataclass(frozen=True)
class ScorePlugin:
    """A score plugin by its name in kube-scheduler: when it is skipped, its raw and its normalised scores.

    The scores are functions of all candidate nodes, because a normalised score depends on all of them.
    """

    name: str
    raw: Callable[[Pod, Nodes, Snapshot, Plugins], Scores]
    skipped: Callable[[Pod, Nodes, Snapshot, Plugins], bool] = never
    normalised: Callable[[Scores, Pod, Nodes, Snapshot, Plugins], Scores] = as_they_are
    error: Callable[[Pod], str | None] = no_error


SCORE_PLUGINS = (
    ScorePlugin("TaintToleration", taint_toleration, normalised=normalised_taint_toleration),
    ScorePlugin(
        "NodeAffinity", node_affinity_score, node_affinity_skipped, normalised_node_affinity, node_affinity_error
    ),
    ScorePlugin("NodeResourcesFit", node_resources_fit),
    ScorePlugin("VolumeBinding", volume_binding, volume_binding_skipped),
    ScorePlugin("PodTopologySpread", topology_spread_score, topology_spread_skipped, normalised_topology_spread),
    ScorePlugin("InterPodAffinity", inter_pod_affinity, inter_pod_affinity_skipped, normalised_inter_pod_affinity),
    ScorePlugin("DynamicResources", dynamic_resources, normalised=normalised_dynamic_resources),
    ScorePlugin("NodeResourcesBalancedAllocation", balanced_allocation, balanced_allocation_skipped),
    ScorePlugin("ImageLocality", image_locality),
)
r"""The plugins that score.

TLA+: ScorePlugins ==
        {"TaintToleration", "NodeAffinity", "NodeResourcesFit", "VolumeBinding", "PodTopologySpread",
         "InterPodAffinity", "DynamicResources", "NodeResourcesBalancedAllocation", "ImageLocality"}

TLA+: ScoreSkipped(Plugin, Pod, Snapshot) ==
        CASE Plugin = "TaintToleration" -> FALSE
          [] Plugin = "NodeAffinity" -> NodeAffinityScoreSkipped(Pod)
          [] Plugin = "NodeResourcesFit" -> FALSE
          [] Plugin = "PodTopologySpread" -> TopologySpreadSkipped(Pod, Snapshot)
          [] Plugin = "InterPodAffinity" -> InterPodAffinityScoreSkipped(Pod, Snapshot)
          [] Plugin = "NodeResourcesBalancedAllocation" -> BalancedAllocationSkipped(Pod)
          [] Plugin \in {"ImageLocality", "DynamicResources"} -> FALSE
          [] Plugin = "VolumeBinding" -> "storage-capacity-unrated" \in Departures

TLA+: RawScores(Plugin, Pod, Among, Snapshot) ==
        CASE Plugin = "TaintToleration" -> TaintTolerationScore(Pod, Among)
          [] Plugin = "NodeAffinity" -> NodeAffinityScore(Pod, Among)
          [] Plugin = "NodeResourcesFit" -> NodeResourcesFitScore(Pod, Among, Snapshot)
          [] Plugin = "PodTopologySpread" -> TopologySpreadScore(Pod, Among, Snapshot)
          [] Plugin = "InterPodAffinity" -> InterPodAffinityScore(Pod, Among, Snapshot)
          [] Plugin = "NodeResourcesBalancedAllocation" -> BalancedAllocationScore(Pod, Among, Snapshot)
          [] Plugin = "ImageLocality" -> ImageLocalityScore(Pod, Among, Snapshot)
          [] Plugin = "DynamicResources" -> DynamicResourcesScore(Pod, Among, Snapshot)
          [] Plugin = "VolumeBinding" -> [Node \in Among |-> 0]

TLA+: NormalisedScores(Plugin, Scores, Pod, Snapshot) ==
        CASE Plugin = "TaintToleration" -> NormalisedTaintToleration(Scores)
          [] Plugin = "NodeAffinity" -> NormalisedNodeAffinity(Scores)
          [] Plugin = "PodTopologySpread" -> NormalisedTopologySpread(Scores, Pod, Snapshot)
          [] Plugin = "InterPodAffinity" -> NormalisedInterPodAffinity(Scores)
          [] Plugin = "DynamicResources" -> DefaultNormalised(Scores, FALSE)
          [] OTHER -> Scores
"""


@dataclass(frozen=True)
class Scored:
    """The result of scoring: an error, or the raw, normalised and weighted scores by plugin and node, and their sum.

    `skipped` names the plugins that do not score this pod, sorted; `best` the nodes with the highest sum, any of which
    may be chosen.
    """

    error: str | None = None
    skipped: tuple[str, ...] = ()
    raw: Mapping[str, Scores] = field(default_factory=dict)
    normalised: Mapping[str, Scores] = field(default_factory=dict)
    weighted: Mapping[str, Scores] = field(default_factory=dict)
    total: Scores = field(default_factory=dict)
    best: tuple[str, ...] = ()


def errors_before(pod: Pod, plugins: Plugins, asked: tuple[ScorePlugin, ...]) -> Iterator[str]:
    r"""Yield the errors of plugins at preScore, in order.

    TLA+: ErrorsBefore(Pod) ==
            \/ Listed("NodeAffinity", Enabled.preScore) /\ NodeAffinityError(Pod)
            \/ Listed("VolumeBinding", Enabled.preScore) /\ UnpreparedToScore("VolumeBinding")
    Kubernetes 1.37: pkg/scheduler/framework/runtime/framework.go, RunPreScorePlugins.
    """
    for plugin in asked:
        error = missing_state.unprepared_to_score(plugin.name, plugins) or plugin.error(pod)
        if error is not None:
            yield f'running PreScore plugin "{plugin.name}": {error}'


def errors_between(pod: Pod, plugins: Plugins, scoring: tuple[ScorePlugin, ...]) -> Iterator[str]:
    r"""Yield the errors of plugins that score but are not enabled at preScore, or at preFilter.

    TLA+: ErrorsBetween(Pod, Scoring) ==
            \E Plugin \in Scoring :
              \/ /\ ~Listed(Plugin, Enabled.preScore)
                 /\ \/ Plugin \in {"TaintToleration", "PodTopologySpread", "InterPodAffinity"}
                    \/ Plugin = "NodeAffinity" /\ NodeAffinityError(Pod)
              \/ UnpreparedToScore(Plugin)
    Kubernetes 1.37: pkg/scheduler/framework/runtime/framework.go, RunScorePlugins.
    """
    for plugin in scoring:
        error = missing_state.unprepared_to_score(plugin.name, plugins)
        if error is None and plugin.name not in plugins.at("preScore"):
            error = missing_state.SCORE.get(plugin.name) or plugin.error(pod)
        if error is not None:
            yield f'running Score plugins: plugin "{plugin.name}" failed with: {error}'


def errors_after(normalised: Mapping[str, Scores]) -> Iterator[str]:
    r"""Yield the errors about normalised scores outside 0 to 100.

    TLA+: ErrorsAfter(Normalised) ==
            \E Plugin \in DOMAIN Normalised : \E Node \in DOMAIN Normalised[Plugin] :
              Normalised[Plugin][Node] \notin 0..Highest
    Kubernetes 1.34: pkg/scheduler/framework/runtime/framework.go, RunScorePlugins.
    """
    for name, scores in normalised.items():
        for score in scores.values():
            if not 0 <= score <= HIGHEST:
                yield (
                    f'applying score defaultWeights on Score plugins: plugin "{name}" returns an invalid score {score},'
                    f" it should in the range of [0, {HIGHEST}] after normalizing"
                )


def best(total: Scores) -> tuple[str, ...]:
    r"""Return the nodes with the highest sum, sorted by name; kube-scheduler picks one with equal probability.

    TLA+: Best(Sums) == {Node \in DOMAIN Sums : \A Other \in DOMAIN Sums : Sums[Other] <= Sums[Node]}
    Kubernetes 1.34: pkg/scheduler/schedule_one.go, selectHost.
    """
    highest = max(total.values(), default=0)
    return tuple(sorted(name for name, score in total.items() if score == highest))


def by_rule(rule: ScoreRule) -> ScorePlugin:
    """Return the out-of-tree plugin of this rule, as it must score."""

    def raw(pod: Pod, nodes: Nodes, snapshot: Snapshot, plugins: Plugins) -> Scores:
        return {node.name: rule.rating(pod, node, snapshot, plugins.arguments.of(rule.plugin)) for node in nodes}

    def normalised(scores: Scores, pod: Pod, nodes: Nodes, snapshot: Snapshot, plugins: Plugins) -> Scores:
        return rule.normalised(scores)

    return ScorePlugin(rule.plugin, raw, normalised=normalised)


def enabled(plugins: Plugins, point: str, known: tuple[ScorePlugin, ...]) -> tuple[ScorePlugin, ...]:
    """Return the known plugins that are enabled at `point`, in order."""
    by_name = {plugin.name: plugin for plugin in known}
    return tuple(by_name[name] for name in plugins.at(point) if name in by_name)


def scored(
    pod: Pod, nodes: Nodes, snapshot: Snapshot, plugins: Plugins, known: tuple[ScorePlugin, ...] = SCORE_PLUGINS
) -> Scored:
    r"""Return the scores of `nodes`, the feasible ones, for `pod`. If no plugin scores, each node has 1.

    Whether a plugin is skipped is decided at preScore.

    TLA+: Scored(Pod, Among, Snapshot) ==
            LET Those == {Plugin \in ScorePlugins : Listed(Plugin, Enabled.score)}
                Leaving == {Plugin \in ScorePlugins :
                  Those # {} /\ Listed(Plugin, Enabled.preScore) /\ ScoreSkipped(Plugin, Pod, Snapshot)}
                Scoring == Those \ Leaving
                Raw == [Plugin \in Scoring |-> RawScores(Plugin, Pod, Among, Snapshot)]
                Normalised == [Plugin \in Scoring |-> NormalisedScores(Plugin, Raw[Plugin], Pod, Snapshot)]
                Weighted == [Plugin \in Scoring |->
                  [Node \in Among |-> Normalised[Plugin][Node] * PluginWeights[Plugin]]]
                Sums == [Node \in Among |->
                  IF Those = {} THEN 1 ELSE Sum([Plugin \in Scoring |-> Weighted[Plugin][Node]])]
                Errors == ErrorsBefore(Pod) \/ ErrorsBetween(Pod, Scoring) \/ ErrorsAfter(Normalised)
            IN [Error |-> Those # {} /\ Errors, Skipped |-> Leaving,
                Raw |-> Raw, Normalised |-> Normalised, Weighted |-> Weighted, Total |-> Sums, Best |-> Best(Sums)]
    Differs: the rules of out-of-tree plugins are functions of their authors, without a twin in TLA+.
    """
    known = (*known, *(by_rule(rule) for rule in plugins.rules if isinstance(rule, ScoreRule)))
    there = enabled(plugins, "score", known)
    if there == ():
        ones = {node.name: 1 for node in nodes}
        return Scored(total=ones, best=best(ones))
    for error in errors_before(pod, plugins, enabled(plugins, "preScore", known)):
        return Scored(error)
    asked = enabled(plugins, "preScore", known)
    leaving = {plugin.name for plugin in asked if plugin.skipped(pod, nodes, snapshot, plugins)}
    scoring = tuple(plugin for plugin in there if plugin.name not in leaving)
    for error in errors_between(pod, plugins, scoring):
        return Scored(error)
    raw = {plugin.name: plugin.raw(pod, nodes, snapshot, plugins) for plugin in scoring}
    normalised = {plugin.name: plugin.normalised(raw[plugin.name], pod, nodes, snapshot, plugins) for plugin in scoring}
    for error in errors_after(normalised):
        return Scored(error)
    weighted = {
        plugin.name: {name: score * plugins.weights[plugin.name] for name, score in normalised[plugin.name].items()}
        for plugin in scoring
    }
    total = {node.name: sum(scores[node.name] for scores in weighted.values()) for node in nodes}
    return Scored(None, tuple(sorted(leaving)), raw, normalised, weighted, total, best(total))
