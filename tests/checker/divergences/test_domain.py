"""A domain yields every cluster once up to renaming, in order of size"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, permutations, product

import pytest
from frozendict import frozendict

from schedcheck.checker.divergences.builders import FOR_APP, PORT, bound, budgets, containers, nodes, nominated, waiting
from schedcheck.checker.divergences.case import Case, objects, quantities
from schedcheck.checker.divergences.domain import Domain, cases, guarded, named_node, on_or_near, smallest
from schedcheck.checker.divergences.rows import ROWS
from schedcheck.spec.objects import Namespace, Snapshot, SpreadConstraint
from schedcheck.spec.properties.of_snapshots import no_overcommit
from schedcheck.spec.storage import CSINode, PersistentVolume, Storage

SMALL = Domain(
    "few",
    pending=tuple(waiting(priority=priority) for priority in (0, 1)),
    nodes=nodes((1, 2)),
    others=(bound(containers=containers(1)), bound(containers=containers(2)), nominated(labels=frozendict(app="a"))),
    budgets=budgets(FOR_APP, most=0),
    most_nodes=2,
    most_budgets=1,
)


def every(domain: Domain) -> Iterator[Case]:
    """Every cluster of the domain, including those that differ only in names."""
    for number, more in product(range(1, domain.most_nodes + 1), range(domain.most_others + 1)):
        for there in product(domain.nodes, repeat=number):
            named = [named_node(each, place) for place, each in enumerate(there, 1)]
            for around in product([on_or_near(pod, node) for node in named for pod in domain.others], repeat=more):
                pods = [replace(each, name=f"pod-{place}") for place, each in enumerate(around, 1)]
                for pod, guards in product(domain.pending, [(), *((each,) for each in domain.budgets)]):
                    guarding = tuple(guarded(each, 1, pods, pod) for each in guards)
                    if no_overcommit(Snapshot.of(pods, named)):
                        yield Case(pod, replace(Snapshot.of([pod, *pods], named), budgets=guarding))


def renamed(case: Case) -> frozenset[Case]:
    """The case under every other choice of the names of its nodes and other pods."""
    found = set()
    names = [node.name for node in case.snapshot.nodes]
    others = [pod for pod in case.snapshot.pods if pod != case.pod]
    for nodes_to, pods_to in product(permutations(names), permutations([pod.name for pod in others])):
        to = {"": "", **dict(zip(names, nodes_to, strict=True))}
        moved = [
            replace(pod, name=name, node_name=to[pod.node_name], nominated_node_name=to[pod.nominated_node_name])
            for pod, name in zip(others, pods_to, strict=True)
        ]
        there = [replace(node, name=to[node.name]) for node in case.snapshot.nodes]
        snapshot = replace(Snapshot.of([case.pod, *moved], there), budgets=case.snapshot.budgets)
        found.add(Case(case.pod, snapshot))
    return frozenset(found)


def test_every_cluster_is_found_up_to_renaming() -> None:
    found = list(cases(SMALL))
    assert len(set(found)) == len(found)
    assert frozenset[Case]().union(*map(renamed, found)) == set(every(SMALL))


@pytest.mark.parametrize("domain", [SMALL, *(row.domain for row in ROWS if row.quick)])
def test_smaller_clusters_come_first(domain: Domain) -> None:
    sizes = [case.size for case in cases(domain)]
    assert sizes
    assert all(first <= second for first, second in pairwise(sizes))


def test_the_first_differing_cluster_is_found_with_the_number_before_it() -> None:
    found = smallest(SMALL, lambda case: len(case.snapshot.pods) == 2)
    everyone = list(cases(SMALL))
    assert found.case is not None
    assert everyone.index(found.case) == found.before
    assert not any(len(case.snapshot.pods) == 2 for case in everyone[: found.before])


def test_the_size_of_a_case_counts_its_objects_and_quantities() -> None:
    (node,) = nodes((3,))
    spread = SpreadConstraint(2, "zone", True, FOR_APP, 3)
    pod = waiting(priority=-4, containers=containers(1, PORT), spread=(spread,))
    storage = Storage(volumes=(PersistentVolume("v"),), nodes=(CSINode("n", allocatable=frozendict(d=5)),))
    snapshot = replace(
        Snapshot.of([pod], [node], [Namespace("a")]), budgets=budgets(FOR_APP, most=1)[1:], storage=storage
    )
    assert objects(snapshot) == 6
    assert quantities(snapshot) == 3 + 4 + 1 + 1 + 2 + 2 + 1 + 5
    fewer = replace(node, allocatable=node.allocatable.set("pods", 7))
    assert quantities(replace(snapshot, nodes=(fewer,))) == quantities(snapshot) + 7
