"""Plugins with other than the default arguments, so that every argument matters somewhere: `CONFIGURED`"""

from dataclasses import replace

from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, AddedAffinity, Arguments, Plugins, ScoringStrategy
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.objects import SpreadConstraint
from schedcheck.spec.terms import NodeSelectorTerm, PreferredNodeTerm, Requirement

ZONE_A = NodeSelectorTerm((Requirement("zone", "In", ("a",)),))
LARGE = NodeSelectorTerm((Requirement("size", "Gt", ("4",)),))
THREE = (("cpu", 2), ("memory", 1), ("example.com/gpu", 3))


def _with(**arguments: object) -> Plugins:
    return replace(DEFAULT_PLUGINS, arguments=replace(Arguments(), **arguments))


def _without(plugins: Plugins, **left_out: tuple[str, ...]) -> Plugins:
    """The plugins without those named at each point."""
    points = {
        point: tuple(name for name in names if name not in left_out.get(point, ()))
        for point, names in plugins.points.items()
    }
    return replace(plugins, points=type(plugins.points)(points))


WITHOUT_STATE = _without(DEFAULT_PLUGINS, preFilter=("VolumeBinding",), filter=("VolumeBinding",))
CONFIGURED = {
    "MostAllocated, added affinity": _with(
        scoring_strategy=ScoringStrategy("MostAllocated", THREE),
        added_affinity=AddedAffinity((ZONE_A, LARGE), (PreferredNodeTerm(7, ZONE_A), PreferredNodeTerm(30, LARGE))),
        hard_pod_affinity_weight=10,
        ignored_resources=frozenset({"example.com/gpu"}),
    ),
    "RequestedToCapacityRatio, default constraints": _with(
        scoring_strategy=ScoringStrategy("RequestedToCapacityRatio", THREE, ((0, 0), (30, 8), (70, 3), (100, 10))),
        default_constraints=(
            SpreadConstraint(1, "zone", required=True),
            SpreadConstraint(2, "kubernetes.io/hostname", required=False),
        ),
        ignore_preferred_terms_of_existing_pods=True,
        balanced=("memory", "example.com/gpu"),
    ),
    "no default constraints, hard weight 0": replace(
        _with(default_constraints=(), hard_pod_affinity_weight=0, balanced=("cpu",)),
        weights=type(DEFAULT_PLUGINS.weights)(dict.fromkeys(DEFAULT_PLUGINS.weights, 5)),
    ),
    "plugins that were not asked before": _without(
        DEFAULT_PLUGINS,
        preEnqueue=("SchedulingGates",),
        preFilter=("PodTopologySpread", "NodeAffinity", "DynamicResources"),
        filter=("NodePorts", "DynamicResources"),
        preScore=("NodeAffinity", "NodeResourcesBalancedAllocation"),
        score=("DynamicResources",),
        postFilter=("DynamicResources",),
    ),
    "scores that were not prepared": _without(DEFAULT_PLUGINS, preScore=("TaintToleration",)),
    "preScore without the state of preFilter": WITHOUT_STATE,
    "preScore without the state of preFilter, in 1.34": WITHOUT_STATE.departing(VERSIONS["1.34"].departures),
    "a filter whose feature gate is off, not enabled at preFilter": replace(
        _without(DEFAULT_PLUGINS, preFilter=("NodeDeclaredFeatures",)), departures=VERSIONS["1.35"].departures
    ),
    "scores without the state of preFilter": _without(
        DEFAULT_PLUGINS,
        preFilter=("VolumeBinding", "DynamicResources"),
        filter=("VolumeBinding", "DynamicResources"),
        preScore=("VolumeBinding",),
        score=("VolumeBinding",),
    ),
    "no plugin that scores": _without(DEFAULT_PLUGINS, score=DEFAULT_PLUGINS.at("score")),
}
"""The plugins by their description."""
