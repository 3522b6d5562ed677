"""All small clusters of given kinds, in the order of size: `Domain`, `cases`, `smallest`.

Equal objects of one kind differ only in name. Of clusters that differ only in names, one is enough, because no decision
depends on names.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from schedcheck.checker.divergences.case import Case, least
from schedcheck.spec.budgets import protects
from schedcheck.spec.kubernetes.scores.pod_topology_spread import HOSTNAME
from schedcheck.spec.objects import Namespace, Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.properties.of_snapshots import no_overcommit
from schedcheck.spec.storage import NO_STORAGE, Storage

SOMEWHERE = "somewhere"
"""The placeholder for a node name: pods with it are bound or nominated to every node in turn."""


@dataclass(frozen=True)
class Domain:
    """The objects from which clusters are built: `says` in words, then the objects of each kind, the simplest first.

    A cluster has one of the pods `pending`, `fewest_nodes` to `most_nodes` nodes, and up to `most_others` other pods.
    It has up to `most_budgets` budgets, and one each of `namespaces` and `storages`. Running pods fit on their nodes. A
    pod is in another namespace than default only if the cluster has that namespace.
    """

    says: str
    pending: Sequence[Pod]
    nodes: Sequence[Node]
    others: Sequence[Pod] = ()
    budgets: Sequence[PodDisruptionBudget] = ()
    namespaces: Sequence[tuple[Namespace, ...]] = ((),)
    storages: Sequence[Storage] = (NO_STORAGE,)
    fewest_nodes: int = 1
    most_nodes: int = 1
    most_others: int = 2
    most_budgets: int = 0


class Found(NamedTuple):
    """The smallest case, and the number of cases before it; without a case, the number of all cases."""

    case: Case | None
    before: int


def smallest(domain: Domain, differs: Callable[[Case], bool]) -> Found:
    """Return the smallest case of the domain that differs."""
    before = 0
    for case in cases(domain):
        if differs(case):
            return Found(case, before)
        before += 1
    return Found(None, before)


def cases(domain: Domain) -> Iterator[Case]:
    """Yield every case of the domain in the order of size."""
    waiting: dict[int, list[tuple[int, int, int]]] = {}
    numbers = product(
        range(domain.fewest_nodes, domain.most_nodes + 1), range(domain.most_others + 1), range(domain.most_budgets + 1)
    )
    for each in numbers:
        waiting.setdefault(sum(each), []).append(each)
    found: dict[int, list[Case]] = {}
    for total in sorted(waiting):
        for each in waiting[total]:
            for case in _of_numbers(domain, *each):
                found.setdefault(case.size[0], []).append(case)
        # Namespaces and storage only add objects, so no smaller case can follow.
        fewest = total + 1 + _fewest_beside(domain)
        for number in sorted(found):
            if number <= fewest:
                yield from least(found.pop(number))
    for number in sorted(found):
        yield from least(found[number])


def _fewest_beside(domain: Domain) -> int:
    """Return the least number of namespaces and storage objects in a cluster of the domain."""
    return min(
        Case(domain.pending[0], Snapshot(namespaces=spaces, storage=storage)).size[0]
        for spaces in domain.namespaces
        for storage in domain.storages
    )


def _of_numbers(domain: Domain, nodes: int, others: int, budgets: int) -> Iterator[Case]:
    """Yield every case with these numbers of nodes, other pods and budgets."""
    for there in combinations_with_replacement(domain.nodes, nodes):
        named = [named_node(node, number) for number, node in enumerate(there, 1)]
        placed = dict.fromkeys(on_or_near(pod, node) for node in named for pod in domain.others)
        for around in combinations_with_replacement(placed, others):
            pods = [replace(pod, name=f"pod-{number}") for number, pod in enumerate(around, 1)]
            if not no_overcommit(Snapshot.of(pods, named)):
                continue
            beside = product(domain.pending, domain.namespaces, domain.storages)
            for guards, (pod, spaces, storage) in product(
                combinations_with_replacement(domain.budgets, budgets), list(beside)
            ):
                if {each.namespace for each in pods} <= {"default", *(space.name for space in spaces)}:
                    guarding = tuple(guarded(each, number, pods, pod) for number, each in enumerate(guards, 1))
                    made = Snapshot.of([pod, *pods], named, spaces)
                    yield Case(pod, replace(made, budgets=guarding, storage=storage))


def named_node(node: Node, number: int) -> Node:
    """Return the node with a name, also as its host name if it has one."""
    name = f"node-{number}"
    return replace(node, name=name, labels=node.labels.set(HOSTNAME, name) if HOSTNAME in node.labels else node.labels)


def guarded(budget: PodDisruptionBudget, number: int, running: Sequence[Pod], pod: Pod) -> PodDisruptionBudget:
    """Return the budget with a name, and with a demand that makes its recorded status correct."""
    protected = sum(protects(budget, each) for each in running)
    return replace(
        budget,
        name=f"budget-{number}",
        expected=protected + protects(budget, pod),
        min_available=max(0, protected - budget.disruptions_allowed),
    )


def on_or_near(pod: Pod, node: Node) -> Pod:
    """Return the pod bound or nominated to the node."""
    return replace(
        pod,
        node_name=node.name if pod.node_name == SOMEWHERE else pod.node_name,
        nominated_node_name=node.name if pod.nominated_node_name == SOMEWHERE else pod.nominated_node_name,
    )
