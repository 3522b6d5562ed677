"""The plugin NodeUnschedulable: a cordoned node admits only pods that tolerate the unschedulable taint.

The node need not have the taint.

Kubernetes 1.34: pkg/scheduler/framework/plugins/nodeunschedulable.
"""

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.refusal import Refusal, unresolvable
from schedcheck.spec.tolerations import CORDON, tolerated

NAME = "NodeUnschedulable"


def node_unschedulable(pod: Pod, node: Node) -> bool:
    r"""Whether `node` is not cordoned, or `pod` tolerates the unschedulable taint.

    TLA+: NodeUnschedulable(Pod, Node) ==
            \/ Node.Spec.Unschedulable = FALSE
            \/ Tolerated(CordonTaint, Pod)
    """
    return not node.unschedulable or tolerated(CORDON, pod, NO_FAULTS)


@looks_at("node.unschedulable")
def refusal(pod: Pod, node: Node) -> Refusal | None:
    """Return the refusal of `node` by NodeUnschedulable; None if it passes.

    TLA+: NodeUnschedulableRefusal(Pod, Node) ==
            IF NodeUnschedulable(Pod, Node) THEN Null ELSE Unresolvable("NodeUnschedulable")
    """
    return None if node_unschedulable(pod, node) else unresolvable(NAME, "node(s) were unschedulable")
