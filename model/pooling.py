"""The configuration of node pools as plain data: `NodePools`. `model.controllers.node_pools` gives it its meaning."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from itertools import count, islice

from frozendict import frozendict

from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.owners import version_and_kind

Key = tuple[str, str]

HOSTNAME = "kubernetes.io/hostname"
LABEL = "node-pool"
"""The label by which nodes belong to pools, unless the document names another."""

AGAIN = " (again)"
"""What the name of a pod ends with that is going to be created again, while the pod itself is still there."""

TAINTED, REMOVED = "tainted", "removed"
DRAINED_NODES = (TAINTED, REMOVED)
"""How the simulation of a removal sees the drained node: tainted and without pods, or not at all."""


@dataclass(frozen=True)
class PodFacts:
    """The fields of a pod that only the autoscaler reads."""

    safe_to_evict: str = ""
    """The annotation cluster-autoscaler.kubernetes.io/safe-to-evict."""
    local_storage: bool = False
    """A local volume that the annotation safe-to-evict-local-volumes does not name."""
    daemon: bool = False
    """The annotation cluster-autoscaler.kubernetes.io/daemonset-pod."""
    mirror: bool = False
    """The annotation kubernetes.io/config.mirror."""


NO_FACTS = PodFacts()


@dataclass(frozen=True)
class NodePool:
    """A pool: its limits, the threshold of its nodes, and the node that it adds."""

    name: str
    least: int
    most: int
    template: Node
    """Its name is that of the pool, and it has no hostname."""
    threshold: float = 0.5
    """The greatest utilisation of a node that may be removed."""
    spent: frozenset[str] = frozenset()
    """Names that no new node gets, so that a name tells one node from another after it was removed."""

    def fresh(self, name: str) -> Node:
        """Return a new node of the pool, which has the label of its hostname."""
        labels = {**self.template.labels, HOSTNAME: name}
        return replace(self.template, name=name, labels=frozendict(sorted(labels.items())))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the nodes that the pool may add, in the order in which it takes them."""
        return tuple(islice(numbered(self.name, self.spent), self.most))


def numbered(name: str, spent: Set[str]) -> Iterator[str]:
    """Yield the names of the nodes of a pool, NAME-1, NAME-2 …, without those that are spent."""
    return (made for number in count(1) if (made := f"{name}-{number}") not in spent)


@dataclass(frozen=True, eq=False)
class NodePools:
    """The pools of a cluster autoscaler, in the order of their names."""

    pools: tuple[NodePool, ...]
    label: str = LABEL
    drained: str = TAINTED
    """One of `DRAINED_NODES`."""
    facts: Mapping[Key, PodFacts] = frozendict()
    """By namespace and name."""
    kept: frozenset[str] = frozenset()
    """The names of nodes with the annotation cluster-autoscaler.kubernetes.io/scale-down-disabled."""
    file: str = ""
    """The file of the pools, for reports; empty if there is none."""

    def of(self, pod: Pod) -> PodFacts:
        """Return the facts of a pod, or of the pod that it is going to be again."""
        return self.facts.get((pod.namespace, pod.name.removesuffix(AGAIN)), NO_FACTS)

    def pool_of(self, node: Node) -> NodePool | None:
        """Return the pool of a node; None if its label names none."""
        return next((pool for pool in self.pools if pool.name == node.labels.get(self.label)), None)

    def without_names(self, spent: frozenset[str]) -> "NodePools":
        """Return the pools whose new nodes get none of these names."""
        return replace(self, pools=tuple(replace(each, spent=each.spent | spent) for each in self.pools))

    def slots(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """Return the nodes of a scenario with those that a pool may add, in the order of their names."""
        there = {node.name: node for node in nodes}
        added = {name: pool.fresh(name) for pool in self.pools for name in pool.names if name not in there}
        return tuple(sorted((*nodes, *added.values()), key=lambda node: node.name))


def daemon(pod: Pod, facts: PodFacts) -> bool:
    """Whether the autoscaler takes a pod for one of a DaemonSet.

    Cluster autoscaler 1.34: cluster-autoscaler/utils/pod/pod.go, IsDaemonSetPod.
    """
    return facts.daemon or version_and_kind(pod.owner[0])[1] == "DaemonSet"
