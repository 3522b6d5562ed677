"""The names that a plugin for the production scheduler needs; `POINTS` describes the extension points.

    class Teams:
        "Keeps the nodes of a team for its pods."
        name = "Teams"

        def __init__(self, arguments, handle):
            self.label = arguments.get("label", "team")

        def filter(self, state, pod, nodes):
            team = pod.pod.labels.get(self.label)
            return refusals(nodes, lambda node, pods: None if node.labels.get(self.label) in (None, team)
                            else unresolvable("node(s) belonged to another team"))

A plugin has a name and the methods of its extension points, which the protocols `FilterPlugin`, `ScorePlugin`,
`PermitPlugin` and so on define. Its factory, a class or a function, gets the arguments of its pluginConfig as plain
data, and the handle. A command gets the factory by `--plugin package.module:Factory`; or an installed package names it
in the entry-point group `schedcheck.plugins`, under the name of the plugin.

Filter and Score get all nodes at once, as arrays in `nodes.table`; `refusals` and `ratings` take them one by one. A
plugin that looks at pods must use `nodes.pods`, the pods of the current trial. Every order of steps is explored, and a
new plugin object is created for each. State between calls must be handed over by `remembered`, and `recall` gives it
back.
"""

from collections.abc import Mapping
from typing import Any

from schedcheck.model.production.framework.by_node import ratings, refusals
from schedcheck.model.production.framework.cycle_state import Clonable, CycleState, NotFoundError
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Client, ClientError, Handle
from schedcheck.model.production.framework.plugin import (
    POINTS,
    BindPlugin,
    EventsPlugin,
    FilterPlugin,
    NormalizeScorePlugin,
    PermitPlugin,
    PostBindPlugin,
    PostFilterPlugin,
    PostFilterResult,
    PreBindPlugin,
    PreEnqueuePlugin,
    PreFilterExtensions,
    PreFilterPlugin,
    PreScorePlugin,
    QueueSortPlugin,
    RememberingPlugin,
    ReservePlugin,
    ScorePlugin,
)
from schedcheck.model.production.framework.status import (
    SKIP,
    SUCCESS,
    Code,
    Status,
    error,
    unresolvable,
    unschedulable,
)
from schedcheck.model.production.framework.verdicts import (
    FAILED,
    PASSED,
    REFUSED,
    UNRESOLVED,
    NodeStatuses,
    Verdicts,
    verdicts,
)
from schedcheck.model.production.plugins.normalizing import proportional
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.spec.objects import Node, Pod

__all__ = [
    "FAILED",
    "PASSED",
    "POINTS",
    "REFUSED",
    "SKIP",
    "SUCCESS",
    "UNRESOLVED",
    "Action",
    "Arguments",
    "BindPlugin",
    "Client",
    "ClientError",
    "Clonable",
    "ClusterEvent",
    "Code",
    "CycleState",
    "EventOfInterest",
    "EventsPlugin",
    "FilterPlugin",
    "Handle",
    "Node",
    "NodeStatuses",
    "Nodes",
    "NormalizeScorePlugin",
    "NotFoundError",
    "Numbers",
    "PermitPlugin",
    "Pod",
    "PodInfo",
    "PostBindPlugin",
    "PostFilterPlugin",
    "PostFilterResult",
    "PreBindPlugin",
    "PreEnqueuePlugin",
    "PreFilterExtensions",
    "PreFilterPlugin",
    "PreScorePlugin",
    "QueueSortPlugin",
    "RememberingPlugin",
    "ReservePlugin",
    "Resource",
    "ScorePlugin",
    "Snapshot",
    "Status",
    "Verdicts",
    "error",
    "proportional",
    "ratings",
    "refusals",
    "unresolvable",
    "unschedulable",
    "verdicts",
]

Arguments = Mapping[str, Any]
"""The plugin's args in the configuration: maps, tuples, texts, numbers and booleans, all immutable."""
