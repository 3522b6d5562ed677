"""A cluster and the pod in it that is asked about: `Case`, and its size, by which one case is smaller than another."""

from collections.abc import Iterable
from dataclasses import dataclass

from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.values import Amounts

EVERY_NODE_TAKES = 110
"""How many pods a node takes unless somebody says otherwise, which is no quantity of a case."""


@dataclass(frozen=True)
class Case:
    """A pod without a node, and the snapshot that it is part of."""

    pod: Pod
    snapshot: Snapshot

    @property
    def size(self) -> tuple[int, int]:
        """The number of objects, and the sum of their quantities."""
        return objects(self.snapshot), quantities(self.snapshot)


def objects(snapshot: Snapshot) -> int:
    """How many objects there are, whatever their kinds."""
    store = snapshot.storage
    kinds = (snapshot.pods, snapshot.nodes, snapshot.namespaces, snapshot.budgets)
    stored = (store.volumes, store.claims, store.classes, store.nodes, store.attachments)
    return sum(len(each) for each in (*kinds, *stored))


def quantities(snapshot: Snapshot) -> int:
    """The sum of what is requested and offered, of priorities, and of the numbers that limit pods and volumes.

    Whole cpus, host ports, priorities, skews, numbers of domains above 1, disruptions that budgets allow, and volumes
    that drivers attach.
    """
    return (
        sum(map(of_pod, snapshot.pods))
        + sum(map(of_node, snapshot.nodes))
        + sum(budget.disruptions_allowed for budget in snapshot.budgets)
        + sum(sum(node.allocatable.values()) for node in snapshot.storage.nodes)
    )


def of_pod(pod: Pod) -> int:
    """The quantities of a pod."""
    requests = (pod.pod_requests, *(container.requests for container in pod.containers))
    return (
        abs(pod.priority)
        + sum(_cpus(each, 10**9) for each in requests)
        + sum(len(container.ports) for container in pod.containers)
        + sum(constraint.max_skew + constraint.min_domains - 1 for constraint in pod.spread)
    )


def of_node(node: Node) -> int:
    """The quantities of a node."""
    takes = node.allocatable["pods"]
    return _cpus(node.allocatable, 1000) + (takes if takes != EVERY_NODE_TAKES else 0)


def _cpus(amounts: Amounts, one: int) -> int:
    return amounts.get("cpu", 0) // one


def least(cases: Iterable[Case]) -> list[Case]:
    """The cases in order of their sizes; those of one size in the order in which they come."""
    return sorted(cases, key=lambda case: case.size)
