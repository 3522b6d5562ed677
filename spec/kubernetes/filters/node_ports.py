"""The plugin NodePorts: a host port can be used only once for each protocol and address.

Kubernetes 1.34: pkg/scheduler/framework/plugins/nodeports, HostPortInfo in k8s.io/kube-scheduler/framework.
"""

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.node_info import NodeInfo, host_ports
from schedcheck.spec.objects import HostPort, Pod
from schedcheck.spec.refusal import Refusal, unschedulable

NAME = "NodePorts"
EVERY_ADDRESS = "0.0.0.0"


def clash(port: HostPort, other: HostPort) -> bool:
    r"""Whether two host ports conflict on one node; the address :: has no special meaning.

    TLA+: Clash(Port, Other) ==
            /\ Port.Port = Other.Port
            /\ Port.Protocol = Other.Protocol
            /\ Port.Address = Other.Address \/ "0.0.0.0" \in {Port.Address, Other.Address}
    """
    return (
        port.port == other.port
        and port.protocol == other.protocol
        and (port.ip == other.ip or EVERY_ADDRESS in (port.ip, other.ip))
    )


def node_ports(pod: Pod, info: NodeInfo) -> bool:
    r"""Whether no host port of `pod` is already in use on the node.

    TLA+: NodePorts(Pod, Info) ==
            ~\E Port \in HostPorts(Pod), Other \in Info.Ports : Clash(Port, Other)
    """
    return not any(clash(port, other) for port in host_ports(pod) for other in info.ports)


@looks_at("occupants.containers.ports", "occupants.init_containers.ports", "occupants.init_containers.sidecar")
def refusal(pod: Pod, info: NodeInfo) -> Refusal | None:
    """Return the refusal of the node by NodePorts; None if it passes.

    TLA+: NodePortsRefusal(Pod, Info) ==
            IF NodePorts(Pod, Info) THEN Null ELSE Unschedulable("NodePorts")
    """
    if node_ports(pod, info):
        return None
    return unschedulable(NAME, "node(s) didn't have free ports for the requested pod ports")


def skipped(pod: Pod) -> bool:
    """Whether `pod` has no host ports.

    TLA+: NodePortsSkipped(Pod) == HostPorts(Pod) = {}
    """
    return not host_ports(pod)
