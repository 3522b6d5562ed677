"""The properties of a snapshot or a single pod: each just true and just false; the properties of steps have broken
twins
"""

import pytest

from schedcheck.spec.decisions import Bind, Preempt
from schedcheck.spec.objects import Namespace, Node, Pod, Snapshot
from schedcheck.spec.profiles import CORRECTED
from schedcheck.spec.properties.of_decisions import bind_feasible, victims_make_room
from schedcheck.spec.properties.of_nodes import nodes_bounded
from schedcheck.spec.properties.of_pods import pod_bound, pod_waits, present
from schedcheck.spec.properties.of_snapshots import all_pods_bound, anti_affinity_kept, no_overcommit, type_correct
from schedcheck.spec.properties.of_workloads import skew_kept
from tests.support.building import HOSTNAME, apart, container, node, pod, selector, snapshot, term

KEY = ("default", "p")


@pytest.mark.parametrize(
    ("things", "correct"),
    [
        ((), True),
        ((pod("a"), pod("b"), node("a"), node("b")), True),
        ((pod("a"), pod("a", namespace="other")), True),
        ((pod("a"), pod("a", 1)), False),
        ((node("n"), node("n", 1)), False),
        ((pod("a", phase="Unknown"),), True),
        ((pod("a", phase="Lost"),), False),
        ((node("n", 0),), True),
        ((node("n", -1),), False),
    ],
)
def test_type_correct_requires_unique_objects_with_valid_values(
    things: tuple[Pod | Node | Namespace, ...], correct: bool
) -> None:
    assert type_correct(snapshot(*things)) == correct


@pytest.mark.parametrize(
    ("things", "kept"),
    [
        ((pod("a", 1, on="n"), pod("b", 1, on="n")), True),
        ((pod("a", 1, on="n"), pod("b", 1.001, on="n")), False),
        ((pod("a", 1, on="n"), pod("b", 2, on="n", phase="Failed")), True),
        ((pod("a", 1, on="n"), pod("b", 2)), True),
        ((pod("a", 9, on="gone"),), True),
        ((pod("a", on="n"), pod("b", on="n"), pod("c", on="n")), False),
        ((pod("a", on="n", containers=(container(gpu=1),)),), False),
    ],
)
def test_no_overcommit_requires_requests_within_capacity(things: tuple[Pod, ...], kept: bool) -> None:
    assert no_overcommit(snapshot(*things, node("n", 2, 2))) == kept


@pytest.mark.parametrize(("first", "second", "kept"), [("m", "m", False), ("m", "n", True), ("", "m", True)])
def test_anti_affinity_is_kept_if_no_two_such_pods_share_a_domain(first: str, second: str, kept: bool) -> None:
    shy = pod("a", labels={"app": "x"}, on=first, affinity=apart(term(selected=selector(app="x"))))
    nodes = [node(name, labels={HOSTNAME: name}) for name in ("m", "n")]
    assert anti_affinity_kept(snapshot(shy, pod("b", labels={"app": "x"}, on=second), *nodes)) == kept
    assert anti_affinity_kept(snapshot(shy, pod("b", labels={"app": "y"}, on=second), *nodes))


@pytest.mark.parametrize(
    ("things", "bound"),
    [
        ((), False),
        ((pod("a", on="n"),), True),
        ((pod("a", on="n"), pod("b")), False),
        ((pod("a", on="n"), pod("b", phase="Succeeded")), True),
    ],
)
def test_all_pods_bound_requires_a_pod_and_no_pending_pod(things: tuple[Pod, ...], bound: bool) -> None:
    assert all_pods_bound(snapshot(*things, node("n"))) == bound


def test_a_node_that_is_gone_or_has_changed_is_not_feasible() -> None:
    """A scheduler with a stale cache may assume otherwise."""
    one, at = pod("p", 1), node("n", 1)
    for seen, holds in ((snapshot(one, at), True), (snapshot(one), False), (snapshot(one, node("n", 2)), False)):
        assert bind_feasible(seen, Bind(one, at), CORRECTED) == holds
        assert victims_make_room(seen, Preempt(one, at, frozenset()), CORRECTED) == holds


@pytest.mark.parametrize(
    ("seen", "there", "waits", "bound"),
    [
        (snapshot(node("n")), False, False, False),
        (snapshot(pod("p"), node("n")), True, True, False),
        (snapshot(pod("p", on="n"), node("n")), True, False, True),
        (snapshot(pod("p", on="gone"), node("n")), True, False, False),
        (snapshot(pod("p", phase="Failed"), node("n")), True, False, False),
        (snapshot(pod("q"), pod("p", namespace="other"), node("n")), False, False, False),
    ],
)
def test_a_pod_is_absent_pending_or_bound(seen: Snapshot, there: bool, waits: bool, bound: bool) -> None:
    assert (present(seen, KEY) is not None) == there
    assert pod_waits(seen, KEY) == waits
    assert pod_bound(seen, KEY) == bound


@pytest.mark.parametrize(("there", "bounded"), [(0, True), (1, True), (2, True), (3, False)])
def test_nodes_are_bounded_up_to_the_number(there: int, bounded: bool) -> None:
    assert nodes_bounded(2, snapshot(*(node(f"n{number}") for number in range(there)))) is bounded


@pytest.mark.parametrize(("most", "kept"), [(0, False), (1, False), (2, True), (3, True)])
def test_the_skew_is_kept_up_to_the_number(most: int, kept: bool) -> None:
    nodes = [node(name, labels={"zone": name}) for name in ("a", "b")]
    pods = [pod(f"p{number}", on=on, phase="Running") for number, on in enumerate("aaab")]
    assert skew_kept(lambda _: True, "zone", most, snapshot(*pods, *nodes), kubelet=False) is kept
