"""Predicates about one pod."""

from schedcheck.spec.binding import bound, completed, unbound
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile


def waits_for(pod: Pod, node: Node) -> bool:
    r"""Whether `pod` is nominated to `node`, and neither bound nor completed.

    TLA+: NominatedTo(Pod, Node) ==
            "NominatedNodeName" \in DOMAIN Pod.Status /\ Pod.Status.NominatedNodeName = Node.Name

    TLA+: WaitsFor(Pod, Node) ==
            NominatedTo(Pod, Node) /\ Pod.Spec.NodeName = "" /\ ~Completed(Pod)
    """
    return pod.nominated_node_name == node.name and pod.node_name == "" and not completed(pod)


def awaited(pod: Pod, snapshot: Snapshot) -> bool:
    r"""Whether an unbound pod of higher priority is nominated to the node of `pod` and may take its room.

    TLA+: Awaited(Pod, Snapshot) ==
            \E Other \in Unbound(Snapshot) :
              /\ Other.Status.NominatedNodeName = Pod.Spec.NodeName
              /\ Other.Spec.Priority > Pod.Spec.Priority
    """
    return any(
        other.nominated_node_name == pod.node_name and other.priority > pod.priority
        for other in unbound(snapshot, NO_FAULTS)
    )


def present(snapshot: Snapshot, key: tuple[str, str]) -> Pod | None:
    """The pod of this namespace and name, or None if it does not exist."""
    return next((pod for pod in snapshot.pods if pod.key == key), None)


def pod_waits(snapshot: Snapshot, key: tuple[str, str]) -> bool:
    """Whether the pod exists and is unbound."""
    return any(pod.key == key for pod in unbound(snapshot, NO_FAULTS))


def pod_feasible(snapshot: Snapshot, key: tuple[str, str], judge: Profile) -> bool:
    """Whether the pod exists and is unbound, and some node is feasible for it."""
    return any(
        pod.key == key and judge.feasibility(pod, node, snapshot)
        for pod in unbound(snapshot, NO_FAULTS)
        for node in snapshot.nodes
    )


def pod_bound(snapshot: Snapshot, key: tuple[str, str]) -> bool:
    """Whether the pod exists and is bound to an existing node."""
    pod = present(snapshot, key)
    return pod is not None and bound(pod, snapshot)
