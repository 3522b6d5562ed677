"""The predicate HostName: a pod with a nodeName fits only on that node.

Kubernetes 1.6: PodFitsHost in plugin/pkg/scheduler/algorithm/predicates/predicates.go.
"""

from schedcheck.spec.classic.failures import HOST_NAME_NOT_MATCHED, Failure
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot


def host_name(pod: Pod, node: Node) -> bool:
    """Whether `pod` has no nodeName, or the name of this node."""
    return pod.node_name in ("", node.name)


@looks_at("node.name")
def failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failure of HostName on `node`; empty if it passes."""
    return () if host_name(pod, node) else (HOST_NAME_NOT_MATCHED,)
