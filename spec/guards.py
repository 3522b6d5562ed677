"""The named predicates that may guard an event of a scenario: PodAbsent, AtMostOut, FreeBelow and their kin."""

from collections.abc import Collection

from schedcheck.spec.binding import completed, unbound
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.requests import allocatable, used

Key = tuple[str, str]


def pod_absent(key: Key, snapshot: Snapshot) -> bool:
    r"""Whether no pod of this namespace and name exists.

    TLA+: PodAbsent(Key, Snapshot) ==
            Key \notin {Identity(Pod) : Pod \in Pods(Snapshot)}
    """
    return key not in {pod.key for pod in snapshot.pods}


def pod_bound(key: Key, snapshot: Snapshot) -> bool:
    r"""Whether the pod has a node and has not completed.

    TLA+: PodBound(Key, Snapshot) ==
            \E Pod \in Pods(Snapshot) : Identity(Pod) = Key /\ Pod.Spec.NodeName # "" /\ ~Completed(Pod)
    """
    return any(pod.key == key and pod.node_name != "" and not completed(pod) for pod in snapshot.pods)


def pod_completed(key: Key, snapshot: Snapshot) -> bool:
    r"""Whether the pod has completed and still exists.

    TLA+: PodCompleted(Key, Snapshot) ==
            \E Pod \in Pods(Snapshot) : Identity(Pod) = Key /\ Completed(Pod)
    """
    return any(pod.key == key and completed(pod) for pod in snapshot.pods)


def node_absent(name: str, snapshot: Snapshot) -> bool:
    r"""Whether no node of this name exists.

    TLA+: NodeAbsent(Name, Snapshot) ==
            Name \notin {Node.Name : Node \in Nodes(Snapshot)}
    """
    return name not in {node.name for node in snapshot.nodes}


def node_cordoned(name: str, snapshot: Snapshot) -> bool:
    r"""Whether the node exists and is unschedulable.

    TLA+: NodeCordoned(Name, Snapshot) ==
            \E Node \in Nodes(Snapshot) : Node.Name = Name /\ Node.Spec.Unschedulable
    """
    return any(node.name == name and node.unschedulable for node in snapshot.nodes)


def out(this: Pod | Node, names: Collection[str], snapshot: Snapshot) -> frozenset[str]:
    r"""Return the names of the other nodes that are absent, cordoned or not ready; `names` are those of all nodes.

    TLA+: Out(This, Names, Snapshot) ==
            {Name \in Names :
              /\ ~(This.Kind = "Node" /\ This.Name = Name)
              /\ ~\E Node \in Nodes(Snapshot) :
                   /\ Node.Name = Name
                   /\ ~Node.Spec.Unschedulable
                   /\ Node.Status.Ready = "True"}
    """
    return frozenset(
        name
        for name in names
        if not (isinstance(this, Node) and this.name == name)
        and not any(node.name == name and not node.unschedulable and node.ready == "True" for node in snapshot.nodes)
    )


def at_most_out(number: int, names: Collection[str], this: Pod | Node, snapshot: Snapshot) -> bool:
    r"""Whether at most so many other nodes are absent, cordoned or not ready.

    TLA+: AtMostOut(Number, Names, This, Snapshot) ==
            Cardinality(Out(This, Names, Snapshot)) <= Number
    """
    return len(out(this, names, snapshot)) <= number


def at_least_out(number: int, names: Collection[str], this: Pod | Node, snapshot: Snapshot) -> bool:
    r"""Whether at least so many other nodes are absent, cordoned or not ready.

    TLA+: AtLeastOut(Number, Names, This, Snapshot) ==
            Cardinality(Out(This, Names, Snapshot)) >= Number
    """
    return len(out(this, names, snapshot)) >= number


def free_below(name: str, resource: str, percent: int, snapshot: Snapshot) -> bool:
    r"""Whether the node exists, and its pods leave less than so many percent of the resource free, by their requests.

    TLA+: FreeBelow(Name, Resource, Percent, Snapshot) ==
            \E Node \in Nodes(Snapshot) :
              /\ Node.Name = Name
              /\ 100 * (Allocatable(Node, Resource) - Used(Node, Snapshot, Resource)) < Percent * Allocatable(Node, Resource)
    """
    return any(
        node.name == name
        and 100 * (allocatable(node, resource) - used(node, snapshot, resource, NO_FAULTS))
        < percent * allocatable(node, resource)
        for node in snapshot.nodes
    )


def pods_at_most(number: int, snapshot: Snapshot) -> bool:
    """Whether at most so many pods exist.

    TLA+: PodsAtMost(Number, Snapshot) ==
            Cardinality(Pods(Snapshot)) <= Number
    """
    return len(snapshot.pods) <= number


def unbound_at_most(number: int, snapshot: Snapshot) -> bool:
    """Whether at most so many pods wait.

    TLA+: UnboundAtMost(Number, Snapshot) ==
            Cardinality(Unbound(Snapshot)) <= Number
    """
    return len(unbound(snapshot, NO_FAULTS)) <= number


def bound_at_most(number: int, snapshot: Snapshot) -> bool:
    r"""Whether at most so many pods have a node.

    TLA+: BoundAtMost(Number, Snapshot) ==
            Cardinality({Pod \in Pods(Snapshot) : Pod.Spec.NodeName # ""}) <= Number
    """
    return sum(1 for pod in snapshot.pods if pod.node_name != "") <= number
