"""Errors of plugins that run at filter or score but are not enabled at preFilter or preScore: `FILTER`, `SCORE`.

Such a plugin stores in the cycle state at preFilter or preScore what it reads later. A plugin that is not listed here
needs no such state.
Kubernetes 1.34: getPreFilterState, getPreScoreState and getStateData in pkg/scheduler/framework/plugins;
RunFilterPlugins and RunScorePlugins in pkg/scheduler/framework/runtime/framework.go.
"""

from frozendict import frozendict

from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import Plugins

FILTER: frozendict[str, str] = frozendict(
    {
        "NodePorts": 'reading "PreFilterNodePorts" from cycleState: not found',
        "NodeResourcesFit": 'error reading "PreFilterNodeResourcesFit" from cycleState: not found',
        "VolumeRestrictions": 'cannot read "PreFilterVolumeRestrictions" from cycleState',
        "VolumeBinding": "not found",
        "PodTopologySpread": 'reading "PreFilterPodTopologySpread" from cycleState: not found',
        "InterPodAffinity": 'error reading "PreFilterInterPodAffinity" from cycleState: not found',
        "DynamicResources": "not found",
        "NodeDeclaredFeatures": 'error reading "PreFilterNodeDeclaredFeatures" from cycle-state: not found',
    }
)
"""The error messages at filter, by plugin.

TLA+: Unprepared ==
        {"NodePorts", "NodeResourcesFit", "VolumeRestrictions", "VolumeBinding", "PodTopologySpread",
         "InterPodAffinity", "DynamicResources", "NodeDeclaredFeatures"}
"""


def unprepared_to_filter(name: str, plugins: Plugins) -> bool:
    r"""Whether the filter of a plugin needs state that the plugin, not enabled at preFilter, has not stored.

    TLA+: UnpreparedToFilter(Plugin) ==
            /\ Plugin \in Unprepared
            /\ ~Listed(Plugin, Enabled.preFilter)
            /\ Plugin = "NodeDeclaredFeatures" => "declared-features-ignored" \notin Departures
    """
    return (
        name in FILTER
        and name not in plugins.at("preFilter")
        and (name != "NodeDeclaredFeatures" or Departure.DECLARED_FEATURES_IGNORED not in plugins.departures)
    )


SCORE: frozendict[str, str] = frozendict(
    {
        "TaintToleration": 'failed to read "PreScoreTaintToleration" from cycleState: not found',
        "PodTopologySpread": 'error reading "PreScorePodTopologySpread" from cycleState: not found',
        "InterPodAffinity": 'failed to read "PreScoreInterPodAffinity" from cycleState: not found',
    }
)

WITHOUT_PRE_FILTER: frozendict[str, str] = frozendict({"VolumeBinding": "not found", "DynamicResources": "not found"})
"""The error messages at preScore and score, by plugin, of those that read there what they store at preFilter."""


def unprepared_to_score(name: str, plugins: Plugins) -> str | None:
    r"""Return the error of a plugin at preScore or score that is not enabled at preFilter; None if it needs no state.

    TLA+: UnpreparedToScore(Plugin) ==
            /\ ~Listed(Plugin, Enabled.preFilter)
            /\ \/ Plugin = "VolumeBinding" /\ "storage-capacity-unrated" \notin Departures
               \/ Plugin = "DynamicResources" /\ "claims-unrated" \notin Departures
    """
    idle = {"VolumeBinding": Departure.STORAGE_CAPACITY_UNRATED, "DynamicResources": Departure.CLAIMS_UNRATED}
    if name in plugins.at("preFilter") or name not in idle or idle[name] in plugins.departures:
        return None
    return WITHOUT_PRE_FILTER[name]
