"""The plugin NodeName: a pod with a nodeName fits only on that node.

Kubernetes 1.34: pkg/scheduler/framework/plugins/nodename.
"""

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.refusal import Refusal, unresolvable

NAME = "NodeName"


def node_name(pod: Pod, node: Node) -> bool:
    r"""Whether `pod` has no nodeName, or the name of this node.

    TLA+: NodeName(Pod, Node) == Pod.Spec.NodeName \in {"", Node.Name}
    """
    return pod.node_name in ("", node.name)


@looks_at("node.name")
def refusal(pod: Pod, node: Node) -> Refusal | None:
    """Return the refusal of `node` by NodeName; None if it passes.

    TLA+: NodeNameRefusal(Pod, Node) ==
            IF NodeName(Pod, Node) THEN Null ELSE Unresolvable("NodeName")
    """
    return None if node_name(pod, node) else unresolvable(NAME, "node(s) didn't match the requested node name")
