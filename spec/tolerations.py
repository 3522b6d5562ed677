"""Tolerations: whether a pod tolerates a taint."""

from schedcheck.spec.faults import Fault, Faults
from schedcheck.spec.objects import Pod, Taint, Toleration


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
