"""The plugins of kube-scheduler: their order, weights and arguments in a profile: `Plugins`, `DEFAULT_PLUGINS`.

A value is a profile of a KubeSchedulerConfiguration with its defaults filled in.
Kubernetes 1.37: pkg/scheduler/apis/config/v1/default_plugins.go, defaults.go.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from frozendict import frozendict

from schedcheck.spec.kubernetes.departures import NO_DEPARTURES, Departure, Departures
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import SpreadConstraint
from schedcheck.spec.terms import NodeSelectorTerm, PreferredNodeTerm

if TYPE_CHECKING:
    from schedcheck.spec.extender_configuration import Extender as Offer
    from schedcheck.spec.extenders import Extender
    from schedcheck.spec.kubernetes.out_of_tree import Rule

OwnArguments = frozendict[str, object]
"""The arguments of an out-of-tree plugin, as in the configuration: maps, tuples and scalars."""

NO_ARGUMENTS: frozendict[str, OwnArguments] = frozendict()

Weights = tuple[tuple[str, int], ...]
"""Resource names with their weights, in order."""

CPU_AND_MEMORY: Weights = (("cpu", 1), ("memory", 1))


@dataclass(frozen=True)
class AddedAffinity:
    """The addedAffinity of NodeAffinity for every pod: terms of which one must match (None: no list), preferences."""

    required: tuple[NodeSelectorTerm, ...] | None = None
    preferred: tuple[PreferredNodeTerm, ...] = ()


@dataclass(frozen=True)
class ScoringStrategy:
    """The scoring strategy of NodeResourcesFit: LeastAllocated, MostAllocated or RequestedToCapacityRatio.

    `shape` is only for RequestedToCapacityRatio: points of utilization, 0 to 100, and score, 0 to 10.
    """

    kind: str = "LeastAllocated"
    resources: Weights = CPU_AND_MEMORY
    shape: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Arguments:
    """The arguments of all plugins, with their defaults."""

    added_affinity: AddedAffinity = AddedAffinity()
    ignored_resources: frozenset[str] = frozenset()
    ignored_groups: frozenset[str] = frozenset()  # resource prefixes (before the slash) that the Fit filter ignores
    scoring_strategy: ScoringStrategy = ScoringStrategy()
    balanced: tuple[str, ...] = ("cpu", "memory")  # the resources of NodeResourcesBalancedAllocation
    default_constraints: tuple[SpreadConstraint, ...] | None = None  # without selectors; None: the system's defaults
    hard_pod_affinity_weight: int = 1
    ignore_preferred_terms_of_existing_pods: bool = False
    min_candidate_nodes_percentage: int = 10  # how many candidates preemption seeks
    min_candidate_nodes_absolute: int = 100
    storage_shape: tuple[tuple[int, int], ...] = ((0, 10), (100, 0))  # by which VolumeBinding scores utilizations
    own: frozendict[str, OwnArguments] = NO_ARGUMENTS  # of out-of-tree plugins, by name

    def of(self, name: str) -> OwnArguments:
        """Return the arguments of the out-of-tree plugin of this name; empty if the configuration gives none."""
        return self.own.get(name, frozendict())


DEFAULT_ARGUMENTS = Arguments()


@dataclass(frozen=True)
class Plugins:
    """A scheduler profile: the plugins enabled at each extension point, in order, with weights and arguments."""

    points: frozendict[str, tuple[str, ...]]  # by extension point as in a configuration, such as preFilter
    weights: frozendict[str, int]  # of the plugins at score, each from 1 on: 0 in a configuration stands for 1
    arguments: Arguments = DEFAULT_ARGUMENTS
    departures: Departures = NEWEST.departures
    gates_on: Departures = NO_DEPARTURES  # the departures that feature gates end, whatever the version
    gates_off: Departures = NO_DEPARTURES  # the departures that feature gates begin
    scheduler_name: str = "default-scheduler"
    percentage_of_nodes_to_score: int = 0  # 0: depends on the size of the cluster
    rules: tuple["Rule", ...] = ()  # the specified behaviour of out-of-tree plugins
    extenders: tuple["Extender", ...] = ()  # in the order in which they are called
    unasked: tuple["Offer", ...] = ()  # extenders of which only the configuration is known

    def at(self, point: str) -> tuple[str, ...]:
        """Return the plugins that are enabled at `point`, in order."""
        return self.points.get(point, ())

    def departing(self, departures: Departures) -> "Plugins":
        """Return the same plugins with exactly these departures, but for those that feature gates end or begin.

        A departure that was not there leaves plugins out. One that was there does not: it is the version in which
        these plugins were enabled.
        """
        meant = (departures - self.gates_on) | self.gates_off
        left_out = {place for departure in meant - self.departures for place in ABSENT.get(departure, ())}
        points = {
            point: tuple(name for name in names if (point, name) not in left_out)
            for point, names in self.points.items()
        }
        if Departure.UNSCHEDULABLE_BEFORE_NODE_NAME in meant and self.at("filter") == DEFAULT_PLUGINS.at("filter"):
            points["filter"] = ("NodeUnschedulable", "NodeName", *points["filter"][2:])
        return replace(self, departures=meant, points=frozendict(points))


ABSENT: Mapping[Departure, tuple[tuple[str, str], ...]] = frozendict(
    {
        Departure.DECLARED_FEATURES_IGNORED: (
            ("preFilter", "NodeDeclaredFeatures"),
            ("filter", "NodeDeclaredFeatures"),
        ),
        Departure.CLAIMS_UNRATED: (("score", "DynamicResources"),),
        Departure.PRE_FILTERS_FEW: tuple(
            ("preFilter", name) for name in ("NodeName", "NodeUnschedulable", "TaintToleration")
        ),
    }
)
"""The plugins that are not enabled by default, or not there, while a departure lasts: point and name."""

VOLUME_PLUGINS = ("VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone")

DEFAULT_PLUGINS = Plugins(
    points=frozendict(
        {
            "queueSort": ("PrioritySort",),
            "preEnqueue": ("SchedulingGates", "DynamicResources", "DefaultPreemption"),
            "preFilter": (
                "NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
                *VOLUME_PLUGINS, "PodTopologySpread", "InterPodAffinity", "DynamicResources", "NodeDeclaredFeatures",
            ),
            "filter": (
                "NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
                *VOLUME_PLUGINS, "PodTopologySpread", "InterPodAffinity", "DynamicResources", "NodeDeclaredFeatures",
            ),
            "postFilter": ("DynamicResources", "DefaultPreemption"),
            "preScore": (
                "TaintToleration", "NodeAffinity", "NodeResourcesFit", "VolumeBinding", "PodTopologySpread",
                "InterPodAffinity", "NodeResourcesBalancedAllocation",
            ),
            "score": (
                "TaintToleration", "NodeAffinity", "NodeResourcesFit", "VolumeBinding", "PodTopologySpread",
                "InterPodAffinity", "DynamicResources", "NodeResourcesBalancedAllocation", "ImageLocality",
            ),
            "reserve": ("VolumeBinding", "DynamicResources"),
            "preBind": ("VolumeBinding", "DynamicResources"),
            "bind": ("DefaultBinder",),
        }
    ),
    weights=frozendict(
        {
            "TaintToleration": 3, "NodeAffinity": 2, "NodeResourcesFit": 1, "VolumeBinding": 1, "PodTopologySpread": 2,
            "InterPodAffinity": 2, "DynamicResources": 2, "NodeResourcesBalancedAllocation": 1, "ImageLocality": 1,
        }
    ),
)  # fmt: skip
"""The default profile of the newest kube-scheduler."""

POINTS = (
    "preEnqueue", "queueSort", "preFilter", "filter", "postFilter", "preScore", "score", "reserve", "permit", "preBind",
    "bind", "postBind",
)  # fmt: skip
"""The extension points, in the order in which a pod passes through them."""
