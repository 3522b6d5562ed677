"""The configuration of the early scheduler, `Classic`: predicates and priorities with their arguments, and defaults.

Kubernetes 1.6: plugin/pkg/scheduler/algorithmprovider/defaults/defaults.go.

Not modelled: CheckServiceAffinity, MaxCSIVolumeCountPred and EvenPodsSpread; the preference of labels; extenders.
InterPodAffinityPriority, NodePreferAvoidPodsPriority and TaintTolerationPriority are on by default there, but not in
the documentation (docs/errata.md); here a Policy must name them.
"""

from dataclasses import dataclass
from typing import Final

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
class Weighted:
    """A priority with its weight, a positive integer. With a `label` it is CalculateAntiAffinityPriority."""

    name: str
    weight: int = 1
    label: str | None = None


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
    """A configuration of the early scheduler: the enabled predicates and priorities, and their arguments."""

    predicates: tuple[str, ...] = DEFAULT_PREDICATES
    label_presence: tuple[LabelPresence, ...] = ()
    priorities: tuple[Weighted, ...] = DEFAULT_PRIORITIES
    by_allocatable: bool = False  # requests are compared with allocatable instead of capacity
    most_volumes: str = ""  # the value of KUBE_MAX_PD_VOLS, or empty
    hard_weight: int = 1  # of a required affinity term of an existing pod in InterPodAffinityPriority


DEFAULT: Final = Classic()
