"""Which plugins of kube-scheduler run, in which order, with which weights and arguments: `Plugins`, `DEFAULT_PLUGINS`.

What a profile of a KubeSchedulerConfiguration comes to once its defaults are filled in.
Kubernetes 1.34: pkg/scheduler/apis/config/v1/default_plugins.go, defaults.go.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from frozendict import frozendict

from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, Departures
from schedcheck.spec.objects import SpreadConstraint
from schedcheck.spec.terms import NodeSelectorTerm, PreferredNodeTerm

if TYPE_CHECKING:
    from schedcheck.spec.kubernetes import configuration
    from schedcheck.spec.kubernetes.extenders import Extender
    from schedcheck.spec.kubernetes.out_of_tree import Rule

OwnArguments = frozendict[str, object]
"""The arguments of a plugin that kube-scheduler has not, as they are in the configuration: maps, tuples and scalars."""

NO_ARGUMENTS: frozendict[str, OwnArguments] = frozendict()

Weights = tuple[tuple[str, int], ...]
"""Names, each with its weight, in order."""

CPU_AND_MEMORY: Weights = (("cpu", 1), ("memory", 1))


@dataclass(frozen=True)
class AddedAffinity:
    """What NodeAffinity adds to every pod: terms of which one must match (None: no such list), and preferences."""

    required: tuple[NodeSelectorTerm, ...] | None = None
    preferred: tuple[PreferredNodeTerm, ...] = ()


@dataclass(frozen=True)
class ScoringStrategy:
    """How NodeResourcesFit rates a node: LeastAllocated, MostAllocated or RequestedToCapacityRatio over some resources.

    `shape`, of the third alone, are points of utilization, 0 to 100, and score, 0 to 10.
    """

    kind: str = "LeastAllocated"
    resources: Weights = CPU_AND_MEMORY
    shape: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Arguments:
    """The arguments of the plugins, all of them with their defaults.

    `default_constraints` are those of PodTopologySpread for a pod that has none, without selectors; None stands for the
    system's own. `ignored_groups` are the parts of resource names before the slash that NodeResourcesFit does not filter
    by. `balanced` are the resources of NodeResourcesBalancedAllocation. The two of `min_candidate_nodes` say how many
    candidates preemption seeks. `own` are those of plugins that kube-scheduler has not, by their names.
    """

    added_affinity: AddedAffinity = AddedAffinity()
    ignored_resources: frozenset[str] = frozenset()
    ignored_groups: frozenset[str] = frozenset()
    scoring_strategy: ScoringStrategy = ScoringStrategy()
    balanced: tuple[str, ...] = ("cpu", "memory")
    default_constraints: tuple[SpreadConstraint, ...] | None = None
    hard_pod_affinity_weight: int = 1
    ignore_preferred_terms_of_existing_pods: bool = False
    min_candidate_nodes_percentage: int = 10
    min_candidate_nodes_absolute: int = 100
    own: frozendict[str, OwnArguments] = NO_ARGUMENTS

    def of(self, name: str) -> OwnArguments:
        """The arguments of a plugin that kube-scheduler has not; none if the configuration gives none."""
        return self.own.get(name, frozendict())


DEFAULT_ARGUMENTS = Arguments()


@dataclass(frozen=True)
class Plugins:
    """The plugins that are enabled at each extension point, in their order, and what they are given.

    `points` has the names of the points as in a configuration: queueSort, preEnqueue, preFilter, filter, postFilter,
    preScore, score, reserve, permit, preBind, bind, postBind. `weights` are those of the plugins at score.
    `percentage_of_nodes_to_score` says how many nodes are looked at; 0 leaves it to the size of the cluster. `rules` say
    what the plugins ought to do that kube-scheduler has not. `extenders` are asked in their order; `unasked` are those of
    which only the configuration is known, so that any answer of theirs is allowed.
    """

    points: frozendict[str, tuple[str, ...]]
    weights: frozendict[str, int]
    arguments: Arguments = DEFAULT_ARGUMENTS
    departures: Departures = ALL_DEPARTURES
    scheduler_name: str = "default-scheduler"
    percentage_of_nodes_to_score: int = 0
    rules: tuple["Rule", ...] = ()
    extenders: tuple["Extender", ...] = ()
    unasked: tuple["configuration.Extender", ...] = ()

    def at(self, point: str) -> tuple[str, ...]:
        """The plugins that are enabled at `point`."""
        return self.points.get(point, ())

    def departing(self, departures: Departures) -> "Plugins":
        """The same plugins with exactly these departures from the documentation."""
        return replace(self, departures=departures)


VOLUME_PLUGINS = ("VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone")

DEFAULT_PLUGINS = Plugins(
    points=frozendict(
        {
            "queueSort": ("PrioritySort",),
            "preEnqueue": ("SchedulingGates", "DynamicResources", "DefaultPreemption"),
            "preFilter": (
                "NodeAffinity", "NodePorts", "NodeResourcesFit", *VOLUME_PLUGINS, "PodTopologySpread",
                "InterPodAffinity", "DynamicResources",
            ),
            "filter": (
                "NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
                *VOLUME_PLUGINS, "PodTopologySpread", "InterPodAffinity", "DynamicResources",
            ),
            "postFilter": ("DynamicResources", "DefaultPreemption"),
            "preScore": (
                "TaintToleration", "NodeAffinity", "NodeResourcesFit", "VolumeBinding", "PodTopologySpread",
                "InterPodAffinity", "NodeResourcesBalancedAllocation",
            ),
            "score": (
                "TaintToleration", "NodeAffinity", "NodeResourcesFit", "VolumeBinding", "PodTopologySpread",
                "InterPodAffinity", "NodeResourcesBalancedAllocation", "ImageLocality",
            ),
            "reserve": ("VolumeBinding", "DynamicResources"),
            "preBind": ("VolumeBinding", "DynamicResources"),
            "bind": ("DefaultBinder",),
        }
    ),
    weights=frozendict(
        {
            "TaintToleration": 3, "NodeAffinity": 2, "NodeResourcesFit": 1, "VolumeBinding": 1, "PodTopologySpread": 2,
            "InterPodAffinity": 2, "NodeResourcesBalancedAllocation": 1, "ImageLocality": 1,
        }
    ),
)  # fmt: skip
"""The default profile of kube-scheduler 1.34, with every departure."""

POINTS = (
    "preEnqueue", "queueSort", "preFilter", "filter", "postFilter", "preScore", "score", "reserve", "permit", "preBind",
    "bind", "postBind",
)  # fmt: skip
"""The extension points, in the order in which a pod comes to them."""
