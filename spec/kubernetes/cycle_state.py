"""The CycleState of kube-scheduler: the pod of a cycle, and what the plugins count in the cluster at PreFilter.

Kubernetes 1.34: pkg/scheduler/framework/cycle_state.go.
"""

from dataclasses import dataclass
from functools import cached_property

from frozendict import frozendict

from schedcheck.spec.kubernetes import default_spread
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import Near, near
from schedcheck.spec.kubernetes.filters.pod_topology_spread import Counts, counts, required
from schedcheck.spec.kubernetes.filters.volume_restrictions import in_use
from schedcheck.spec.kubernetes.filters.volume_zone import Topology, topologies
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.storage import Storage
from schedcheck.spec.volumes.binding import Claims, claims_of


@dataclass(frozen=True)
class CycleState:
    """The pod of a cycle, the nodes to filter, and what the plugins count in the cluster.

    The plugins count over the nodes in `cluster`, and each count is computed only when it is needed.
    """

    pod: Pod
    snapshot: Snapshot
    plugins: Plugins
    infos: tuple[NodeInfo, ...]
    cluster: tuple[NodeInfo, ...]

    @cached_property
    def nominated(self) -> frozendict[str, tuple[Pod, ...]]:
        """The nominated pods that the filters have to take into account, by node."""
        return nominated(self.pod, self.snapshot)

    @cached_property
    def spread(self) -> tuple[Counts, ...]:
        """The counts of matching pods in each domain, for each DoNotSchedule constraint of the pod."""
        return tuple(counts(constraint, self.spreading, self.cluster) for constraint in required(self.spreading))

    @cached_property
    def around(self) -> Near:
        """The counts of InterPodAffinity: which domains hold pods that matter for the pod."""
        return near(self.pod, self.cluster, self.snapshot, self.plugins.departures)

    @cached_property
    def in_use(self) -> int:
        """The number of the pod's ReadWriteOncePod claims that are already in use."""
        return in_use(self.pod, self.cluster, self.storage)

    @cached_property
    def claims(self) -> Claims:
        """The pod's volume claims."""
        return claims_of(self.pod, self.storage)

    @cached_property
    def zones(self) -> tuple[Topology, ...]:
        """The topology labels of the pod's volumes."""
        return topologies(self.pod, self.storage)

    @property
    def storage(self) -> Storage:
        """The storage objects of the cluster."""
        return self.snapshot.storage

    @cached_property
    def spreading(self) -> Pod:
        """The pod with its topology spread constraints, or the default ones if it has none."""
        return default_spread.constrained(self.pod, self.snapshot, self.plugins.arguments)


def nominated(pod: Pod, snapshot: Snapshot) -> frozendict[str, tuple[Pod, ...]]:
    r"""Return the other unbound pods of equal or higher priority that are nominated to a node, by node.

    TLA+: Nominated(Pod, Node, Snapshot) ==
            {Other \in Pods(Snapshot) :
              /\ Other.Status.NominatedNodeName = Node.Name
              /\ Other.Spec.NodeName = ""
              /\ Identity(Other) # Identity(Pod)
              /\ Other.Spec.Priority >= Pod.Spec.Priority}
    """
    found: dict[str, tuple[Pod, ...]] = {}
    for other in snapshot.pods:
        waits = other.nominated_node_name != "" and other.node_name == "" and other.key != pod.key
        if waits and other.priority >= pod.priority:
            found[other.nominated_node_name] = (*found.get(other.nominated_node_name, ()), other)
    return frozendict(found)
