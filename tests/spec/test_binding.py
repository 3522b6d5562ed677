"""The placement of pods on nodes"""

import pytest

from schedcheck.spec.binding import bound, bound_to, completed, occupants, unbound
from schedcheck.spec.faults import NO_FAULTS, Fault
from schedcheck.spec.objects import Snapshot
from tests.support.building import node, pod, snapshot

ON, OFF, LOST, DONE = pod("on", on="n"), pod("off"), pod("lost", on="gone"), pod("done", on="n", phase="Succeeded")
HERE, ELSEWHERE = node("n"), node("m")
SEEN = snapshot(ON, OFF, LOST, DONE, HERE, ELSEWHERE)


def test_a_pod_is_bound_to_the_node_that_it_names() -> None:
    assert bound_to(ON, HERE, SEEN)
    assert not bound_to(ON, ELSEWHERE, SEEN)
    assert not bound_to(OFF, HERE, SEEN)


def test_a_missing_pod_or_node_is_not_bound() -> None:
    assert not bound_to(ON, HERE, SEEN - {ON})
    assert not bound_to(ON, HERE, snapshot(ON, ELSEWHERE))
    assert not bound_to(LOST, node("gone"), SEEN)


def test_a_changed_pod_is_a_different_pod() -> None:
    assert not bound_to(pod("on", 1, on="n"), HERE, SEEN)
    assert not bound_to(ON, node("n", 1), SEEN)


def test_a_pod_is_bound_if_its_node_exists() -> None:
    assert [bound(each, SEEN) for each in (ON, OFF, LOST, DONE)] == [True, False, False, True]


@pytest.mark.parametrize(
    ("phase", "ended"),
    [("Pending", False), ("Running", False), ("Unknown", False), ("Succeeded", True), ("Failed", True)],
)
def test_a_pod_has_ended_if_it_succeeded_or_failed(phase: str, ended: bool) -> None:
    assert completed(pod(phase=phase)) == ended


def test_a_pod_is_pending_if_it_names_no_node_and_has_not_ended() -> None:
    ended = pod("ended", phase="Failed")
    seen = snapshot(ON, OFF, LOST, DONE, ended, HERE)
    assert unbound(seen, NO_FAULTS) == {OFF}
    assert unbound(seen, frozenset({Fault.UNKNOWN_NODE_UNBOUND})) == {OFF, LOST}
    assert unbound(seen, frozenset({Fault.COMPLETED_PODS_COUNT})) == {OFF, ended}
    assert unbound(seen, frozenset({Fault.UNKNOWN_NODE_UNBOUND, Fault.COMPLETED_PODS_COUNT})) == {OFF, LOST, ended}


def test_a_node_is_occupied_by_its_bound_pods_that_have_not_ended() -> None:
    assert occupants(HERE, SEEN, NO_FAULTS) == {ON}
    assert occupants(HERE, SEEN, frozenset({Fault.COMPLETED_PODS_COUNT})) == {ON, DONE}
    assert occupants(ELSEWHERE, SEEN, NO_FAULTS) == frozenset()
    assert occupants(node("gone"), SEEN, NO_FAULTS) == frozenset()


def test_a_snapshot_is_a_set() -> None:
    assert snapshot(ON, HERE, OFF, ELSEWHERE) == snapshot(OFF, ELSEWHERE, HERE, ON)
    assert hash(snapshot(ON, OFF)) == hash(Snapshot((OFF, ON)))
    assert [each.name for each in snapshot(pod("b"), pod("a", namespace="z"), pod("c", namespace="a")).pods] == [
        "c",
        "b",
        "a",
    ]


def test_removing_pods_leaves_the_others() -> None:
    assert SEEN - frozenset({OFF, pod("stranger")}) == snapshot(ON, LOST, DONE, HERE, ELSEWHERE)


def test_pods_are_found_by_node_name_even_if_the_node_is_gone() -> None:
    assert dict(SEEN.pods_by_node) == {"n": (DONE, ON), "gone": (LOST,)}
