"""Pod garbage collection: `Collect`, `collected`.

Three kinds of pods are deleted: a pod on a node that no longer exists; a terminating pod without a node; and a
terminating pod on a node that is not ready and tainted out-of-service. Nothing else removes them, because no kubelet
reports on them.

Kubernetes 1.34: pkg/controller/podgc/gc_controller.go, gcOrphaned, gcUnscheduledTerminating and gcTerminating.

Not modelled: the time in quarantine (any delay is possible); the collection of terminated pods beyond 12,500, a number
that no model reaches. Differs: a completed pod is never collected, so that its Job does not run it again; it uses no
resources.
"""

from collections.abc import Iterator

from schedcheck.model.environment import PodEvent
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod

OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"


class Collect(PodEvent):
    """The deletion of a pod that no kubelet can end any more."""


def collectable(pod: Pod, node: Node | None) -> bool:
    """Whether the pod is garbage; `node` is its node, None if it is unbound or its node does not exist."""
    if completed(pod):
        return False
    if node is None:
        return pod.node_name != "" or pod.terminating
    out_of_service = node.ready != "True" and any(taint.key == OUT_OF_SERVICE for taint in node.taints)
    return pod.terminating and out_of_service


def collected(pod: Pod, node: Node | None) -> Iterator[tuple[Collect, None]]:
    """Yield the collection of one pod, which is on `node`, if it is garbage."""
    if collectable(pod, node):
        yield Collect(str(pod)), None
