"""The plugin NodePorts: a port of a node is held once for each protocol and address.

Kubernetes 1.34: pkg/scheduler/framework/plugins/nodeports, HostPortInfo in k8s.io/kube-scheduler/framework.
"""

from schedcheck.spec.feasibility.node_info import NodeInfo, host_ports
from schedcheck.spec.feasibility.refusal import Refusal, unschedulable
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import HostPort, Pod

NAME = "NodePorts"
EVERY_ADDRESS = "0.0.0.0"


def clash(port: HostPort, other: HostPort) -> bool:
    """Whether two ports cannot be held on one node: :: is an address like any other."""
    return (
        port.port == other.port
        and port.protocol == other.protocol
        and (port.ip == other.ip or EVERY_ADDRESS in (port.ip, other.ip))
    )


def node_ports(pod: Pod, info: NodeInfo) -> bool:
    """Whether no port that `pod` asks for is held on the node."""
    return not any(clash(port, other) for port in host_ports(pod) for other in info.ports)


@looks_at("occupants.containers.ports", "occupants.init_containers.ports", "occupants.init_containers.sidecar")
def refusal(pod: Pod, info: NodeInfo) -> Refusal | None:
    """Why NodePorts refuses the node, None where it does not."""
    if node_ports(pod, info):
        return None
    return unschedulable(NAME, "node(s) didn't have free ports for the requested pod ports")


def skipped(pod: Pod) -> bool:
    """Whether `pod` asks for no port of its node."""
    return not host_ports(pod)
