"""The objects that a scheduler reads: pods, nodes, namespaces, budgets, and the snapshot that holds them.

Each class is a Kubernetes object reduced to the fields that some definition reads. Every value is frozen and hashable,
so that equal values are the same state. In TLA+ a snapshot is one set of records, told apart by their `Kind`; here it
holds one sorted tuple for each kind, the canonical form of that set.

Units: a container's requests are in billionths of the resource's unit, because Kubernetes sums a pod's requests exactly
and rounds once. A node's allocatable, and every amount derived from both, is in the smallest unit of its resource
(thousandths of a cpu, bytes, counts).

Volumes and storage objects are in `storage`, resource claims and devices in `device_objects`, pod groups in
`workload_objects`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from frozendict import frozendict

from schedcheck.spec.device_objects import NO_DEVICES, Devices, PodClaim
from schedcheck.spec.storage import NO_STORAGE, Storage, Volume
from schedcheck.spec.terms import NO_AFFINITY, Affinity, LabelSelector
from schedcheck.spec.values import NO_AMOUNTS, NO_LABELS, Amounts, HashedOnce, Labels, Namespaced
from schedcheck.spec.workload_objects import GangWorkload, PodGroup, WorkloadReference


@dataclass(frozen=True)
class Taint:
    """key=value:effect, where the effect is NoSchedule, PreferNoSchedule or NoExecute."""

    key: str
    effect: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


@dataclass(frozen=True)
class Toleration:
    """A toleration of a pod. An empty key, operator or effect is one that the manifest leaves out.

    `seconds` is tolerationSeconds: how long a NoExecute taint is tolerated; None means without limit.
    """

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    seconds: int | None = None


@dataclass(frozen=True)
class HostPort:
    """A host port that a container uses. An empty `ip` means every address of the node."""

    port: int
    protocol: str = "TCP"
    ip: str = ""


@dataclass(frozen=True)
class Container:
    """A container's requests (in billionths of each resource's unit), image and ports."""

    requests: Amounts = NO_AMOUNTS
    sidecar: bool = False  # an init container with restartPolicy Always
    image: str = ""
    ports: tuple[HostPort, ...] = ()
    allocated: Amounts = NO_AMOUNTS  # what its node has set aside for it, by its status; empty if that lacks it
    actual: Amounts | None = None  # what it runs with, by its status; None if that has no resources


@dataclass(frozen=True)
class SpreadConstraint:
    """A topology spread constraint: how evenly the selected pods spread over the domains of a topology key."""

    max_skew: int
    topology_key: str
    required: bool = True  # whenUnsatisfiable: DoNotSchedule, else ScheduleAnyway
    selector: LabelSelector | None = None  # includes the requirements of matchLabelKeys; None selects no pod
    min_domains: int = 1
    affinity_honored: bool = True  # nodeAffinityPolicy Honor: nodes outside the pod's node affinity do not count
    taints_honored: bool = False  # nodeTaintsPolicy Honor: nodes with an untolerated taint do not count


@dataclass(frozen=True, eq=True)
class Pod(HashedOnce, Namespaced):
    """A pod, reduced to the fields that some definition reads."""

    name: str
    namespace: str = "default"
    labels: Labels = NO_LABELS
    node_name: str = ""  # empty while the pod is not bound
    phase: str = "Pending"  # Pending, Running, Succeeded or Failed
    priority: int = 0
    preemption_policy: str = "PreemptLowerPriority"
    scheduler_name: str = "default-scheduler"
    node_selector: Labels = NO_LABELS
    affinity: Affinity = NO_AFFINITY
    tolerations: tuple[Toleration, ...] = ()
    init_containers: tuple[Container, ...] = ()
    containers: tuple[Container, ...] = ()
    overhead: Amounts = NO_AMOUNTS
    pod_requests: Amounts = NO_AMOUNTS
    pod_allocated: Amounts = NO_AMOUNTS  # what its node has set aside for the whole pod, by its status
    pod_actual: Amounts | None = None  # what the whole pod runs with, by its status; None if that has no resources
    owner: tuple[str, str] = ("", "")  # kind (qualified as in `spec.owners`) and name of its controller, or empty
    terminating: bool = False  # has a deletionTimestamp; the object exists until its node has ended it
    spread: tuple[SpreadConstraint, ...] = ()
    host_network: bool = False
    scheduling_gates: tuple[str, ...] = ()
    nominated_node_name: str = ""
    start_time: int | None = None  # in microseconds since 1970
    empty_node_selector: bool = False  # a nodeSelector is present, and empty
    resize_infeasible: bool = False  # its node cannot provide the resources to which it is to be resized
    preempted: bool = False  # has the condition DisruptionTarget with reason PreemptionByScheduler
    volumes: tuple[Volume, ...] = ()
    resource_claims: tuple[PodClaim, ...] = ()
    annotated_affinity: Affinity = NO_AFFINITY  # the annotation scheduler.alpha.kubernetes.io/affinity
    template_node_name: str = ""  # nodeName in its owner's pod template; a pod made from it is never scheduled
    owner_uid: str = ""  # the uid of its controller; only the early scheduler reads it
    required_features: frozenset[str] = frozenset()  # the features that its fields require of the kubelet
    workload: WorkloadReference | None = None  # the pod group to which it refers, in 1.35
    scheduling_group: str = ""  # the PodGroup of its namespace to which it belongs, since 1.36; empty for none
    waits_on: str = ""  # the node for which it waits on permit: the scheduler counts it there, and has not bound it
    uid: str = ""  # tells apart pods that have the same name one after the other; empty if a model does not need it
    restarts: tuple[int, int] = (0, 0)  # of containers and of init containers, as far as a descheduler counts them

    __hash__ = HashedOnce.__hash__

    @property
    def identity(self) -> tuple[str, ...]:
        """The pod's unique key: namespace and name, and the uid if it is known."""
        return (*self.key, self.uid) if self.uid else self.key


@dataclass(frozen=True)
class NodeImage:
    """A container image on a node: its names there, and its size in bytes."""

    names: tuple[str, ...]
    size: int


@dataclass(frozen=True, eq=True)
class Node(HashedOnce):
    """A node, reduced to the fields that some definition reads."""

    name: str
    labels: Labels = NO_LABELS
    allocatable: Amounts = NO_AMOUNTS  # in the smallest unit of each resource
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    phase: str = ""  # empty on every node of a real cluster
    ready: str = "True"  # status of the condition Ready: True, False or Unknown; no scheduler of today reads it
    images: tuple[NodeImage, ...] = ()
    capacity: Amounts = NO_AMOUNTS  # empty if equal to allocatable; only the early scheduler reads it
    conditions: Labels = NO_LABELS  # status by type, unless False; only the early scheduler reads them
    declared_features: frozenset[str] = frozenset()  # the features that its kubelet declares
    avoids: tuple[tuple[str, str], ...] = ()  # kind and uid of the controllers whose pods an annotation asks to avoid

    __hash__ = HashedOnce.__hash__

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Namespace:
    """A namespace, with the labels that namespace selectors match."""

    name: str
    labels: Labels = NO_LABELS


@dataclass(frozen=True)
class PodDisruptionBudget(Namespaced):
    """The number of selected pods that must stay healthy during voluntary disruptions."""

    name: str
    namespace: str = "default"
    selector: LabelSelector | None = None
    min_available: int | str | None = None  # a count, or a percentage as text ("50%")
    max_unavailable: int | str | None = None  # likewise; at most one of the two is set
    expected: int = 0  # the number of pods that their owners' scales ask for
    disruptions_allowed: int = 0  # from the status, which may be out of date
    disrupted: frozenset[str] = frozenset()  # names of the pods whose eviction the status already accounts for


@dataclass(frozen=True)
class Service:
    """A Service and the pod labels that it selects; an empty selector selects no pod."""

    name: str
    namespace: str = "default"
    selector: Labels = NO_LABELS


@dataclass(frozen=True)
class Controller:
    """A ReplicationController, ReplicaSet or StatefulSet, with the selector of its pods."""

    kind: str
    name: str
    namespace: str = "default"
    selector: LabelSelector | None = None


@dataclass(frozen=True, eq=True)
class Snapshot(HashedOnce):
    """All objects at one moment: nodes and namespaces ordered by name, all others by namespace and name.

    Services and controllers serve only the default constraints of topology spread, and are empty in every state of a
    model. `storage` holds the storage objects, `devices` the objects of dynamic resource allocation, `workloads` the
    policies of pod groups in 1.35, `pod_groups` the PodGroups of later versions.
    """

    pods: tuple[Pod, ...] = ()
    nodes: tuple[Node, ...] = ()
    namespaces: tuple[Namespace, ...] = ()
    budgets: tuple[PodDisruptionBudget, ...] = ()
    services: tuple[Service, ...] = ()
    controllers: tuple[Controller, ...] = ()
    storage: Storage = NO_STORAGE
    devices: Devices = NO_DEVICES
    workloads: tuple[GangWorkload, ...] = ()
    pod_groups: tuple[PodGroup, ...] = ()

    __hash__ = HashedOnce.__hash__

    @classmethod
    def of(cls, pods: Iterable[Pod] = (), nodes: Iterable[Node] = (), namespaces: Iterable[Namespace] = ()) -> Self:
        """Build a snapshot from these objects, given in any order; equal objects count once."""
        return cls(
            tuple(sorted(pods, key=lambda pod: pod.key)),
            tuple(sorted(nodes, key=lambda node: node.name)),
            tuple(sorted(namespaces, key=lambda namespace: namespace.name)),
        )

    def __sub__(self, victims: frozenset[Pod]) -> "Snapshot":
        r"""Return the snapshot without these pods: Objects \ Victims in TLA+."""
        kept = tuple(pod for pod in self.pods if pod not in victims)
        rest = (
            self.namespaces,
            self.budgets,
            self.services,
            self.controllers,
            self.storage,
            self.devices,
            self.workloads,
            self.pod_groups,
        )
        return Snapshot(kept, self.nodes, *rest)

    def __contains__(self, thing: Pod | Node) -> bool:
        r"""Whether the snapshot holds the pod or node. TLA+ writes Pod \in Pods(Snapshot), Node \in Nodes(Snapshot)."""
        return thing in self._members

    @cached_property
    def _members(self) -> frozenset[Pod | Node]:
        return frozenset[Pod | Node]().union(self.pods, self.nodes)

    @cached_property
    def pods_by_node(self) -> frozendict[str, tuple[Pod, ...]]:
        """An index of the pods by nodeName. The node need not exist; pods without a nodeName are left out."""
        index: dict[str, list[Pod]] = {}
        for pod in self.pods:
            if pod.node_name:
                index.setdefault(pod.node_name, []).append(pod)
        return frozendict({name: tuple(pods) for name, pods in index.items()})

    @cached_property
    def pods_by_nomination(self) -> frozendict[str, tuple[Pod, ...]]:
        """An index of the pods by nominatedNodeName. Pods that are not nominated are left out."""
        index: dict[str, list[Pod]] = {}
        for pod in self.pods:
            if pod.nominated_node_name:
                index.setdefault(pod.nominated_node_name, []).append(pod)
        return frozendict({name: tuple(pods) for name, pods in index.items()})

    @cached_property
    def budgets_by_namespace(self) -> frozendict[str, tuple[PodDisruptionBudget, ...]]:
        """An index of the budgets by namespace."""
        index: dict[str, list[PodDisruptionBudget]] = {}
        for budget in self.budgets:
            index.setdefault(budget.namespace, []).append(budget)
        return frozendict({name: tuple(budgets) for name, budgets in index.items()})

    def budgets_over(self, pods: Iterable[Pod]) -> tuple[PodDisruptionBudget, ...]:
        """Return the budgets in the namespaces of these pods, in order. No other budget can protect any of them."""
        there = sorted({pod.namespace for pod in pods})
        return tuple(budget for namespace in there for budget in self.budgets_by_namespace.get(namespace, ()))
