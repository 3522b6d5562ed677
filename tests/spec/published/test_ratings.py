"""The rating of a node: free resources in hundredths, rounded down, and the weights of preferences"""

from dataclasses import replace

import pytest
from frozendict import frozendict
from hypothesis import given

from schedcheck.checker.drawing.objects import snapshots
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.published.least_allocated import least_allocated
from schedcheck.spec.published.preferred import avoided_pods, preferred_nodes, preferred_pods
from schedcheck.spec.published.viability import RATINGS, viability
from schedcheck.spec.terms import Affinity, PreferredNodeTerm, PreferredPodTerm, Requirement
from tests.support.building import HOSTNAME, container, node, node_term, pod, preferring, selector, snapshot, term


def left(one: Pod, at: Node, *others: Pod, resource: str = "cpu") -> int:
    return least_allocated(one, at, snapshot(one, at, *others), resource, NO_FAULTS)


@pytest.mark.parametrize(
    ("wanted", "capacity", "rating"),
    [(0, 4, 100), (1, 4, 75), (4, 4, 0), (5, 4, 0), (1, 3, 66), (2, 3, 33), (0.001, 1, 99), (0.999, 1, 0), (0, 0, 0)],
)
def test_free_resources_are_rated_in_hundredths_rounded_down(wanted: float, capacity: int, rating: int) -> None:
    assert left(pod("p", wanted), node("n", capacity)) == rating


def test_bound_pods_reduce_the_rating() -> None:
    assert left(pod("p", 1), node("n", 4), pod("q", 1, on="n"), pod("r", 1, on="m"), pod("s", 1)) == 50
    assert left(pod("p", 1), node("n", 4), pod("q", 9, on="n")) == 0


def test_only_the_rated_resource_counts() -> None:
    one = pod("p", containers=(container(1, memory=1),))
    at = node("n", 2, allocatable={"memory": 4})
    assert (left(one, at), left(one, at, resource="memory"), left(one, at, resource="gpu")) == (50, 75, 0)


def test_the_weights_of_matching_preferred_terms_are_added() -> None:
    terms = [
        PreferredNodeTerm(weight, node_term(Requirement(key, "Exists")))
        for weight, key in ((1, "a"), (10, "b"), (100, "a"))
    ]
    one = pod("p", affinity=Affinity(node_preferred=tuple(terms)))
    rated = [
        preferred_nodes(one, node("n", labels=found), snapshot(), "cpu", NO_FAULTS)
        for found in ({}, {"a": ""}, {"b": ""}, {"a": "", "b": ""})
    ]
    assert rated == [0, 101, 10, 111]


def test_an_empty_preferred_term_adds_nothing() -> None:
    assert preferred_nodes(pod(affinity=preferring(5, node_term())), node(), snapshot(), "cpu", NO_FAULTS) == 0


HERE = node("n", labels={HOSTNAME: "n"})
WEB = term(selected=selector(app="web"))
DB = term(selected=selector(app="db"))


def company(*names: str, at: Node = HERE) -> Snapshot:
    return snapshot(at, *(pod(f"{name}{number}", on="n", labels={"app": name}) for number, name in enumerate(names)))


@pytest.mark.parametrize(
    ("there", "rating"), [((), 0), (("web",), 3), (("db",), 20), (("web", "db"), 23), (("web", "web"), 3), (("x",), 0)]
)
def test_a_preferred_pod_term_counts_once_and_an_avoided_one_negatively(there: tuple[str, ...], rating: int) -> None:
    terms = PreferredPodTerm(3, WEB), PreferredPodTerm(20, DB)
    seen = company(*there)
    assert preferred_pods(pod(affinity=Affinity(pod_preferred=terms)), HERE, seen, "cpu", NO_FAULTS) == rating
    assert avoided_pods(pod(affinity=Affinity(anti_preferred=terms)), HERE, seen, "cpu", NO_FAULTS) == -rating


def test_a_node_without_the_topology_key_satisfies_no_preferred_pod_term() -> None:
    bare = replace(HERE, labels=frozendict())
    assert preferred_pods(pod(affinity=preferring(3, WEB)), bare, company("web", at=bare), "cpu", NO_FAULTS) == 0


@given(snapshots())
def test_viability_is_the_sum_of_the_ratings(seen: Snapshot) -> None:
    for one in seen.pods:
        for at in seen.nodes:
            ratings = [each.value(one, at, seen, "cpu", NO_FAULTS) for each in RATINGS]
            assert viability(one, at, seen, "cpu", NO_FAULTS) == sum(ratings)
            assert 0 <= ratings[0] <= 100
            assert ratings[1] >= 0 <= ratings[2]
            assert ratings[3] <= 0
