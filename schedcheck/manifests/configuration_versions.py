"""The versions of KubeSchedulerConfiguration, and the conversion of older ones to v1: `VERSIONS`, `Version`.

Defaults of an older version that today's scheduler still knows are kept: its weights, and the rule that a plugin
enabled at a point replaces the default one there. Today's plugins run at every point that they have.
Kubernetes 1.22 and 1.24: pkg/scheduler/apis/config/v1beta1, v1beta2 and v1beta3, default_plugins.go and defaults.go.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from schedcheck.manifests.fields import Field
from schedcheck.manifests.plugin_arguments import (
    ARGUMENTS,
    TYPE_META,
    Reader,
    pod_topology_spread,
    shape,
    weighted_resources,
)
from schedcheck.manifests.plugin_sets import DEFAULT_SETS, NO_OTHERS, Enabled, Others, PluginSet, Sets
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Arguments, Plugins, ScoringStrategy

GROUP: Final = "kubescheduler.config.k8s.io"
FIELDS: Final = (
    "apiVersion", "kind", "parallelism", "leaderElection", "clientConnection", "enableProfiling",
    "enableContentionProfiling", "percentageOfNodesToScore", "podInitialBackoffSeconds", "podMaxBackoffSeconds",
    "profiles", "extenders", "delayCacheUntilActive",
)  # fmt: skip
ADDRESSES: Final = ("healthzBindAddress", "metricsBindAddress")

FIT: Final = "NodeResourcesFit"
STRATEGIES: Final = {
    "NodeResourcesLeastAllocated": "LeastAllocated",
    "NodeResourcesMostAllocated": "MostAllocated",
    "RequestedToCapacityRatio": "RequestedToCapacityRatio",
}
"""The plugins of v1beta1 that are scoring strategies of NodeResourcesFit today."""

LIMITS: Final = ("EBSLimits", "GCEPDLimits", "AzureDiskLimits", "CinderLimits")
"""The plugins that NodeVolumeLimits has replaced."""


@dataclass(frozen=True)
class Version:
    """A version: its name in apiVersion, its fields, the default plugin sets of its profiles, the readers of arguments.

    `others` are the out-of-tree plugins that a configuration may name, `defaults` the default profile of the version of
    kube-scheduler that reads it.
    """

    name: str
    fields: tuple[str, ...]
    sets: Sets
    readers: Mapping[str, Reader]
    others: Others = NO_OTHERS
    defaults: Plugins = DEFAULT_PLUGINS

    @property
    def older(self) -> bool:
        """Whether the version is converted to v1."""
        return self.name != "v1"


def _unchanged(arguments: Arguments, args: Field) -> Arguments:
    """Validate the fields of a plugin that is a scoring strategy today; `strategy` reads its arguments."""
    args.only(*TYPE_META, "resources", "shape")
    return arguments


def _point_by_point(rated: str) -> Sets:
    """Return the default sets of a version without multiPoint; `rated` is its plugin that scores by allocation."""
    weights = {**dict.fromkeys(DEFAULT_PLUGINS.weights, 1), "PodTopologySpread": 2}
    sets = {
        point: PluginSet(tuple(Enabled(name, weights.get(name, 0)) for name in names))
        for point, names in DEFAULT_PLUGINS.points.items()
    }
    score = (replace(each, name=rated) if each.name == FIT else each for each in sets["score"].enabled)
    return {**sets, "score": PluginSet(tuple(score))}


VERSIONS: Final = {
    version.name: version
    for version in (
        Version("v1", FIELDS, DEFAULT_SETS, ARGUMENTS),
        Version("v1beta3", FIELDS, DEFAULT_SETS, ARGUMENTS),
        Version("v1beta2", (*FIELDS, *ADDRESSES), _point_by_point(FIT), ARGUMENTS),
        Version(
            "v1beta1",
            (*FIELDS, *ADDRESSES),
            _point_by_point("NodeResourcesLeastAllocated"),
            {
                **ARGUMENTS,
                **dict.fromkeys(STRATEGIES, _unchanged),
                "PodTopologySpread": partial(pod_topology_spread, listed=True),
            },
        ),
    )
}


def version(field: Field) -> Version:
    """Return the version of a configuration."""
    api_version = field["apiVersion"].required(f"{GROUP}/v1")
    group, _, name = api_version.rpartition("/")
    if group != GROUP or name not in VERSIONS:
        raise field["apiVersion"].error(f"expected {GROUP}/v1, or v1beta3, v1beta2 or v1beta1 of it")
    return VERSIONS[name]


def without_limits(sets: Sets) -> Sets:
    """Return the sets without the plugins that NodeVolumeLimits has replaced."""
    return {
        point: replace(each, enabled=tuple(one for one in each.enabled if one.name not in LIMITS))
        for point, each in sets.items()
    }


def limits(sets: Sets) -> Iterator[str]:
    """Yield a note for each plugin of the configuration that is left out because NodeVolumeLimits has replaced it."""
    for each in sets.values():
        for one in each.enabled:
            if one.name in LIMITS and one.field is not None:
                yield f"{one.field.path()} is left out, as NodeVolumeLimits counts what {one.name} did"


def strategy(sets: Sets, configs: Mapping[str, Field]) -> tuple[Sets, ScoringStrategy | None]:
    """Return the sets of v1beta1 with NodeResourcesFit for a plugin that is its strategy today, and the strategy.

    `configs` are the arguments by plugin. The strategy is None if no such plugin scores, or NodeResourcesFit itself
    does.
    """
    score = sets["score"].enabled
    rating = [each for each in score if each.name in STRATEGIES or each.name == FIT]
    if len(rating) > 1:
        *_, (name, last) = ((each.name, each.field) for each in rating if each.field is not None)
        others = ", ".join(each.name for each in rating if each.name != name)
        raise last["name"].error(
            f"has no equivalent in v1 together with {others}, as NodeResourcesFit has one strategy"
        )
    if not rating or rating[0].name == FIT:
        return sets, None
    renamed = tuple(replace(each, name=FIT) if each is rating[0] else each for each in score)
    return {**sets, "score": replace(sets["score"], enabled=renamed)}, _strategy(rating[0].name, configs)


def _strategy(name: str, configs: Mapping[str, Field]) -> ScoringStrategy:
    kind = STRATEGIES[name]
    if name not in configs:
        return ScoringStrategy(kind)
    resources = weighted_resources(configs[name]["resources"])
    return ScoringStrategy(kind, resources, shape(configs[name]["shape"]) if kind == "RequestedToCapacityRatio" else ())
