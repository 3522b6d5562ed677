"""Which nodes are added or marked at once: packing, sizes, candidates in turn; and broken definitions"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.model.controllers.node_pools import estimating, packing, removing
from schedcheck.model.controllers.node_pools.draining import marked
from schedcheck.spec.objects import PodDisruptionBudget, SpreadConstraint
from tests.support.building import HOSTNAME, pod, selector
from tests.support.pooled import OWNED, actions, of_pool, pool, spread


def test_pods_that_fit_one_by_one_are_packed_together() -> None:
    there = of_pool("a-1"), pod("p", 3, **OWNED)
    assert "AddNode(a-2)" not in actions(*there)
    assert actions(*there, pod("q", 3, **OWNED)) == ["AddNode(a-2)"]
    assert actions(*there, pod("q", 1, **OWNED)) == []


@pytest.mark.parametrize(
    ("number", "most", "added"), [(1, 4, 1), (2, 4, 1), (3, 4, 2), (5, 4, 3), (5, 2, 2), (9, 4, 4)]
)
def test_as_many_nodes_are_added_at_once_as_the_packed_pods_need(number: int, most: int, added: int) -> None:
    pods = [pod(f"p{each}", 2, **OWNED) for each in range(number)]
    names = ", ".join(f"a-{each}" for each in range(1, added + 1))
    assert actions(*pods, pools=(pool(most=most),)) == [f"AddNode({names})"]


def test_each_pool_grows_by_what_it_needs_itself() -> None:
    small = pool("b", most=9)
    small = replace(
        small, template=replace(small.template, allocatable=frozendict({"cpu": 2000, "memory": 10, "pods": 110}))
    )
    pods = [pod(f"p{each}", 2, **OWNED) for each in range(3)]
    assert actions(*pods, pools=(pool("a"), small)) == ["AddNode(a-1, a-2)", "AddNode(b-1, b-2, b-3)"]


def test_large_pods_are_packed_first() -> None:
    # In the other order 1 + 1, 3 and 3 would need three nodes.
    sizes = (1, 1, 3, 3)
    pods = [pod(f"p{number}", size, owner=("ReplicaSet", f"o{size}")) for number, size in enumerate(sizes)]
    assert actions(*pods) == ["AddNode(a-1, a-2)"]


def test_pods_of_higher_priority_take_the_places_first() -> None:
    there = of_pool("a-1"), pod("low", 3, labels={"size": "low"}), pod("high", 4, priority=1)
    assert actions(*there, pools=(pool("b"),)) == ["AddNode(b-1)"]
    tight = of_pool("a-1"), pod("low", 3), pod("high", 4, priority=1, node_selector={"node-pool": "a"})
    # The one that stays without a place is `low`, which the pool b takes; `high` it would not.
    assert actions(*tight, pools=(pool("b"),)) == ["AddNode(b-1)"]
    swapped = of_pool("a-1"), pod("low", 3, node_selector={"node-pool": "a"}), pod("high", 4, priority=1)
    assert actions(*swapped, pools=(pool("b"),)) == []


def test_a_waiting_pod_of_a_daemon_set_takes_room_and_gets_no_node() -> None:
    there = of_pool("a-1"), pod("log", 2, owner=("DaemonSet", "log"), priority=1)
    assert actions(*there) == ["ScaleDown(a-1)"]
    assert actions(*there, pod("p", 2, **OWNED)) == []
    assert actions(*there, pod("p", 3, **OWNED)) == ["AddNode(a-2)"]


def test_a_new_node_has_the_daemon_set_pods_of_a_ready_node_of_its_pool() -> None:
    there = pod("log", 1, on="a-1", owner=("DaemonSet", "log")), pod("big", 3, on="a-1", **OWNED)
    waits = [pod(f"p{each}", 2, **OWNED) for each in range(2)]
    assert actions(of_pool("a-1"), *there, *waits) == ["AddNode(a-2, a-3)"]
    assert actions(of_pool("a-1", ready="False"), *there, *waits) == ["AddNode(a-2)"]
    assert actions(of_pool("a-1"), *there, pod("p", 4)) == []


def test_an_old_node_counts_as_needed_if_a_pod_spread_over_hostnames_is_put_there() -> None:
    # With one node of two that there must be, none takes a pod. A new one takes two, a-1 the next, and so on in turn.
    two = tuple(replace(each, min_domains=2) for each in spread())
    webs = [pod(f"w{each}", 1, spread=two, **OWNED) for each in range(5)]
    there = of_pool("a-1", cpu=8), pod("w", 1, on="a-1", **OWNED)
    assert actions(*there, *webs, pools=(pool(most=9),)) == ["AddNode(a-2, a-3)"]


def test_nothing_is_removed_while_a_pool_can_grow() -> None:
    there = of_pool("a-1"), of_pool("a-2"), pod("full", 4, on="a-2", **OWNED)
    assert actions(*there) == ["ScaleDown(a-1)"]
    wants = pod("p", 4, node_selector={"node-pool": "b"})
    assert actions(*there, wants) == ["ScaleDown(a-1)"]
    assert actions(*there, wants, pools=(pool(), pool("b"))) == ["AddNode(b-1)"]


@pytest.mark.parametrize(("least", "sets"), [(0, 7), (1, 6), (2, 3), (3, 0)])
def test_nodes_without_pods_are_removed_together_down_to_the_minimum(least: int, sets: int) -> None:
    there = [of_pool(f"a-{number}") for number in (1, 2, 3)]
    assert len(actions(*there, pools=(pool(least=least),))) == sets


def test_no_more_than_ten_nodes_go_at_once() -> None:
    going = [marked(of_pool(f"a-{number}")) for number in range(1, 10)]
    there = [of_pool(f"b-{number}") for number in (1, 2)]
    found = actions(*going, *there, pools=(pool(most=9), pool("b")))
    assert [each for each in found if each.startswith("Scale")] == ["ScaleDown(b-1)", "ScaleDown(b-2)"]


HONORED: dict[str, Any] = {
    "spread": (SpreadConstraint(1, HOSTNAME, selector=selector(app="web"), taints_honored=True),)
}


def test_a_node_that_stands_in_the_way_may_be_taken_for_gone() -> None:
    # The cordoned a-3 is a domain without pods, so that no node may have two; without it one may.
    webs = [pod(f"w{each}", 1, on=f"a-{each}", **OWNED, **HONORED) for each in (1, 2)]
    there = of_pool("a-1"), of_pool("a-2"), *webs
    assert actions(*there, of_pool("x-3", unschedulable=True)) == []
    pairs = ["ScaleDown(a-1)", "ScaleDown(a-1, a-3)", "ScaleDown(a-2)", "ScaleDown(a-2, a-3)", "ScaleDown(a-3)"]
    assert actions(*there, of_pool("a-3", unschedulable=True)) == pairs
    assert actions(*there, of_pool("a-3", unschedulable=True), options={"kept": frozenset({"a-3"})}) == []


@pytest.mark.parametrize(("allowed", "goes"), [(0, False), (1, False), (2, True)])
def test_budgets_count_the_pods_of_the_nodes_that_were_found_before(allowed: int, goes: bool) -> None:
    # As above, but a-3 has a pod, which must find a place first and is in the same budget.
    budget = PodDisruptionBudget("all", selector=selector(), disruptions_allowed=allowed)
    webs = [pod(f"w{each}", 1, on=f"a-{each}", **OWNED, **HONORED) for each in (1, 2)]
    there = of_pool("a-1"), of_pool("a-2"), of_pool("a-3", unschedulable=True), *webs
    found = actions(*there, pod("q", 1, on="a-3", owner=("ReplicaSet", "q")), budget)
    assert found == (["ScaleDown(a-1)", "ScaleDown(a-2)"] if goes else []) + (["ScaleDown(a-3)"] if allowed else [])


def test_a_node_may_be_passed_over_so_that_its_room_is_there_for_others() -> None:
    there = of_pool("a-1"), of_pool("a-2"), pod("p", 1, on="a-1", **OWNED)
    assert actions(*there) == ["ScaleDown(a-1)", "ScaleDown(a-2)"]
    assert actions(*there, of_pool("x-1")) == ["ScaleDown(a-1)", "ScaleDown(a-1, a-2)", "ScaleDown(a-2)"]


BROKEN: list[tuple[Any, str, Callable[..., Any], Callable[[], None]]] = [
    (packing, "first", lambda pods: pods[-1:], test_pods_of_higher_priority_take_the_places_first),
    (estimating.Estimation, "_size", lambda self, pod: -pod.priority, test_large_pods_are_packed_first),
    (estimating, "too_uneven", lambda *_: False, test_an_old_node_counts_as_needed_if_a_pod_spread_over_hostnames_is_put_there),
    (removing, "interplay", lambda *_: False, test_a_node_that_stands_in_the_way_may_be_taken_for_gone),
    (removing, "_less", lambda budget, _: budget, lambda: test_budgets_count_the_pods_of_the_nodes_that_were_found_before(1, False)),
    (estimating, "_daemons", lambda *_: (), test_a_new_node_has_the_daemon_set_pods_of_a_ready_node_of_its_pool),
    (removing, "MOST_AT_ONCE", 100, test_no_more_than_ten_nodes_go_at_once),
    (removing.Removing, "_keeps", lambda *_: True, lambda: test_nodes_without_pods_are_removed_together_down_to_the_minimum(1, 6)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("module", "name", "broken", "test"),
    BROKEN,
    ids=[f"{number} {name}" for number, (_, name, _, _) in enumerate(BROKEN)],
)
def test_a_broken_definition_is_detected(
    module: Any, name: str, broken: Any, test: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    test()
    monkeypatch.setattr(module, name, broken)
    with pytest.raises((AssertionError, ValueError)):
        test()
