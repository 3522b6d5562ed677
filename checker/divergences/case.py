"""A pending pod in a cluster: `Case`, with a size by which cases are ordered."""

from collections.abc import Iterable
from dataclasses import dataclass

from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.values import NO_AMOUNTS, Amounts

EVERY_NODE_TAKES = 110
"""The default pod capacity of a node, which does not count in the size of a case."""

GIBIBYTE = 2**30


@dataclass(frozen=True)
class Case:
    """A pending pod, and the snapshot that contains it."""

    pod: Pod
    snapshot: Snapshot

    @property
    def size(self) -> tuple[int, int]:
        """The number of objects, and the sum of their quantities."""
        return objects(self.snapshot), quantities(self.snapshot)


def objects(snapshot: Snapshot) -> int:
    """Return the number of objects of all kinds."""
    store = snapshot.storage
    kinds = (snapshot.pods, snapshot.nodes, snapshot.namespaces, snapshot.budgets)
    stored = (store.volumes, store.claims, store.classes, store.nodes, store.attachments)
    drivers = (store.drivers, store.capacities)
    return sum(len(each) for each in (*kinds, *stored, *drivers))


def quantities(snapshot: Snapshot) -> int:
    """Return the sum of requests, capacities, priorities, and the numbers that limit pods and volumes.

    These are whole cpus, also those in the status of pods, host ports, priorities, skews, numbers of domains above 1,
    disruptions that budgets allow, volumes that drivers attach, and the gibibytes of images, claims, volumes and what is
    left for them.
    """
    store = snapshot.storage
    sizes = (
        *(claim.request for claim in store.claims),
        *(volume.capacity for volume in store.volumes),
        *(capacity.capacity or 0 for capacity in store.capacities),
        *(image.size for node in snapshot.nodes for image in node.images),
    )
    return (
        sum(map(of_pod, snapshot.pods))
        + sum(map(of_node, snapshot.nodes))
        + sum(budget.disruptions_allowed for budget in snapshot.budgets)
        + sum(sum(node.allocatable.values()) for node in store.nodes)
        + sum(size // GIBIBYTE for size in sizes)
    )


def of_pod(pod: Pod) -> int:
    """Return the sum of a pod's quantities, those in its status too."""
    told = (each for container in pod.containers for each in (container.allocated, container.actual or NO_AMOUNTS))
    of_all = (pod.pod_requests, pod.pod_allocated, pod.pod_actual or NO_AMOUNTS)
    requests = (*of_all, *(container.requests for container in pod.containers), *told)
    return (
        abs(pod.priority)
        + sum(_cpus(each, 10**9) for each in requests)
        + sum(len(container.ports) for container in pod.containers)
        + sum(constraint.max_skew + constraint.min_domains - 1 for constraint in pod.spread)
    )


def of_node(node: Node) -> int:
    """Return the sum of a node's quantities."""
    takes = node.allocatable["pods"]
    return _cpus(node.allocatable, 1000) + (takes if takes != EVERY_NODE_TAKES else 0)


def _cpus(amounts: Amounts, one: int) -> int:
    return amounts.get("cpu", 0) // one


def least(cases: Iterable[Case]) -> list[Case]:
    """Return the cases sorted by size, stably."""
    return sorted(cases, key=lambda case: case.size)
