"""The plugin TaintToleration: NoSchedule and NoExecute taints must be tolerated.

Kubernetes 1.37: pkg/scheduler/framework/plugins/tainttoleration.
"""

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.refusal import Refusal, unresolvable
from schedcheck.spec.tolerations import untolerated

NAME = "TaintToleration"


def taint_toleration(pod: Pod, node: Node) -> bool:
    """Whether `pod` tolerates every NoSchedule and NoExecute taint of `node`.

    TLA+: TaintToleration(Pod, Node) == Untolerated(Pod, Node) = {}
    """
    return untolerated(pod, node) == ()


@looks_at("node.taints")
def refusal(pod: Pod, node: Node, departures: Departures) -> Refusal | None:
    """Return the refusal of `node` by TaintToleration; None if it passes.

    TLA+: TaintTolerationRefusal(Pod, Node) ==
            IF TaintToleration(Pod, Node) THEN Null ELSE Unresolvable("TaintToleration")
    """
    if taint_toleration(pod, node):
        return None
    if Departure.UNTOLERATED_TAINT_NAMED not in departures:
        return unresolvable(NAME, "node(s) had untolerated taint(s)")
    first = untolerated(pod, node)[0]
    return unresolvable(NAME, f"node(s) had untolerated taint {{{first.key}: {first.value}}}")
