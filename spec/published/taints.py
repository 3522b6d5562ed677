r"""Filter 1.4: taints and tolerations."""

from schedcheck.spec.faults import Fault, Faults
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.tolerations import tolerated


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
