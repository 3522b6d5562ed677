"""A node with the pods on it, and with what is tried there: `NodeInfo`, `node_infos`.

Kubernetes 1.34: NodeInfo in pkg/scheduler/framework/types.go.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from frozendict import frozendict

from schedcheck.spec.binding import occupants
from schedcheck.spec.departures import Departure, Departures
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.feasibility.requests import occupied
from schedcheck.spec.objects import HostPort, Node, Pod, Snapshot
from schedcheck.spec.values import Amounts


@dataclass(frozen=True)
class NodeInfo:
    """A node, its pods, the ports that they hold, and in order the pods that were added to it or removed for a trial.

    `changes` are these pods with 1 or -1. `ports` have the address 0.0.0.0 where they are held on every address.
    """

    node: Node
    pods: tuple[Pod, ...]
    ports: frozenset[HostPort]
    changes: tuple[tuple[Pod, int], ...] = ()

    def added(self, pod: Pod) -> "NodeInfo":
        """The node with this pod on it as well."""
        return replace(
            self,
            pods=(*self.pods, pod),
            ports=self.ports | host_ports(pod),
            changes=(*self.changes, (pod, 1)),
        )

    def removed(self, pod: Pod, departures: Departures) -> "NodeInfo":
        """The node without this pod."""
        pods = tuple(other for other in self.pods if other.key != pod.key)
        by_set = Departure.PORTS_ARE_A_SET in departures
        return replace(
            self,
            pods=pods,
            ports=self.ports - host_ports(pod) if by_set else held(pods),
            changes=(*self.changes, (pod, -1)),
        )

    @cached_property
    def requested(self) -> Amounts:
        """What the pods request together, each rounded by itself, in smallest units."""
        total: dict[str, int] = {}
        for pod in self.pods:
            for resource, size in occupied(pod).items():
                total[resource] = total.get(resource, 0) + size
        return frozendict(total)


def node_infos(snapshot: Snapshot) -> tuple[NodeInfo, ...]:
    """Every node of the snapshot with the pods that are bound to it and have not ended."""
    return tuple(node_info(node, sorted(occupants(node, snapshot, NO_FAULTS), key=_key)) for node in snapshot.nodes)


def node_info(node: Node, pods: Iterable[Pod]) -> NodeInfo:
    """The node with these pods on it."""
    on_it = tuple(pods)
    return NodeInfo(node, on_it, held(on_it))


def held(pods: Iterable[Pod]) -> frozenset[HostPort]:
    """The ports that the pods hold."""
    return frozenset(port for pod in pods for port in host_ports(pod))


def host_ports(pod: Pod) -> frozenset[HostPort]:
    """The ports that the containers and the sidecars of `pod` hold; plain init containers hold none."""
    sidecars = (container for container in pod.init_containers if container.sidecar)
    return frozenset(
        replace(port, ip="0.0.0.0") if port.ip == "" else port
        for container in (*pod.containers, *sidecars)
        for port in container.ports
    )


def _key(pod: Pod) -> tuple[str, str]:
    return pod.key
