"""The configuration of a descheduler as plain data: `Descheduler`. `model.controllers.descheduler` gives it its meaning.

descheduler 0.36: pkg/api/v1alpha2/types.go, and types.go of each plugin in pkg/framework/plugins.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.spec.objects import Pod
from schedcheck.spec.owners import version_and_kind
from schedcheck.spec.terms import LabelSelector

Key = tuple[str, str]

EVERYTHING = LabelSelector()
"""The selector that selects everything."""

SYSTEM_CRITICAL = 2_000_000_000
"""The priority from which a pod is critical to the system."""

PHASES = frozenset({"Pending", "Running", "Succeeded", "Failed", "Unknown"})
"""The phases of pods."""

DEFAULT_PROTECTIONS = ("PodsWithLocalStorage", "SystemCriticalPods", "FailedBarePods", "DaemonSetPods")
EXTRA_PROTECTIONS = ("PodsWithPVC", "PodsWithoutPDB", "PodsWithResourceClaims")


@dataclass(frozen=True)
class Condition:
    """A condition of a pod."""

    type: str
    status: str
    reason: str = ""
    dated: bool = False
    """Whether it has a lastTransitionTime."""


@dataclass(frozen=True)
class Status:
    """What the descheduler reads of the status of a pod."""

    phase: str
    reason: str = ""
    containers: frozenset[str] = frozenset()
    """The reasons for which containers wait or have ended."""
    init_containers: frozenset[str] = frozenset()
    ephemeral_containers: frozenset[str] = frozenset()
    exit_codes: frozenset[int] = frozenset()
    """Those of the containers that have ended."""
    init_exit_codes: frozenset[int] = frozenset()
    conditions: tuple[Condition, ...] = ()
    started: int | None = None
    """The field startTime, by which a later pod of the same name is told apart, in microseconds since 1970."""


@dataclass(frozen=True)
class Facts:
    """The fields of a pod that only the descheduler reads."""

    owners: tuple[tuple[str, str, str], ...] = ()
    """Kind, name and uid of each owner reference."""
    evict: bool = False
    """The annotation descheduler.alpha.kubernetes.io/evict."""
    prefers_no_eviction: bool = False
    """The annotation descheduler.alpha.kubernetes.io/prefer-no-eviction."""
    mirror: bool = False
    """The annotation kubernetes.io/config.mirror."""
    static: bool = False
    """The annotation kubernetes.io/config.source with another value than `api`."""
    local_storage: bool = False
    """A volume that is an emptyDir or a hostPath."""
    restarts: tuple[int, int] = (0, 0)
    """How often its containers and its init containers have restarted, by its status."""
    qos: int = 0
    """The QoS class: 0 for BestEffort, 1 for Burstable, 2 for Guaranteed."""
    status: Status | None = None
    """The status of a pod on a node; None if it had no node."""


@dataclass(frozen=True)
class Namespaces:
    """The namespaces of which a plugin considers the pods; without any it considers all."""

    include: frozenset[str] = frozenset()
    exclude: frozenset[str] = frozenset()


EVERY_NAMESPACE = Namespaces()


@dataclass(frozen=True)
class Evictor:
    """The arguments of the plugin DefaultEvictor."""

    protections: frozenset[str] = frozenset(DEFAULT_PROTECTIONS)
    protected_classes: frozenset[str] = frozenset()
    """The storage classes that PodsWithPVC protects; all if empty."""
    threshold: int = SYSTEM_CRITICAL
    node_fit: bool = False
    node_selector: LabelSelector = EVERYTHING
    label_selector: LabelSelector | None = None
    namespace_selector: LabelSelector | None = None
    min_replicas: int = 0
    no_eviction_mandatory: bool = False


DEFAULT_EVICTOR = Evictor()


@dataclass(frozen=True)
class RemoveDuplicates:
    """The arguments of the plugin RemoveDuplicates."""

    namespaces: Namespaces = EVERY_NAMESPACE
    exclude_owner_kinds: frozenset[str] = frozenset()


@dataclass(frozen=True)
class NodeAffinity:
    """The arguments of the plugin RemovePodsViolatingNodeAffinity."""

    kinds: tuple[str, ...]
    """"required" and "preferred", in the order of nodeAffinityType."""
    namespaces: Namespaces = EVERY_NAMESPACE
    selector: LabelSelector | None = None


@dataclass(frozen=True)
class NodeTaints:
    """The arguments of the plugin RemovePodsViolatingNodeTaints."""

    namespaces: Namespaces = EVERY_NAMESPACE
    selector: LabelSelector | None = None
    prefer_no_schedule: bool = False
    excluded: frozenset[str] = frozenset()
    included: frozenset[str] | None = None
    """None includes every taint, an empty set none."""


@dataclass(frozen=True)
class InterPodAntiAffinity:
    """The arguments of the plugin RemovePodsViolatingInterPodAntiAffinity."""

    namespaces: Namespaces = EVERY_NAMESPACE
    selector: LabelSelector | None = None


Thresholds = Mapping[str, float]
"""Percentages by resource."""

NO_THRESHOLDS: Thresholds = frozendict()


@dataclass(frozen=True)
class Utilization:
    """The arguments of the plugins HighNodeUtilization (`empties`) and LowNodeUtilization."""

    empties: bool
    thresholds: Thresholds
    targets: Thresholds = NO_THRESHOLDS
    """Of LowNodeUtilization; empty for HighNodeUtilization."""
    number: int = 0
    """Nothing is done unless more nodes than these are little used."""
    excluded: frozenset[str] = frozenset()
    """The namespaces whose pods are not evicted."""
    only_thresholding: bool = False
    """Whether HighNodeUtilization evicts only pods that request a resource with a threshold."""
    most: int | None = None
    """The most evictions of LowNodeUtilization from one node."""


@dataclass(frozen=True)
class TopologySpread:
    """The arguments of the plugin RemovePodsViolatingTopologySpreadConstraint."""

    namespaces: Namespaces = EVERY_NAMESPACE
    selector: LabelSelector | None = None
    actions: frozenset[str] = frozenset({"DoNotSchedule"})
    """The constraints that count, by their whenUnsatisfiable."""
    node_fit: bool = True
    """Whether a pod stays that fits on no node of a domain that needs pods."""


@dataclass(frozen=True)
class ConditionFilter:
    """A condition that PodLifeTime looks for; an empty field is any."""

    type: str = ""
    status: str = ""
    reason: str = ""
    aged: bool = False
    """Whether the condition must have lasted for some time, which is any time."""


@dataclass(frozen=True)
class PodLifeTime:
    """The arguments of the plugin PodLifeTime; its limit is any time."""

    namespaces: Namespaces = EVERY_NAMESPACE
    selector: LabelSelector | None = None
    owner_kinds: frozenset[str] = frozenset()
    """The kinds of which a pod must have an owner; all if empty."""
    exclude_owner_kinds: frozenset[str] = frozenset()
    aged: bool = True
    """Whether there is a limit."""
    states: frozenset[str] = frozenset()
    conditions: tuple[ConditionFilter, ...] = ()
    exit_codes: frozenset[int] = frozenset()
    with_init_containers: bool = False
    with_ephemeral_containers: bool = False
    ended: bool = False
    """Whether pods that have ended are considered. The descheduler does; the twin in tla/ leaves them out."""

    @property
    def of_status(self) -> bool:
        """Whether the plugin looks at more of a status than its age."""
        return bool(self.states or self.conditions or self.exit_codes)


@dataclass(frozen=True)
class RemoveFailedPods:
    """The arguments of the plugin RemoveFailedPods; its least age is any time."""

    namespaces: Namespaces = EVERY_NAMESPACE
    selector: LabelSelector | None = None
    exclude_owner_kinds: frozenset[str] = frozenset()
    reasons: frozenset[str] = frozenset()
    """The reasons of which a pod or a container must have one; any if empty."""
    exit_codes: frozenset[int] = frozenset()
    with_init_containers: bool = False
    aged: bool = False
    """Whether there is a least age."""


@dataclass(frozen=True)
class TooManyRestarts:
    """The arguments of the plugin RemovePodsHavingTooManyRestarts."""

    threshold: int
    namespaces: Namespaces = EVERY_NAMESPACE
    selector: LabelSelector | None = None
    with_init_containers: bool = False


Arguments = (
    RemoveDuplicates
    | NodeAffinity
    | NodeTaints
    | InterPodAntiAffinity
    | Utilization
    | TopologySpread
    | PodLifeTime
    | TooManyRestarts
    | RemoveFailedPods
)


@dataclass(frozen=True)
class Run:
    """One plugin of one profile, with the evictor of the profile."""

    plugin: str
    arguments: Arguments
    evictor: Evictor = DEFAULT_EVICTOR


@dataclass(frozen=True, eq=False)
class Descheduler:
    """A descheduler: its plugins in the order in which a cycle runs them, and its limits."""

    runs: tuple[Run, ...]
    node_selector: LabelSelector = EVERYTHING
    per_node: int | None = None
    per_namespace: int | None = None
    total: int | None = None
    facts: Mapping[Key, Facts] = frozendict()
    """By namespace and name; a pod that is absent has no owner but its controller."""
    others: Mapping[str, int] = frozendict()
    """The number of pods of each owner, by its uid, that the scenario lacks, as they have ended or are not scheduled."""
    most_restarts: int | None = None
    """The number of restarts from which none is told apart; None if pods do not restart in the scenario."""
    file: str = ""
    """The file of the policy, for reports; empty if there is none."""

    @property
    def threshold(self) -> int:
        """Return the greatest threshold of restarts; 0 if no plugin counts them."""
        given = (run.arguments for run in self.runs)
        return max((each.threshold for each in given if isinstance(each, TooManyRestarts)), default=0)

    @property
    def reads_statuses(self) -> bool:
        """Whether a plugin looks at the statuses of containers, at conditions or at reasons."""
        given = [run.arguments for run in self.runs]
        by_failure = [each for each in given if isinstance(each, RemoveFailedPods)]
        ageing = [each for each in given if isinstance(each, PodLifeTime)]
        more = (each for each in ageing if each.conditions or each.exit_codes or each.states - PHASES)
        return next(more, None) is not None or any(each.reasons or each.exit_codes for each in by_failure)

    def of(self, pod: Pod) -> Facts:
        """Return the facts of a pod."""
        found = self.facts.get(pod.key)
        if found is not None:
            return found
        kind, name = pod.owner
        return Facts(((version_and_kind(kind)[1], name, pod.owner_uid),) if kind else ())
