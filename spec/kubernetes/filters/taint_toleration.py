"""The plugin TaintToleration: NoSchedule and NoExecute taints must be tolerated; the first that is not is reported.

Kubernetes 1.34: pkg/scheduler/framework/plugins/tainttoleration.
"""

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.refusal import Refusal, unresolvable
from schedcheck.spec.objects import Node, Pod, Taint
from schedcheck.spec.tolerations import tolerated

NAME = "TaintToleration"
KEEPING_AWAY = frozenset({"NoSchedule", "NoExecute"})


def untolerated(pod: Pod, node: Node) -> tuple[Taint, ...]:
    r"""Return the NoSchedule and NoExecute taints of `node` that `pod` does not tolerate, in order.

    TLA+: Untolerated(Pod, Node) ==
            {Taint \in Node.Spec.Taints :
              /\ Taint.Effect \in {"NoSchedule", "NoExecute"}
              /\ ~Tolerated(Taint, Pod)}
    """
    return tuple(
        taint
        for taint in node.taints
        if taint.effect in KEEPING_AWAY and not tolerated(taint, pod, NO_FAULTS)
    )  # fmt: skip


def taint_toleration(pod: Pod, node: Node) -> bool:
    """Whether `pod` tolerates every NoSchedule and NoExecute taint of `node`.

    TLA+: TaintToleration(Pod, Node) == Untolerated(Pod, Node) = {}
    """
    return untolerated(pod, node) == ()


@looks_at("node.taints")
def refusal(pod: Pod, node: Node) -> Refusal | None:
    """Return the refusal of `node` by TaintToleration; None if it passes.

    TLA+: TaintTolerationRefusal(Pod, Node) ==
            IF TaintToleration(Pod, Node) THEN Null ELSE Unresolvable("TaintToleration")
    """
    if taint_toleration(pod, node):
        return None
    first = untolerated(pod, node)[0]
    return unresolvable(NAME, f"node(s) had untolerated taint {{{first.key}: {first.value}}}")
