"""All that a plugin for the production scheduler is written with; what its extension points are, `POINTS` says.

    class Teams:
        "Keeps the nodes of a team for its pods."
        name = "Teams"

        def __init__(self, arguments, handle):
            self.label = arguments.get("label", "team")

        def filter(self, state, pod, nodes):
            team = pod.pod.labels.get(self.label)
            return refusals(nodes, lambda node, pods: None if node.labels.get(self.label) in (None, team)
                            else unresolvable("node(s) belonged to another team"))

A plugin has a name and the methods of the extension points at which it may be enabled, which are those of the protocols
`FilterPlugin`, `ScorePlugin`, `PermitPlugin` and so on. Its factory, a class or a function, is given the arguments of its
pluginConfig as plain data and the handle, and is handed to a command by `--plugin package.module:Factory`; or an
installed package names it in the entry-point group `schedcheck.plugins`, under the name of the plugin.

Filter and Score take all nodes at once, `nodes.table` in arrays; `refusals` and `ratings` take them one by one. Wherever
pods are looked at, `nodes.pods` gives those that are there in the trial at hand. As every order of steps is explored, a
plugin is made anew for each: what it keeps between calls it hands over by `remembered` and is given again by `recall`.
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
"""What the configuration gives the plugin as args: maps, tuples, texts, numbers and truths, none of which can be changed."""
