"""What a scheduler looks at: pods, nodes, namespaces, budgets, and the snapshot that holds them.

Each class is a Kubernetes object cut down to what some definition reads; every value is frozen and hashable, so that
equality of values is identity of states. In TLA+ a snapshot is one set of records told apart by their `Kind`; here it
holds a sorted tuple a kind, which is the same set in its one canonical order.

Units: what a container requests is kept in billionths of the resource's unit, because Kubernetes sums a pod's
requests exactly and rounds once; a node's allocatable, and every amount derived from the two, is in the smallest unit
of its resource (thousandths of a cpu, bytes, counts).

Volumes and what is behind them are in `storage`. Not modelled: resource claims but their names.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from frozendict import frozendict

from schedcheck.spec.storage import NO_STORAGE, Storage, Volume
from schedcheck.spec.terms import NO_AFFINITY, Affinity, LabelSelector
from schedcheck.spec.values import NO_AMOUNTS, NO_LABELS, Amounts, HashedOnce, Labels, Namespaced


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
    """What a pod tolerates. An empty key, operator or effect is one that the manifest leaves out.

    `seconds` is tolerationSeconds: how long a NoExecute taint is borne, None for ever.
    """

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    seconds: int | None = None


@dataclass(frozen=True)
class HostPort:
    """A port of the node that a container takes. An empty `ip` is every address of the node."""

    port: int
    protocol: str = "TCP"
    ip: str = ""


@dataclass(frozen=True)
class Container:
    """A container's requests, in billionths of each resource's unit.

    `sidecar` marks an init container with restartPolicy Always, which goes on beside the others. `running` is what its
    status says that it was given and runs with, the greater of both; None if the status does not say.
    """

    requests: Amounts = NO_AMOUNTS
    sidecar: bool = False
    image: str = ""
    ports: tuple[HostPort, ...] = ()
    running: Amounts | None = None


@dataclass(frozen=True)
class SpreadConstraint:
    """How evenly the pods of a selection are to be spread over the domains of a topology key.

    `required` is whenUnsatisfiable DoNotSchedule, else ScheduleAnyway. The label keys of matchLabelKeys are
    requirements of the selector already; None selects no pod. The two flags are the policies Honor of nodeAffinityPolicy
    and nodeTaintsPolicy: whether nodes count that the pod's node affinity, or a taint, keeps it from.
    """

    max_skew: int
    topology_key: str
    required: bool = True
    selector: LabelSelector | None = None
    min_domains: int = 1
    affinity_honored: bool = True
    taints_honored: bool = False


@dataclass(frozen=True, eq=True)
class Pod(HashedOnce, Namespaced):
    """A pod. `node_name` is empty while it is not bound; `phase` is Pending, Running, Succeeded or Failed.

    `owner` is the kind (as `spec.owners` qualifies it) and the name of its controller; empty strings where it has none.
    `terminating` says that it is deleted, and still there until its node has ended it. `start_time` is in
    microseconds since 1970, None if it has none. `empty_node_selector`: its node selector is there, and empty. `resize_infeasible`: what it is to be resized to, its node cannot
    give. `preempted`: it is ended for the sake of another pod. `resource_claims` are the names that the pod gives the devices that it claims.
    `annotated_affinity` is what the annotation scheduler.alpha.kubernetes.io/affinity says where `affinity` is silent;
    only the scheduler of that time reads it. `template_node_name` is the node that the template of its owner names: every pod made
    from that template names it from the beginning, and no scheduler takes it up. `uid` tells apart those that had one name after each other; it is empty where
    nobody looks on for so long.
    """

    name: str
    namespace: str = "default"
    labels: Labels = NO_LABELS
    node_name: str = ""
    phase: str = "Pending"
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
    owner: tuple[str, str] = ("", "")
    terminating: bool = False
    spread: tuple[SpreadConstraint, ...] = ()
    host_network: bool = False
    scheduling_gates: tuple[str, ...] = ()
    nominated_node_name: str = ""
    start_time: int | None = None
    empty_node_selector: bool = False
    resize_infeasible: bool = False
    preempted: bool = False
    volumes: tuple[Volume, ...] = ()
    resource_claims: tuple[str, ...] = ()
    annotated_affinity: Affinity = NO_AFFINITY
    template_node_name: str = ""
    uid: str = ""

    __hash__ = HashedOnce.__hash__

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells it from every other pod: namespace and name, and its uid if that is known."""
        return (*self.key, self.uid) if self.uid else self.key


@dataclass(frozen=True)
class NodeImage:
    """An image that a node holds: the names that it goes by there, and its size in bytes."""

    names: tuple[str, ...]
    size: int


@dataclass(frozen=True, eq=True)
class Node(HashedOnce):
    """A node. `allocatable` is in smallest units; `phase` is empty on every node of a real cluster.

    `ready` is the status of its condition Ready, True, False or Unknown, which no scheduler of today looks at: what
    does not run well is tainted by the node lifecycle controller. `conditions` are the statuses of its other conditions
    by their types, of those that are not False. `capacity` is empty where it is what is allocatable. `avoids` says that an
    annotation asks to keep pods of some controllers away. These three only the scheduler of old looks at.
    """

    name: str
    labels: Labels = NO_LABELS
    allocatable: Amounts = NO_AMOUNTS
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    phase: str = ""
    ready: str = "True"
    images: tuple[NodeImage, ...] = ()
    capacity: Amounts = NO_AMOUNTS
    conditions: Labels = NO_LABELS
    avoids: bool = False

    __hash__ = HashedOnce.__hash__

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Namespace:
    """A namespace, for the selectors that choose namespaces by label."""

    name: str
    labels: Labels = NO_LABELS


@dataclass(frozen=True)
class PodDisruptionBudget(Namespaced):
    """How many pods of a selection must stay healthy when somebody evicts of his own free will.

    `min_available` and `max_unavailable` are a count, or a percentage as text ("50%"); at most one is given.
    `expected` is how many pods there ought to be, by the scale of their owners. `disruptions_allowed` is what the
    status says, which may be out of date, and `disrupted` names the pods whose eviction it has counted already.
    """

    name: str
    namespace: str = "default"
    selector: LabelSelector | None = None
    min_available: int | str | None = None
    max_unavailable: int | str | None = None
    expected: int = 0
    disruptions_allowed: int = 0
    disrupted: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Service:
    """A service and the labels of the pods that it sends to; without any it selects none."""

    name: str
    namespace: str = "default"
    selector: Labels = NO_LABELS


@dataclass(frozen=True)
class Controller:
    """A ReplicationController, ReplicaSet or StatefulSet, and which pods are its own."""

    kind: str
    name: str
    namespace: str = "default"
    selector: LabelSelector | None = None


@dataclass(frozen=True, eq=True)
class Snapshot(HashedOnce):
    """The objects at one moment: nodes and namespaces by name, all others by namespace and name, in order.

    Services and controllers are there for the default of topology spread, and empty in every state of a model. `storage`
    holds what volumes go by.
    """

    pods: tuple[Pod, ...] = ()
    nodes: tuple[Node, ...] = ()
    namespaces: tuple[Namespace, ...] = ()
    budgets: tuple[PodDisruptionBudget, ...] = ()
    services: tuple[Service, ...] = ()
    controllers: tuple[Controller, ...] = ()
    storage: Storage = NO_STORAGE

    __hash__ = HashedOnce.__hash__

    @classmethod
    def of(cls, pods: Iterable[Pod] = (), nodes: Iterable[Node] = (), namespaces: Iterable[Namespace] = ()) -> Self:
        """The snapshot of these objects, given in any order; each object once."""
        return cls(
            tuple(sorted(pods, key=lambda pod: pod.key)),
            tuple(sorted(nodes, key=lambda node: node.name)),
            tuple(sorted(namespaces, key=lambda namespace: namespace.name)),
        )

    def __sub__(self, victims: frozenset[Pod]) -> "Snapshot":
        r"""The snapshot without these pods: Objects \ Victims in TLA+."""
        kept = tuple(pod for pod in self.pods if pod not in victims)
        return Snapshot(kept, self.nodes, self.namespaces, self.budgets, self.services, self.controllers, self.storage)

    def __contains__(self, thing: Pod | Node) -> bool:
        r"""Whether the pod or node is one of the snapshot's. TLA+ writes Pod \in Pods(Snapshot), Node \in Nodes(Snapshot)."""
        return thing in self._members

    @cached_property
    def _members(self) -> frozenset[Pod | Node]:
        return frozenset[Pod | Node]().union(self.pods, self.nodes)

    @cached_property
    def pods_by_node(self) -> frozendict[str, tuple[Pod, ...]]:
        """The pods that name each node, an index over `pods`; the node need not exist. Pods that name none are left out."""
        index: dict[str, list[Pod]] = {}
        for pod in self.pods:
            if pod.node_name:
                index.setdefault(pod.node_name, []).append(pod)
        return frozendict({name: tuple(pods) for name, pods in index.items()})

    @cached_property
    def pods_by_nomination(self) -> frozendict[str, tuple[Pod, ...]]:
        """The pods that are nominated to each node, an index over `pods`."""
        index: dict[str, list[Pod]] = {}
        for pod in self.pods:
            if pod.nominated_node_name:
                index.setdefault(pod.nominated_node_name, []).append(pod)
        return frozendict({name: tuple(pods) for name, pods in index.items()})

    @cached_property
    def budgets_by_namespace(self) -> frozendict[str, tuple[PodDisruptionBudget, ...]]:
        """The budgets in each namespace, an index over `budgets`."""
        index: dict[str, list[PodDisruptionBudget]] = {}
        for budget in self.budgets:
            index.setdefault(budget.namespace, []).append(budget)
        return frozendict({name: tuple(budgets) for name, budgets in index.items()})

    def budgets_over(self, pods: Iterable[Pod]) -> tuple[PodDisruptionBudget, ...]:
        """The budgets in the namespaces of these pods, in order: no other can protect one of them."""
        there = sorted({pod.namespace for pod in pods})
        return tuple(budget for namespace in there for budget in self.budgets_by_namespace.get(namespace, ()))
