"""The predicate PodFitsHostPorts: no host port of a pod is already in use on the node.

Kubernetes 1.6: PodFitsHostPorts and GetUsedPorts in plugin/pkg/scheduler/algorithm/predicates/predicates.go.
Differs: since 1.8 the protocol and the address matter too; here, as before, the number alone.
"""

from schedcheck.spec.binding import occupants
from schedcheck.spec.classic.failures import HOST_PORTS_TAKEN, Failure
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot


def ports(pod: Pod) -> frozenset[int]:
    """Return the numbers of the host ports of the containers of `pod`."""
    return frozenset(port.port for container in pod.containers for port in container.ports if port.port != 0)


def pod_fits_host_ports(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    """Whether no host port of `pod` is used by a pod on `node`."""
    return all(ports(pod).isdisjoint(ports(other)) for other in occupants(node, snapshot, NO_FAULTS))


@looks_at("occupants.containers.ports")
def failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failure of PodFitsHostPorts on `node`; empty if it passes."""
    return () if pod_fits_host_ports(pod, node, snapshot) else (HOST_PORTS_TAKEN,)
