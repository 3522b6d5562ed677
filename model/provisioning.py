"""The configuration of Karpenter as plain data: `Karpenter`. `model.controllers.karpenter` gives it its meaning.

Karpenter 1.15: pkg/apis/v1/nodepool.go, and InstanceType and Offering in pkg/cloudprovider/types.go.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from frozendict import frozendict

from schedcheck.model.pooling import numbered
from schedcheck.spec.objects import Node, Pod, Taint
from schedcheck.spec.terms import Requirement
from schedcheck.spec.values import NO_AMOUNTS, NO_LABELS, Amounts, Labels

Key = tuple[str, str]

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
CAPACITY_TYPE = "karpenter.sh/capacity-type"
NODE_POOL = "karpenter.sh/nodepool"
REGISTERED = "karpenter.sh/registered"
INITIALIZED = "karpenter.sh/initialized"

SPOT, ON_DEMAND = "spot", "on-demand"
CAPACITY_TYPES = (SPOT, ON_DEMAND)
NODES = "nodes"
"""The resource of limits that counts nodes."""

WELL_KNOWN = frozenset(
    {
        NODE_POOL,
        ZONE,
        "topology.kubernetes.io/region",
        INSTANCE_TYPE,
        "kubernetes.io/arch",
        "kubernetes.io/os",
        CAPACITY_TYPE,
        "node.kubernetes.io/windows-build",
    }
)
"""The labels that a node may have though its pool does not name them; a provider adds those of its instance types.

Karpenter 1.15: pkg/apis/v1/labels.go, WellKnownLabels.
"""

WHEN_EMPTY, WHEN_UNDERUTILIZED = "WhenEmpty", "WhenEmptyOrUnderutilized"
POLICIES = (WHEN_EMPTY, WHEN_UNDERUTILIZED)
EMPTY, UNDERUTILIZED = "Empty", "Underutilized"
REASONS = (EMPTY, UNDERUTILIZED, "Drifted", "Unhealthy")

ANY, CHEAPEST = "any", "cheapest"
LAUNCHES = (ANY, CHEAPEST)
"""The offering that a provider launches: any that is left compatible, or one of the lowest price."""


class Offering(NamedTuple):
    """A zone and a capacity type in which an instance type is offered."""

    zone: str
    capacity_type: str
    price: float
    available: bool = True


@dataclass(frozen=True)
class InstanceType:
    """An entry of the provider's catalogue."""

    name: str
    labels: Labels = NO_LABELS
    allocatable: Amounts = NO_AMOUNTS
    capacity: Amounts = NO_AMOUNTS
    """What counts towards the limits of a pool."""
    offerings: tuple[Offering, ...] = ()


@dataclass(frozen=True)
class Budget:
    """A disruption budget of a pool: a number of nodes, or a percentage as text."""

    nodes: int | str
    reasons: frozenset[str] | None = None
    """The reasons to which it applies; None for all."""


@dataclass(frozen=True)
class Pool:
    """A NodePool."""

    name: str
    weight: int = 0
    labels: Labels = NO_LABELS
    """Those of the template."""
    node_class: tuple[str, str] = ("", "")
    """The label of its node class, with the name of the class."""
    taints: tuple[Taint, ...] = ()
    startup_taints: tuple[Taint, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    limits: Amounts | None = None
    policy: str = WHEN_UNDERUTILIZED
    consolidates: bool = True
    """Whether consolidateAfter is not Never."""
    budgets: tuple[Budget, ...] = (Budget("10%"),)


@dataclass(frozen=True)
class PodFacts:
    """The fields of a pod that only Karpenter reads."""

    created: str = ""
    uid: str = ""
    do_not_disrupt: bool = False
    """The annotation karpenter.sh/do-not-disrupt: "true"."""
    critical: bool = False
    """The priority class system-cluster-critical or system-node-critical."""
    unschedulable: bool = False
    """The condition PodScheduled with the reason Unschedulable in the input."""


NO_FACTS = PodFacts()


@dataclass(frozen=True, eq=False)
class Karpenter:
    """The pools in the order in which they are tried, and the catalogue of the provider."""

    pools: tuple[Pool, ...]
    types: tuple[InstanceType, ...]
    most: int
    """The most nodes that a pool has at once in the model."""
    launch: str = ANY
    """One of `LAUNCHES`."""
    facts: Mapping[Key, PodFacts] = frozendict()
    kept: frozenset[str] = frozenset()
    """The names of nodes with the annotation karpenter.sh/do-not-disrupt: "true"."""
    file: str = ""
    """The file of the pools, for reports; empty if there is none."""
    spent: frozenset[str] = frozenset()
    """Names that no new node gets, so that a name tells one node from another after it was removed."""

    def of(self, pod: Pod) -> PodFacts:
        """Return the facts of a pod."""
        return self.facts.get(pod.key, NO_FACTS)

    def pool_of(self, node: Node) -> Pool | None:
        """Return the pool of a node; None for a node that Karpenter does not manage."""
        return self._by_name.get(node.labels.get(NODE_POOL, ""))

    def type_of(self, node: Node) -> InstanceType | None:
        """Return the instance type of a node, None if the catalogue lacks it."""
        return next((each for each in self.types if each.name == node.labels.get(INSTANCE_TYPE)), None)

    @cached_property
    def _by_name(self) -> Mapping[str, Pool]:
        return {pool.name: pool for pool in self.pools}

    @cached_property
    def provider_labels(self) -> frozenset[str]:
        """The labels of the provider's own: those that some instance type has and Karpenter does not know."""
        return frozenset(key for each in self.types for key in each.labels) - WELL_KNOWN

    @cached_property
    def well_known(self) -> frozenset[str]:
        """The well-known labels, with those of the provider."""
        return WELL_KNOWN | self.provider_labels

    def names(self, pool: Pool) -> tuple[str, ...]:
        """Return the names of the nodes that a pool may add, in the order in which it takes them."""
        return tuple(islice(numbered(pool.name, self.spent), self.most))

    def free_name(self, pool: Pool, taken: Set[str]) -> str | None:
        """Return the name of the next node of a pool; None if as many as the model has are there."""
        counted = {*self.names(pool), *islice(numbered(pool.name, frozenset()), self.most)}
        free = (name for name in self.names(pool) if name not in taken)
        return next(free, None) if len(counted & taken) < self.most else None

    def without_names(self, spent: frozenset[str]) -> "Karpenter":
        """Return the Karpenter whose new nodes get none of these names."""
        return replace(self, spent=self.spent | spent)

    def slots(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """Return the nodes of a scenario with those that may be added, in the order of their names."""
        there = {node.name: node for node in nodes}
        labels = {pool: frozendict({NODE_POOL: pool.name}) for pool in self.pools}
        added = {
            name: Node(name, labels[pool]) for pool in self.pools for name in self.names(pool) if name not in there
        }
        return tuple(sorted((*nodes, *added.values()), key=lambda node: node.name))


class Progress(NamedTuple):
    """The part of a state that only Karpenter reads."""

    unschedulable: tuple[Key, ...] = ()
    """The pending pods that the scheduler has marked as unschedulable, sorted."""
    replaced: tuple[tuple[str, str], ...] = ()
    """Each node that waits for its replacement, with the name of the replacement, sorted."""

    def marked(self, pod: Pod) -> "Progress":
        """Return the progress once the scheduler has marked a pod as unschedulable."""
        return self._replace(unschedulable=tuple(sorted({*self.unschedulable, pod.key})))

    def lasting(self, pods: tuple[Pod | None, ...]) -> "Progress":
        """Return the progress without marks of pods that are bound or gone."""
        if not self.unschedulable:
            return self
        pending = {pod.key for pod in pods if pod is not None and not pod.node_name}
        return self._replace(unschedulable=tuple(key for key in self.unschedulable if key in pending))


def with_labels(node: Node, labels: Mapping[str, str]) -> Node:
    """Return the node with these labels as well, sorted."""
    return replace(node, labels=frozendict(sorted({**node.labels, **labels}.items())))
