"""Filter 1.1: whether a node accepts new pods at all."""

from schedcheck.spec.faults import Fault, Faults
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.tolerations import CORDON, tolerated


@looks_at("node.unschedulable", "node.phase")
def schedulability(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> bool:
    r"""Whether `node` is not cordoned or `pod` tolerates the cordon; as printed, its phase must also be Running.

    TLA+: Schedulability(Pod, Node, Snapshot) ==
            /\ \/ Node.Spec.Unschedulable = FALSE
               \/ "cordon-untolerated" \notin Faults /\ Tolerated(CordonTaint, Pod)
            /\ "phase-demanded" \in Faults => Node.Status.Phase = "Running"
    """
    return (not node.unschedulable or (Fault.CORDON_UNTOLERATED not in faults and tolerated(CORDON, pod, faults))) and (
        Fault.PHASE_DEMANDED not in faults or node.phase == "Running"
    )


def why_not_schedulable(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> str | None:
    """Return why `node` does not accept `pod`; None if it does."""
    if schedulability(pod, node, snapshot, faults):
        return None
    phase = Fault.PHASE_DEMANDED in faults and node.phase != "Running"
    return f"phase is {node.phase!r}, not 'Running'" if phase else "cordoned"
