"""Nominated pods that give way to a preemptor of higher priority: `outranked`."""

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot


@looks_at("nominated.priority", "nominated.nominated_node_name")
def outranked(pod: Pod, node: Node, snapshot: Snapshot) -> frozenset[Pod]:
    r"""Return the pods of lower priority than `pod` that are nominated to the node.

    TLA+: Outranked(Pod, Node, Snapshot) ==
            {Other \in Pods(Snapshot) :
              /\ Other.Status.NominatedNodeName = Node.Name
              /\ Other.Spec.NodeName = ""
              /\ Other.Spec.Priority < Pod.Spec.Priority}
    Kubernetes 1.34: getLowerPriorityNominatedPods in pkg/scheduler/framework/preemption/preemption.go.
    """
    return frozenset(
        other
        for other in snapshot.pods
        if other.nominated_node_name == node.name and other.node_name == "" and other.priority < pod.priority
    )
