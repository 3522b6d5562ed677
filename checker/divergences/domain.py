"""Every small cluster of given kinds, the smallest first: `Domain`, `cases`, `smallest`.

Objects of one kind that are alike are told apart by their names alone, so of the clusters that differ in nothing but names
one is enough: what is decided does not go by them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from schedcheck.checker.divergences.case import Case, least
from schedcheck.spec.budgets import protects
from schedcheck.spec.kubernetes.scores.pod_topology_spread import HOSTNAME
from schedcheck.spec.objects import Namespace, Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.properties import no_overcommit
from schedcheck.spec.storage import NO_STORAGE, Storage

SOMEWHERE = "somewhere"
"""The name of a node that stands for each of them: `other` pods are put on, or nominated to, every node in turn."""


@dataclass(frozen=True)
class Domain:
    """What a cluster may be made of: `says` in words, then the objects of each kind, the plainest first.

    A cluster has one of the pods that wait (`pending`), at least `fewest_nodes` and up to so many nodes, up to so many other pods and
    budgets, and one each of `namespaces` and `storages`. What runs on a node has room there. Who is in another namespace than default is so only where that
    is there.
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
    """The smallest case, and how many came before it in order; or how many there are if there is none."""

    case: Case | None
    before: int


def smallest(domain: Domain, differs: Callable[[Case], bool]) -> Found:
    """The first case of the domain in order of size that differs."""
    before = 0
    for case in cases(domain):
        if differs(case):
            return Found(case, before)
        before += 1
    return Found(None, before)


def cases(domain: Domain) -> Iterator[Case]:
    """Every case of the domain in order of size."""
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
        # What is stored and named adds objects, never takes any: nothing smaller is still to come.
        fewest = total + 1 + _fewest_beside(domain)
        for number in sorted(found):
            if number <= fewest:
                yield from least(found.pop(number))
    for number in sorted(found):
        yield from least(found[number])


def _fewest_beside(domain: Domain) -> int:
    """How many objects a cluster has at least beside its pods, nodes and budgets."""
    return min(
        Case(domain.pending[0], Snapshot(namespaces=spaces, storage=storage)).size[0]
        for spaces in domain.namespaces
        for storage in domain.storages
    )


def _of_numbers(domain: Domain, nodes: int, others: int, budgets: int) -> Iterator[Case]:
    """Every case with so many nodes, other pods and budgets."""
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
    """The node with a name; where it has a host name, with that as well."""
    name = f"node-{number}"
    return replace(node, name=name, labels=node.labels.set(HOSTNAME, name) if HOSTNAME in node.labels else node.labels)


def guarded(budget: PodDisruptionBudget, number: int, running: Sequence[Pod], pod: Pod) -> PodDisruptionBudget:
    """The budget with a name, demanding so many of the pods that run that its status is up to date."""
    protected = sum(protects(budget, each) for each in running)
    return replace(
        budget,
        name=f"budget-{number}",
        expected=protected + protects(budget, pod),
        min_available=max(0, protected - budget.disruptions_allowed),
    )


def on_or_near(pod: Pod, node: Node) -> Pod:
    """The pod on the node, or nominated to it."""
    return replace(
        pod,
        node_name=node.name if pod.node_name == SOMEWHERE else pod.node_name,
        nominated_node_name=node.name if pod.nominated_node_name == SOMEWHERE else pod.nominated_node_name,
    )
