r"""Filter 1.4: taints and tolerations."""

from schedcheck.spec.faults import Fault, Faults
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot, Taint, Toleration


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


@looks_at("node.taints")
def taints(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> bool:
    r"""Whether `pod` tolerates every taint of `node`, except for PreferNoSchedule taints.

    TLA+: Taints(Pod, Node, Snapshot) ==
            \A Taint \in Node.Spec.Taints :
              \/ "soft-taint-filters" \notin Faults /\ Taint.Effect = "PreferNoSchedule"
              \/ Tolerated(Taint, Pod)
    """
    return all(
        (Fault.SOFT_TAINT_FILTERS not in faults and taint.effect == "PreferNoSchedule")
        or tolerated(taint, pod, faults)
        for taint in node.taints
    )  # fmt: skip


def why_not_tolerated(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> str | None:
    """Return the taints that `pod` does not tolerate; None if it tolerates all."""
    repelling = [
        str(taint)
        for taint in node.taints
        if not taints(pod, Node(node.name, taints=(taint,)), snapshot, faults)
    ]  # fmt: skip
    return f"untolerated taint {', '.join(repelling)}" if repelling else None
