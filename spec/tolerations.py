"""Tolerations: whether a pod tolerates a taint."""

from schedcheck.spec.faults import NO_FAULTS, Fault, Faults
from schedcheck.spec.objects import Node, Pod, Taint, Toleration

CORDON = Taint("node.kubernetes.io/unschedulable", "NoSchedule")
"""The taint that a cordoned node counts as having.

TLA+: CordonTaint == [Key |-> "node.kubernetes.io/unschedulable", Value |-> "", Effect |-> "NoSchedule"]
"""

KEEPING_AWAY = frozenset({"NoSchedule", "NoExecute"})


def match(toleration: Toleration, taint: Taint, faults: Faults) -> bool:
    r"""Whether `toleration` covers `taint`: an empty effect covers all effects, an empty key with Exists all keys.

    An empty operator is Equal.

    TLA+: Match(Toleration, Taint) ==
            LET Exact == "exact-toleration" \in Faults
                Keys == Toleration.Key = Taint.Key \/ (~Exact /\ Toleration.Key = "")
            IN /\ CASE Toleration.Operator = "Exists" -> Keys
                    [] Toleration.Operator = "Equal" -> Keys /\ Toleration.Value = Taint.Value
                    [] Toleration.Operator = "" /\ ~Exact -> Keys /\ Toleration.Value = Taint.Value
                    [] OTHER -> FALSE
               /\ Toleration.Effect = Taint.Effect \/ (~Exact /\ Toleration.Effect = "")
    """
    exact = Fault.EXACT_TOLERATION in faults
    keys = toleration.key == taint.key or (not exact and toleration.key == "")
    match toleration.operator:
        case "Exists":
            covered = keys
        case "Equal":
            covered = keys and toleration.value == taint.value
        case "" if not exact:
            covered = keys and toleration.value == taint.value
        case _:
            covered = False
    return covered and (toleration.effect == taint.effect or (not exact and toleration.effect == ""))


def tolerated(taint: Taint, pod: Pod, faults: Faults) -> bool:
    r"""Whether `pod` tolerates `taint`.

    TLA+: Tolerated(Taint, Pod) ==
            \E Toleration \in Pod.Spec.Tolerations : Match(Toleration, Taint)
    """
    return any(match(toleration, taint, faults) for toleration in pod.tolerations)


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


def intolerable_taints(pod: Pod, node: Node) -> int:
    r"""Return the number of PreferNoSchedule taints of `node` that `pod` does not tolerate.

    TLA+: IntolerableTaints(Pod, Node) ==
            Cardinality({Taint \in Node.Spec.Taints : Taint.Effect = "PreferNoSchedule" /\ ~Tolerated(Taint, Pod)})
    Kubernetes 1.34: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go,
    countIntolerableTaintsPreferNoSchedule.
    """
    return sum(taint.effect == "PreferNoSchedule" and not tolerated(taint, pod, NO_FAULTS) for taint in node.taints)
