"""The configuration of the early scheduler, `Classic`: predicates and priorities with their arguments, and defaults.

Kubernetes 1.6: plugin/pkg/scheduler/algorithmprovider/defaults/defaults.go.

InterPodAffinityPriority, NodePreferAvoidPodsPriority and TaintTolerationPriority are on by default there, but not in
the documentation (docs/errata.md); here a Policy must name them.
"""

from dataclasses import dataclass
from typing import Final

from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extenders import Extenders, ignored

MANDATORY: Final = ("CheckNodeCondition",)
"""The predicates that no Policy switches off.

Kubernetes 1.8 to 1.11: RegisterMandatoryFitPredicate; before, the node list itself had the same effect.
"""

DEFAULT_PREDICATES: Final = (
    "CheckNodeCondition",
    "NoVolumeZoneConflict",
    "MaxEBSVolumeCount",
    "MaxGCEPDVolumeCount",
    "MatchInterPodAffinity",
    "NoDiskConflict",
    "GeneralPredicates",
    "PodToleratesNodeTaints",
    "CheckNodeMemoryPressure",
    "CheckNodeDiskPressure",
    "CheckNodePIDPressure",
)
"""The predicates that are on by default: those of 1.6, with CheckNodePIDPressure of 1.10.

GeneralPredicates are PodFitsResources, HostName, PodFitsHostPorts and MatchNodeSelector, each of which may also be
named alone; CheckNodeLabelPresence is never on without its argument.
"""


@dataclass(frozen=True)
class LabelPresence:
    """CheckNodeLabelPresence with its argument, under the name that a Policy gives it."""

    name: str
    labels: tuple[str, ...]
    presence: bool


@dataclass(frozen=True)
class ServiceAffinity:
    """CheckServiceAffinity with its argument, under the name that a Policy gives it."""

    name: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class LabelPreference:
    """The argument of NodeLabelPriority: a label that a node should have or, with `presence` False, should lack."""

    label: str
    presence: bool


Shape = tuple[tuple[int, int], ...]
"""The points of a broken line, each a utilization from 0 to 100, in ascending order, and a score from 0 to 10."""


@dataclass(frozen=True)
class Ratio:
    """The arguments of RequestedToCapacityRatioPriority: a shape, and resources with their weights."""

    shape: Shape
    resources: tuple[tuple[str, int], ...] = (("cpu", 1), ("memory", 1))


@dataclass(frozen=True)
class Weighted:
    """A priority with its weight, a positive integer, and its argument.

    With a `label` it is CalculateAntiAffinityPriority, with a `preference` NodeLabelPriority, with a `ratio`
    RequestedToCapacityRatioPriority.
    """

    name: str
    weight: int = 1
    label: str | None = None
    preference: LabelPreference | None = None
    ratio: Ratio | None = None


DEFAULT_PRIORITIES: Final = (
    Weighted("SelectorSpreadPriority"),
    Weighted("LeastRequestedPriority"),
    Weighted("BalancedResourceAllocation"),
    Weighted("NodeAffinityPriority"),
)
"""The priorities that are on by default, each with the weight 1.

ImageLocalityPriority must be named, and CalculateAntiAffinityPriority is never on without its argument.
"""


@dataclass(frozen=True)
class Classic:
    """A configuration of the early scheduler: the enabled predicates and priorities, their arguments, and extenders.

    Extenders are in the order in which they are called: `extenders` with their answers, `unasked` without.
    """

    predicates: tuple[str, ...] = DEFAULT_PREDICATES
    label_presence: tuple[LabelPresence, ...] = ()
    service_affinity: tuple[ServiceAffinity, ...] = ()
    priorities: tuple[Weighted, ...] = DEFAULT_PRIORITIES
    by_allocatable: bool = False  # requests are compared with allocatable instead of capacity
    most_volumes: str = ""  # the value of KUBE_MAX_PD_VOLS, or empty
    hard_weight: int = 1  # of a required affinity term of an existing pod in InterPodAffinityPriority
    extenders: Extenders = ()
    unasked: tuple[Offer, ...] = ()

    @property
    def ignored(self) -> frozenset[str]:
        """The resources that PodFitsResources ignores because an extender manages them with ignoredByScheduler."""
        return ignored((*self.unasked, *(each.offer for each in self.extenders)))


DEFAULT: Final = Classic()
