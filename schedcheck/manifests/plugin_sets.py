"""The plugins that a profile of a KubeSchedulerConfiguration enables: `plugin_sets`, `expanded`, `weights`.

The sets of a profile are merged with the default ones point by point. A plugin enabled at multiPoint is then enabled at
every point that it has.
Kubernetes 1.34: mergePluginSet in pkg/scheduler/apis/config/v1/default_plugins.go; updatePluginList,
expandMultiPointPlugins and getScoreWeights in pkg/scheduler/framework/runtime/framework.go.

Differs: a negative weight is refused. Upstream refuses it, as an overflow, only where it brings the sum of the weights
below 0 and is not the last.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from frozendict import frozendict

from schedcheck.manifests.fields import INT32, Field, nearest
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, POINTS, Plugins

MULTI_POINT: Final = "multiPoint"
EVERY: Final = "*"
KINDS: Final = {point: f"{point[0].upper()}{point[1:]}Plugin" for point in POINTS}
"""The Go interface that a plugin implements at each extension point."""

DEFAULT_ORDER: Final = (
    "SchedulingGates", "PrioritySort", "NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts",
    "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone", "PodTopologySpread",
    "InterPodAffinity", "DynamicResources", "DefaultPreemption", "NodeResourcesBalancedAllocation", "ImageLocality",
    "DefaultBinder", "NodeDeclaredFeatures",
)  # fmt: skip
"""Every plugin of kube-scheduler, in the order in which multiPoint enables them by default."""

SINCE_1_35: Final = ("NodeDeclaredFeatures", "GangScheduling")
"""The plugins that kube-scheduler 1.34 does not have."""

GATED: Final = {"NodeDeclaredFeatures": Departure.DECLARED_FEATURES_IGNORED}
"""The plugins that a profile may enable although their feature gate is off: PreFilter then skips, Filter admits."""

GONE: Final = {
    "NodeResourcesLeastAllocated": "is the scoringStrategy LeastAllocated of NodeResourcesFit today",
    "NodeResourcesMostAllocated": "is the scoringStrategy MostAllocated of NodeResourcesFit today",
    "RequestedToCapacityRatio": "is the scoringStrategy RequestedToCapacityRatio of NodeResourcesFit today",
    "SelectorSpread": "has no equivalent in v1; the nearest is PodTopologySpread with defaultingType System",
    "NodeLabel": "has no equivalent in v1; the nearest is the addedAffinity of NodeAffinity",
    "ServiceAffinity": "has no equivalent in v1; the nearest is the podAffinity of each pod",
    "NodePreferAvoidPods": "has no equivalent in v1; the nearest is a taint with the effect PreferNoSchedule",
    "EBSLimits": "has no equivalent in v1, as NodeVolumeLimits counts the volumes of every driver",
    "GCEPDLimits": "has no equivalent in v1, as NodeVolumeLimits counts the volumes of every driver",
    "AzureDiskLimits": "has no equivalent in v1, as NodeVolumeLimits counts the volumes of every driver",
    "CinderLimits": "has no equivalent in v1, as NodeVolumeLimits counts the volumes of every driver",
}
"""The plugins that kube-scheduler no longer has, with what has become of each."""


@dataclass(frozen=True)
class Enabled:
    """An enabled plugin with its weight, 0 if none is given. `field` is its place in the file, None for a default."""

    name: str
    weight: int = 0
    field: Field | None = None


@dataclass(frozen=True)
class PluginSet:
    """The plugins enabled at an extension point, in order, and the names of those disabled there."""

    enabled: tuple[Enabled, ...] = ()
    disabled: tuple[str, ...] = ()


Sets = Mapping[str, PluginSet]
"""Plugin sets by extension point; multiPoint is one."""

Others = Mapping[str, Collection[str]]
"""The out-of-tree plugins by name, each with its extension points."""

NO_OTHERS: Final[Others] = frozendict()
NOTHING: Final = PluginSet()


def default_sets(defaults: Plugins) -> Sets:
    """Return the default plugin sets of the version of kube-scheduler whose default profile is given."""
    order = [name for name in DEFAULT_ORDER if any(name in names for names in defaults.points.values())]
    if Departure.UNSCHEDULABLE_BEFORE_NODE_NAME in defaults.departures:
        order.remove("NodeUnschedulable")
        order.insert(order.index("NodeName"), "NodeUnschedulable")
    weights = {name: weight for name, weight in defaults.weights.items() if name in defaults.at("score")}
    return frozendict({MULTI_POINT: PluginSet(tuple(Enabled(name, weights.get(name, 0)) for name in order))})


DEFAULT_SETS: Final = default_sets(DEFAULT_PLUGINS)


def plugin_sets(field: Field, default: Sets) -> Sets:
    """Return the plugin sets of the field `plugins`, merged with the default ones."""
    field.only(*POINTS, MULTI_POINT)
    return {point: merged(default.get(point, NOTHING), _plugin_set(field[point])) for point in (*POINTS, MULTI_POINT)}


def _plugin_set(field: Field) -> PluginSet:
    field.only("enabled", "disabled")
    enabled = tuple(Enabled(item["name"].text(), _weight(item), item) for item in field["enabled"].items())
    disabled = tuple(item["name"].text() for item in field["disabled"].items() if _weight(item) >= 0)
    return PluginSet(enabled, disabled)


def _weight(field: Field) -> int:
    field.only("name", "weight")
    weight = field["weight"]
    if isinstance(weight.value, int) and weight.value >= INT32:
        raise weight.error(f"expected an integer from 0 to {INT32 - 1}, so that the total score does not overflow")
    return weight.integer(0) if weight else 0


def merged(default: PluginSet, custom: PluginSet) -> PluginSet:
    """Return the default set without the plugins that the custom one disables.

    A plugin that the custom set enables replaces the default one of its name, or comes last.
    """
    disabled = (*custom.disabled, *default.disabled)
    own = {each.name: each for each in custom.enabled}
    kept = [own.get(each.name, each) for each in default.enabled if not {EVERY, each.name} & set(disabled)]
    return PluginSet((*kept, *(each for each in custom.enabled if each not in kept)), disabled)


def has(name: str, point: str, others: Others, defaults: Plugins = DEFAULT_PLUGINS) -> bool:
    """Whether the plugin can be enabled at the point.

    By default each plugin of kube-scheduler is enabled at all its points, but for one whose feature gate is off.
    """
    gated = name in GATED and GATED[name] in defaults.departures and name in DEFAULT_PLUGINS.at(point)
    return name in defaults.at(point) or gated or (name in others and point in others[name])


def known(enabled: Iterable[Enabled], others: Others, defaults: Plugins = DEFAULT_PLUGINS) -> None:
    """Raises: InputError for a plugin that is unknown, or that the version of the default profile does not have."""
    # Of all versions 1.34 alone has this departure.
    before_1_35 = Departure.INCOMPLETE_POOLS_SERVE in defaults.departures
    for each in enabled:
        if each.field is not None and before_1_35 and each.name in SINCE_1_35 and each.name not in others:
            raise each.field["name"].error("no plugin has this name before 1.35")
        if each.field is not None and each.name not in DEFAULT_ORDER and each.name not in others:
            reason = GONE.get(each.name, f"no plugin has this name{nearest(each.name, (*DEFAULT_ORDER, *others))}")
            raise each.field["name"].error(reason)


def expanded(
    point: str, sets: Sets, others: Others = NO_OTHERS, defaults: Plugins = DEFAULT_PLUGINS
) -> tuple[str, ...]:
    """Return the plugins at the point: those that override multiPoint, those of multiPoint, and the others.

    Raises: InputError for a plugin that is unknown, does not have the point, or is enabled twice.
    """
    here, everywhere = sets[point], sets[MULTI_POINT].enabled
    known((*here.enabled, *everywhere), others, defaults)
    for each in here.enabled:
        if each.field is not None and not has(each.name, point, others, defaults):
            raise each.field["name"].error(f"the plugin is no {KINDS[point]}")
    _once(here.enabled)
    names = [each.name for each in here.enabled]
    spread = (
        () if EVERY in here.disabled else tuple(each for each in everywhere if has(each.name, point, others, defaults))
    )
    wide = [each for each in spread if each.name not in here.disabled]
    _once([each for each in wide if each.name not in names])
    multiple = [each.name for each in wide]
    return (
        *(name for name in names if name in multiple),
        *(name for name in multiple if name not in names),
        *(name for name in names if name not in multiple),
    )


def _once(enabled: Iterable[Enabled]) -> None:
    seen: set[str] = set()
    for each in enabled:
        if each.name in seen and each.field is not None:
            raise each.field["name"].error("expected each plugin once at an extension point")
        seen.add(each.name)


def weights(sets: Sets, others: Others = NO_OTHERS, defaults: Plugins = DEFAULT_PLUGINS) -> dict[str, int]:
    """Return the weights of the plugins that score; a weight at score overrides one at multiPoint; the default is 1."""
    found: dict[str, int] = {}
    for each in (*sets["score"].enabled, *sets[MULTI_POINT].enabled):
        if has(each.name, "score", others, defaults):
            found.setdefault(each.name, each.weight or 1)
    return found
