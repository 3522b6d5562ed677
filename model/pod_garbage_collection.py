"""Pod garbage collection: `Collect`, `collected`.

A pod on a node that no longer exists is deleted, and so are a terminating pod without a node and a terminating pod on a
node that is not ready and marked as out of service. Nothing else removes these: no kubelet speaks for them.

Kubernetes 1.34: pkg/controller/podgc/gc_controller.go, gcOrphaned, gcUnscheduledTerminating and gcTerminating.

Not modelled: the time in quarantine (any delay is possible); the collection of terminated pods beyond 12,500, which no
model holds. Differs: a pod that has ended is left where it is, so that its Job does not run it again; it takes no room.
"""

from collections.abc import Iterator

from schedcheck.model.environment import PodEvent
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod

OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"


class Collect(PodEvent):
    """A pod that no kubelet can end any more is deleted."""


def collectable(pod: Pod, node: Node | None) -> bool:
    """Whether the pod is garbage; `node` is the one that it is on, None if it has none or that is not there."""
    if completed(pod):
        return False
    if node is None:
        return pod.node_name != "" or pod.terminating
    out_of_service = node.ready != "True" and any(taint.key == OUT_OF_SERVICE for taint in node.taints)
    return pod.terminating and out_of_service


def collected(pod: Pod, node: Node | None) -> Iterator[tuple[Collect, None]]:
    """Pod garbage collection of one pod, on `node`."""
    if collectable(pod, node):
        yield Collect(str(pod)), None
