"""The predicate HostName: a pod that names its node goes there and nowhere else.

Kubernetes 1.6: PodFitsHost in plugin/pkg/scheduler/algorithm/predicates/predicates.go.
"""

from schedcheck.spec.classic.failures import HOST_NAME_NOT_MATCHED, Failure
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot


def host_name(pod: Pod, node: Node) -> bool:
    """Whether `pod` names no node, or this one."""
    return pod.node_name in ("", node.name)


@looks_at("node.name")
def failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Why HostName fails `node`; empty where it does not."""
    return () if host_name(pod, node) else (HOST_NAME_NOT_MATCHED,)
