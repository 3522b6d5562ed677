"""Each invariant of a live scheduler holds for the real one and fails for a broken twin"""

from collections.abc import Callable
from typing import Any

import pytest

from schedcheck.model.production.cache.node_tree import NodeTree
from schedcheck.model.production.invariants.scheduler import CLAIMS, the_cache_adds_up, the_snapshot_is_as_if_new
from schedcheck.model.production.queue.nominator import Nominator
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.pod_table import PodTable
from tests.corpus.caching import evicted_on_its_way, lost_with_its_node, node_comes_back, room_kept_for_the_gone
from tests.corpus.decisions import put
from tests.corpus.queueing import (
    active_when_let_through,
    changed_while_tried,
    kept_out_while_it_backs_off,
    queued_while_tried,
)
from tests.model.production.live import Cache, Delivery, Live
from tests.model.production.test_live import shown
from tests.support.building import node, pod

ONE = node("n1", 1)


def node_goes(live: Live) -> None:
    live.delete(ONE)
    live.deliver_all()


def preemptor_goes(live: Live) -> None:
    live.cycle()
    live.delete(live.pod("p"))
    live.deliver_all()


def pod_goes(live: Live) -> None:
    live.cycle()
    live.delete(live.pod("v"))
    live.deliver_all()
    live.wait(5.0)
    live.cycle()


CROWDED = (node("n1", 2), node("n2", 2, unschedulable=True))
CASES: dict[str, tuple[tuple[Any, ...], Callable[[Live], None], Callable[[pytest.MonkeyPatch], None]]] = {
    "the_cache_adds_up": (
        (ONE, pod("a", 1, "n1"), pod("p", 1)), node_comes_back, put(Cache, "remove_node", lost_with_its_node),
    ),
    "the_cache_counts_nodes": ((ONE,), node_goes, put(NodeTree, "remove", lambda self, each: None)),
    "the_snapshot_is_as_if_new": (
        (ONE, pod("v", 1, "n1"), pod("p", 1)), pod_goes, put(PodTable, "remove", lambda self, info: None),
    ),
    "a_pod_is_in_one_place": ((ONE, pod("p", 1)), changed_while_tried, queued_while_tried),
    "no_pod_is_lost": (
        (ONE, pod("p", 2)), Live.cycle, put(SchedulingQueue, "put_back", lambda self, each: self.done(each.identity)),
    ),
    "pods_at_permit_are_in_flight": (
        (ONE, pod("p", 2)), Live.cycle, put(SchedulingQueue, "done", lambda self, identity: None),
    ),
    "active_pods_have_backed_off": (
        (*CROWDED, pod("a", 1, "n1"), pod("b", 1, "n1"), pod("x", 1, "n2"), pod("p", 2, priority=10)),
        kept_out_while_it_backs_off, active_when_let_through,
    ),
    "nominated_pods_are_unbound": (
        (ONE, pod("v", 1, "n1"), pod("p", 1, priority=1)), preemptor_goes,
        put(Nominator, "remove", lambda self, key: None),
    ),
    "the_gone_hold_nothing": (
        (ONE, pod("v", 1, priority=1)), evicted_on_its_way, put(Delivery, "_released", room_kept_for_the_gone),
    ),
}  # fmt: skip


def test_every_invariant_has_a_broken_twin() -> None:
    assert set(CASES) == {claim.__name__ for claim in (*CLAIMS, the_snapshot_is_as_if_new)}


@pytest.mark.parametrize("name", CASES)
def test_an_invariant_holds_and_is_violated_by_its_twin(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    there, told, twin = CASES[name]
    told(Live(*there))
    twin(monkeypatch)
    with pytest.raises(AssertionError, match=name):
        told(Live(*there))


def test_a_second_node_with_an_image_updates_its_score_on_every_node() -> None:
    """kube-scheduler keeps the count of a node as of the last update of that node."""
    live = Live(shown("n1", 1, "plain"), pod("p", 1))
    live.cycle()
    live.put(shown("n2", 1, "plain"), pod("q", 1))
    live.deliver_all()
    live.cycle()
    table = live.scheduler.handle.snapshot.table
    assert {tuple(table.images["a:latest"][row]) for row in table.row_of.values()} == {(500 * 2**20, 2)}


def test_a_pod_that_moves_between_two_cycles_counts_on_its_new_node() -> None:
    live = Live(node("n1", 1), node("n2", 1), pod("a", 1, "n1"), pod("p", 2))
    live.cycle()
    live.delete(live.pod("a"))
    live.put(pod("a", 1, "n2"), pod("q", 1))
    live.deliver_all()
    live.cycle()
    live.settle()
    assert live.pod("q").node_name == "n1"


def test_a_pod_of_the_same_name_is_a_different_pod() -> None:
    live = Live(node("n1", 1), pod("p", 1, labels={"permit": "wait"}))
    live.cycle()
    live.delete(live.pod("p"))
    live.put(pod("p", 1))
    live.deliver_all()
    live.settle()
    assert live.pod("p").node_name == "n1"


def complained(live: Live, name: str) -> list[str]:
    """What one claim says of the scheduler as it is."""
    (claim,) = (each for each in (*CLAIMS, the_snapshot_is_as_if_new) if each.__name__ == name)
    return list(claim(live.scheduler, live.bindings))


def test_an_assumed_pod_that_no_node_has_is_named() -> None:
    live = Live(ONE, pod("p", 1))
    live.scheduler.cache.assumed["default", "gone"] = None
    assert complained(live, "the_cache_adds_up") == ["[('default', 'gone')] are assumed and are nowhere"]


def test_a_pod_that_waits_for_a_permit_without_being_bound_is_named() -> None:
    live = Live(ONE, pod("p", 1, labels={"permit": "wait"}))
    live.cycle()
    identity = live.bindings[0].pod.identity
    assert complained(live, "pods_at_permit_are_in_flight") == []
    live.bindings.clear()
    assert f"{[identity]} wait for a permit and are not being bound" in complained(live, "pods_at_permit_are_in_flight")


def test_an_amount_of_a_node_that_the_snapshot_missed_is_named() -> None:
    live = Live(ONE, pod("p", 1))
    live.cycle()
    table = live.scheduler.handle.snapshot.table
    table.allocatable[table.row_of["n1"], table.resources["cpu"]] = 7
    (complaint,) = complained(live, "the_snapshot_is_as_if_new")
    assert "'cpu': 7" in complaint


@pytest.mark.parametrize("named", ["n0", "n1", "n2"])
def test_a_pod_that_is_kept_on_another_node_than_it_names_is_detected(named: str) -> None:
    live = Live(ONE, pod("a", 1, "n1"))
    live.deliver_all()
    cache = live.scheduler.cache
    (identity,) = cache.nodes["n1"].pods
    moved = PodInfo(pod("a", 1, named))
    cache.nodes["n1"].pods[identity] = cache.pods[identity] = moved
    found = list(the_cache_adds_up(live.scheduler, ()))
    assert found == ([] if named == "n1" else [f"{moved.pod} is kept on n1 and names {named}"])
