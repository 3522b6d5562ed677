"""What plugins say at filter and at score if they are not enabled before, at preFilter and preScore: `FILTER`, `SCORE`.

There they leave to the cycle what they read later. A plugin that is not named here does without.
Kubernetes 1.34: getPreFilterState, getPreScoreState and getStateData in pkg/scheduler/framework/plugins; RunFilterPlugins
and RunScorePlugins in pkg/scheduler/framework/runtime/framework.go.
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
"""What is said at filter.

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
