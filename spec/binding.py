"""The bindings of pods to nodes: BoundTo, Bound, Completed, Unbound, Occupants."""

from schedcheck.spec.faults import Fault, Faults
from schedcheck.spec.objects import Node, Pod, Snapshot

FINAL_PHASES = frozenset({"Succeeded", "Failed"})


def bound_to(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    r"""Whether `pod` is placed on `node` in `snapshot`.

    TLA+: BoundTo(Pod, Node, Snapshot) ==
            /\ Pod \in Pods(Snapshot)
            /\ Node \in Nodes(Snapshot)
            /\ Pod.Spec.NodeName = Node.Name
    """
    # The names come first: they differ for most nodes, and to compare them costs less than to look objects up.
    return (
        pod.node_name == node.name
        and pod in snapshot
        and node in snapshot
    )  # fmt: skip


def bound(pod: Pod, snapshot: Snapshot) -> bool:
    r"""Whether `pod` is placed on some node of `snapshot`.

    TLA+: Bound(Pod, Snapshot) ==
            \E Node \in Nodes(Snapshot) : BoundTo(Pod, Node, Snapshot)
    """
    return any(bound_to(pod, node, snapshot) for node in snapshot.nodes)


def completed(pod: Pod) -> bool:
    r"""Whether `pod` has ended (phase Succeeded or Failed) and will not run again.

    TLA+: Completed(Pod) ==
            Pod.Status.Phase \in {"Succeeded", "Failed"}
    """
    return pod.phase in FINAL_PHASES


def unbound(snapshot: Snapshot, faults: Faults) -> frozenset[Pod]:
    r"""Return the pods that have no node and have not completed.

    TLA+: Unbound(Snapshot) ==
            {Pod \in Pods(Snapshot) :
              /\ IF "unknown-node-unbound" \in Faults THEN ~Bound(Pod, Snapshot) ELSE Pod.Spec.NodeName = ""
              /\ "completed-pods-count" \in Faults \/ ~Completed(Pod)}
    """
    return frozenset(
        pod
        for pod in snapshot.pods
        if (not bound(pod, snapshot) if Fault.UNKNOWN_NODE_UNBOUND in faults else pod.node_name == "")
        and (Fault.COMPLETED_PODS_COUNT in faults or not completed(pod))
    )


def occupants(node: Node, snapshot: Snapshot, faults: Faults) -> frozenset[Pod]:
    r"""Return the pods that occupy `node`: bound to it and not completed.

    TLA+: Occupants(Node, Snapshot) ==
            {Pod \in Pods(Snapshot) :
              /\ BoundTo(Pod, Node, Snapshot)
              /\ "completed-pods-count" \in Faults \/ ~Completed(Pod)}
    """
    return frozenset(
        pod
        for pod in snapshot.pods_by_node.get(node.name, ())
        if bound_to(pod, node, snapshot)
        and (Fault.COMPLETED_PODS_COUNT in faults or not completed(pod))
    )  # fmt: skip
