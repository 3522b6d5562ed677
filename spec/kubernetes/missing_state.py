"""Errors of plugins that run at filter or score but are not enabled at preFilter or preScore: `FILTER`, `SCORE`.

Such a plugin stores in the cycle state at preFilter or preScore what it reads later. A plugin that is not listed here
needs no such state.
Kubernetes 1.34: getPreFilterState, getPreScoreState and getStateData in pkg/scheduler/framework/plugins;
RunFilterPlugins and RunScorePlugins in pkg/scheduler/framework/runtime/framework.go.
"""

from frozendict import frozendict

FILTER: frozendict[str, str] = frozendict(
    {
        "NodePorts": 'reading "PreFilterNodePorts" from cycleState: not found',
        "NodeResourcesFit": 'error reading "PreFilterNodeResourcesFit" from cycleState: not found',
        "VolumeRestrictions": 'cannot read "PreFilterVolumeRestrictions" from cycleState',
        "VolumeBinding": "not found",
        "PodTopologySpread": 'reading "PreFilterPodTopologySpread" from cycleState: not found',
        "InterPodAffinity": 'error reading "PreFilterInterPodAffinity" from cycleState: not found',
        "DynamicResources": "not found",
    }
)
"""The error messages at filter, by plugin.

TLA+: Unprepared ==
        {"NodePorts", "NodeResourcesFit", "VolumeRestrictions", "VolumeBinding", "PodTopologySpread",
         "InterPodAffinity", "DynamicResources"}
"""

SCORE: frozendict[str, str] = frozendict(
    {
        "TaintToleration": 'failed to read "PreScoreTaintToleration" from cycleState: not found',
        "PodTopologySpread": 'error reading "PreScorePodTopologySpread" from cycleState: not found',
        "InterPodAffinity": 'failed to read "PreScoreInterPodAffinity" from cycleState: not found',
    }
)
