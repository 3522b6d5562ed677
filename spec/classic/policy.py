"""Which predicates and priorities run, and with what: `Classic`, and what is on by default.

Kubernetes 1.6: plugin/pkg/scheduler/algorithmprovider/defaults/defaults.go.

Not modelled: CheckServiceAffinity, MaxCSIVolumeCountPred and EvenPodsSpread; the preference of labels; extenders. InterPodAffinityPriority,
NodePreferAvoidPodsPriority and TaintTolerationPriority are on by default there, but not in the source, and have to be named.
"""

from dataclasses import dataclass
from typing import Final

MANDATORY: Final = ("CheckNodeCondition",)
"""The predicates that no Policy switches off.

Kubernetes 1.8 to 1.11: RegisterMandatoryFitPredicate; before, the list of nodes did the same.
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
class Weighted:
    """A priority with its weight, a positive integer. With a `label` it is CalculateAntiAffinityPriority, named at will."""

    name: str
    weight: int = 1
    label: str | None = None


DEFAULT_PRIORITIES: Final = (
    Weighted("SelectorSpreadPriority"),
    Weighted("LeastRequestedPriority"),
    Weighted("BalancedResourceAllocation"),
    Weighted("NodeAffinityPriority"),
)
"""The priorities that are on by default, each with the weight 1; ImageLocalityPriority has to be named, and
CalculateAntiAffinityPriority is never on without its argument."""


@dataclass(frozen=True)
class Classic:
    """What the scheduler goes by.

    `hard_weight` is what InterPodAffinityPriority gives a required affinity term of a pod that is there.
    `by_allocatable`: resources are compared with what is allocatable, not with the capacity. `most_volumes` is what
    KUBE_MAX_PD_VOLS says, empty where it says nothing.
    """

    predicates: tuple[str, ...] = DEFAULT_PREDICATES
    label_presence: tuple[LabelPresence, ...] = ()
    priorities: tuple[Weighted, ...] = DEFAULT_PRIORITIES
    by_allocatable: bool = False
    most_volumes: str = ""
    hard_weight: int = 1


DEFAULT: Final = Classic()
