"""The named guards of events: the boundary of each predicate, just inside and just outside"""

import pytest
from frozendict import frozendict

from schedcheck.spec import guards
from schedcheck.spec.objects import Node, Pod, Snapshot
from tests.support.building import node, pod, snapshot

P, GIBI = ("default", "p"), 2**30


def test_a_pod_is_absent_if_no_pod_has_its_namespace_and_name() -> None:
    assert guards.pod_absent(P, snapshot())
    assert guards.pod_absent(P, snapshot(pod("p", namespace="other"), pod("q")))
    assert not guards.pod_absent(P, snapshot(pod("p")))


@pytest.mark.parametrize(
    ("there", "bound", "completed"),
    [
        (pod("p"), False, False),
        (pod("p", on="n"), True, False),
        (pod("p", on="n", phase="Succeeded"), False, True),
        (pod("p", on="n", phase="Failed"), False, True),
        (pod("q", on="n"), False, False),
    ],
)
def test_a_pod_is_bound_until_it_has_completed(there: Pod, bound: bool, completed: bool) -> None:
    seen = snapshot(there, node("n"))
    assert guards.pod_bound(P, seen) == bound
    assert guards.pod_completed(P, seen) == completed


def test_an_absent_node_is_not_cordoned() -> None:
    assert guards.node_absent("n", snapshot(node("m")))
    assert not guards.node_absent("n", snapshot(node("n")))
    assert guards.node_cordoned("n", snapshot(node("n", unschedulable=True)))
    assert not guards.node_cordoned("n", snapshot(node("n"), node("m", unschedulable=True)))


def three(**fields: object) -> Snapshot:
    """The nodes a, b and c, of which c has these fields."""
    return snapshot(node("a"), node("b"), node("c", **fields))


@pytest.mark.parametrize(
    ("this", "seen", "number"),
    [
        (node("a"), three(), 0),
        (node("a"), three(unschedulable=True), 1),
        (node("c"), three(unschedulable=True), 0),
        (node("a"), three(ready="False"), 1),
        (node("a"), three(ready="Unknown"), 1),
        (node("a"), snapshot(node("a"), node("b")), 1),
        (node("c"), snapshot(node("a"), node("b")), 0),
        (node("a"), snapshot(), 2),
        (pod("a"), snapshot(), 3),
    ],
)
def test_absent_cordoned_and_unready_nodes_are_out_except_the_one_of_the_event(
    this: Pod | Node, seen: Snapshot, number: int
) -> None:
    names = frozenset("abc")
    assert guards.at_most_out(number, names, this, seen)
    assert not number or not guards.at_most_out(number - 1, names, this, seen)
    assert guards.at_least_out(number, names, this, seen)
    assert not guards.at_least_out(number + 1, names, this, seen)


@pytest.mark.parametrize(
    ("requested", "below"),
    [(98 * GIBI - 1, False), (98 * GIBI, False), (98 * GIBI + 1, True), (100 * GIBI, True), (0, False)],
)
def test_less_than_two_percent_are_free_only_beyond_the_boundary(requested: int, below: bool) -> None:
    full = node("n", 4, allocatable=frozendict(memory=100 * GIBI))
    taker = pod("p", on="n", pod_requests=frozendict(memory=requested * 10**9))
    assert guards.free_below("n", "memory", 2, snapshot(full, taker)) == below


def test_a_completed_pod_takes_nothing_and_an_absent_node_has_nothing_free() -> None:
    full = node("n", 1)
    assert guards.free_below("n", "cpu", 1, snapshot(full, pod("p", 1, on="n")))
    assert not guards.free_below("n", "cpu", 1, snapshot(full, pod("p", 1, on="n", phase="Succeeded")))
    assert not guards.free_below("m", "cpu", 100, snapshot(full, pod("p", 1, on="m")))
    assert not guards.free_below("n", "gpu", 100, snapshot(full))


def test_the_counts_of_pods_include_their_bound() -> None:
    seen = snapshot(node("n"), pod("a", on="n"), pod("b"), pod("c"))
    assert [guards.pods_at_most(number, seen) for number in (2, 3)] == [False, True]
    assert [guards.unbound_at_most(number, seen) for number in (1, 2)] == [False, True]
    assert [guards.bound_at_most(number, seen) for number in (0, 1)] == [False, True]
