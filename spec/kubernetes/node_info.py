"""A node with its pods, including those added or removed for a trial: `NodeInfo`, `node_infos`.

Kubernetes 1.34: NodeInfo in pkg/scheduler/framework/types.go.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from frozendict import frozendict

from schedcheck.spec.binding import occupants
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.requests import occupied
from schedcheck.spec.objects import HostPort, Node, Pod, Snapshot
from schedcheck.spec.values import Amounts


@dataclass(frozen=True)
class NodeInfo:
    """A node, its pods, their host ports, and the pods added or removed for a trial, in order.

    `changes` lists these pods with 1 (added) or -1 (removed). In `ports` the address 0.0.0.0 stands for every address.
    """

    node: Node
    pods: tuple[Pod, ...]
    ports: frozenset[HostPort]
    changes: tuple[tuple[Pod, int], ...] = ()

    def added(self, pod: Pod) -> "NodeInfo":
        r"""Return the node with this pod added.

        TLA+: Added(Info, More) ==
                LET Before == Info.Changes
                IN [Info EXCEPT
                     !.Pods = @ \union More,
                     !.Ports = @ \union Held(More),
                     !.Changes = [Pod \in DOMAIN Before \union More |->
                       Given(Before, Pod) + (IF Pod \in More THEN 1 ELSE 0)]]
        """
        return replace(
            self,
            pods=(*self.pods, pod),
            ports=self.ports | host_ports(pod),
            changes=(*self.changes, (pod, 1)),
        )

    def removed(self, pod: Pod, departures: Departures) -> "NodeInfo":
        r"""Return the node with this pod removed.

        TLA+: Removed(Info, Fewer) ==
                LET Before == Info.Changes
                    Rest == Info.Pods \ Fewer
                IN [Info EXCEPT
                     !.Pods = Rest,
                     !.Ports = IF "ports-are-a-set" \in Departures THEN @ \ Held(Fewer) ELSE Held(Rest),
                     !.Changes = [Pod \in DOMAIN Before \union Fewer |->
                       Given(Before, Pod) - (IF Pod \in Fewer THEN 1 ELSE 0)]]
        """
        # Another pod of its name may be there: a deleted one that is still being bound.
        pods = tuple(other for other in self.pods if other.key != pod.key or other != pod)
        by_set = Departure.PORTS_ARE_A_SET in departures
        return replace(
            self,
            pods=pods,
            ports=self.ports - host_ports(pod) if by_set else held(pods),
            changes=(*self.changes, (pod, -1)),
        )

    def requested(self, departures: Departures) -> Amounts:
        r"""Return the sum of what the pods use, each pod's rounded by itself, in smallest units.

        TLA+: TakenThere(Info, Resource) ==
                Sum([Pod \in Info.Pods |-> Given(Occupied(Pod), Resource)])
        """
        if departures not in self.sums:
            self.sums[departures] = self.summed(departures)
        return self.sums[departures]

    def summed(self, departures: Departures) -> Amounts:
        """Return the sum of what the pods use, computed anew."""
        total: dict[str, int] = {}
        for pod in self.pods:
            for resource, size in occupied(pod, departures).items():
                total[resource] = total.get(resource, 0) + size
        return frozendict(total)

    @cached_property
    def sums(self) -> dict[Departures, Amounts]:
        """The sums computed so far."""
        return {}


def node_infos(snapshot: Snapshot) -> tuple[NodeInfo, ...]:
    r"""Return every node of the snapshot with the pods that are bound to it and not completed.

    TLA+: NodeInfos(Snapshot) ==
            {NodeInfo(Node, Occupants(Node, Snapshot)) : Node \in Nodes(Snapshot)}
    """
    return tuple(node_info(node, sorted(occupants(node, snapshot, NO_FAULTS), key=_key)) for node in snapshot.nodes)


def node_info(node: Node, pods: Iterable[Pod]) -> NodeInfo:
    r"""Return the node with these pods on it.

    TLA+: NodeInfo(Node, Some) ==
            [Node |-> Node, Pods |-> Some, Ports |-> Held(Some), Changes |-> [Pod \in {} |-> 0]]
    """
    on_it = tuple(pods)
    return NodeInfo(node, on_it, held(on_it))


def held(pods: Iterable[Pod]) -> frozenset[HostPort]:
    r"""Return the host ports that the pods use.

    TLA+: Held(Some) == UNION {HostPorts(Pod) : Pod \in Some}
    """
    return frozenset(port for pod in pods for port in host_ports(pod))


def host_ports(pod: Pod) -> frozenset[HostPort]:
    r"""Return the host ports of the containers and sidecars of `pod`; those of plain init containers do not count.

    TLA+: HostPorts(Pod) ==
            LET Containers == Pod.Spec.Containers \o Sidecars(Pod.Spec.InitContainers)
            IN {[Port EXCEPT !.Address = IF @ = "" THEN "0.0.0.0" ELSE @] :
                 Port \in UNION {Containers[i].Ports : i \in DOMAIN Containers}}
    """
    sidecars = (container for container in pod.init_containers if container.sidecar)
    return frozenset(
        replace(port, ip="0.0.0.0") if port.ip == "" else port
        for container in (*pod.containers, *sidecars)
        for port in container.ports
    )


def _key(pod: Pod) -> tuple[str, str]:
    return pod.key
