"""The scheduling queue: the places of pods, and what moves them"""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedcheck.model.production.framework.events import (
    ASSIGNED_POD_ADDED,
    NODE_ADDED,
    Action,
    ClusterEvent,
    Resource,
    pod_changes,
)
from schedcheck.model.production.framework.framework import built
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.production.queue.heap import Heap
from schedcheck.model.production.queue.hints import Strategy
from schedcheck.model.production.queue.in_flight import Happening, InFlight
from schedcheck.model.production.queue.queued_pod import QueuedPod
from schedcheck.model.production.queue.scheduling_queue import LONGEST_UNSCHEDULABLE, QueueError, SchedulingQueue
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import Pod
from tests.support.building import apart, near, node, pod, selector, term

GATED = ("example.com/gate",)


class Waiting:
    """A queue with a clock, and the delivered pods."""

    def __init__(self, *pods: Pod) -> None:
        self.now = 0.0
        self.pods = {each.key: each for each in pods}
        handle = Handle()
        frameworks = {"default-scheduler": built(default_registry(), DEFAULT_PLUGINS, handle)}
        self.queue = SchedulingQueue(frameworks, lambda: self.now, self.pods.get)
        for each in pods:
            self.queue.add(each)

    def place(self, name: str) -> str:
        """The only place of a pod."""
        (place,) = (place for key, place in self.queue.places() if key == ("default", name))
        return place

    def refuse(self, *plugins: str) -> QueuedPod:
        """Pop the next pod and return it to the queue, rejected by these plugins."""
        queued = self.queue.pop()
        assert queued is not None
        queued.refused_by = set(plugins)
        self.queue.put_back(queued)
        return queued

    def update(self, before: Pod, after: Pod) -> None:
        self.pods[after.key] = after
        self.queue.update(before, after)


def test_a_rejected_pod_waits_for_an_event_and_a_failed_one_for_its_backoff() -> None:
    waiting = Waiting(pod("p"))
    waiting.refuse("NodeResourcesFit")
    assert waiting.place("p") == "unschedulable"
    waiting = Waiting(pod("p"))
    waiting.refuse()
    assert waiting.place("p") == "backing off"
    waiting.now = 1.9
    waiting.queue.flush_backoff()
    assert waiting.place("p") == "backing off"
    waiting.now = 2.0
    waiting.queue.flush_backoff()
    assert waiting.place("p") == "active"


def test_only_the_rejecting_plugins_are_asked_about_an_event() -> None:
    waiting = Waiting(pod("p", 2))
    waiting.refuse("NodeResourcesFit")
    waiting.queue.move_all(NODE_ADDED, None, node("n1", 1))
    assert waiting.place("p") == "unschedulable"
    waiting.queue.move_all(NODE_ADDED, None, node("n2", 2))
    assert waiting.place("p") == "backing off"
    waiting = Waiting(pod("p", 2))
    waiting.refuse("NodeUnschedulable")
    waiting.queue.move_all(NODE_ADDED, None, node("n1", 1, unschedulable=True))
    assert waiting.place("p") == "unschedulable"
    waiting.queue.move_all(NODE_ADDED, None, node("n1", 1))
    assert waiting.place("p") == "backing off"


def test_a_pod_past_its_backoff_moves_directly_to_the_active_queue() -> None:
    waiting = Waiting(pod("p"))
    waiting.refuse("NodeResourcesFit")
    waiting.now = 5.0
    waiting.queue.move_all(NODE_ADDED, None, node("n1", 1))
    assert waiting.place("p") == "active"


def test_any_event_moves_a_pod_rejected_by_an_extender() -> None:
    waiting = Waiting(pod("p"))
    waiting.refuse("Extender")
    waiting.queue.move_all(NODE_ADDED, None, node("n1", unschedulable=True))
    assert waiting.place("p") == "backing off"


def test_an_error_in_a_hint_moves_the_pod() -> None:
    waiting = Waiting(pod("p"))
    waiting.refuse("NodeResourcesFit")
    waiting.queue.move_all(NODE_ADDED, None, None)
    assert waiting.place("p") == "backing off"


def test_an_event_without_a_registered_plugin_moves_no_pod() -> None:
    waiting = Waiting(pod("p"))
    waiting.refuse("NodeResourcesFit")
    waiting.queue.move_all(ClusterEvent(Resource.OTHER, Action.ADD), None, None)
    assert waiting.place("p") == "unschedulable"


def test_a_gated_pod_is_not_tried_until_its_gates_are_gone() -> None:
    gated = pod("p", scheduling_gates=GATED)
    waiting = Waiting(gated)
    assert waiting.place("p") == "unschedulable" and waiting.queue.pop() is None
    waiting.queue.move_all(NODE_ADDED, None, node("n1"))
    waiting.queue.activate(gated)
    waiting.now = LONGEST_UNSCHEDULABLE + 1
    waiting.queue.flush_unschedulable()
    assert waiting.place("p") == "unschedulable"
    waiting.update(gated, replace(gated, labels=pod(labels={"a": "b"}).labels))
    assert waiting.place("p") == "unschedulable"
    waiting.update(gated, pod("p"))
    assert waiting.place("p") == "active"


def test_a_pod_that_backs_off_has_passed_its_gates_already() -> None:
    waiting = Waiting(pod("p"))
    queued = waiting.refuse()
    assert waiting.place("p") == "backing off"
    queued.info = PodInfo(pod("p", scheduling_gates=GATED))
    waiting.now = 100.0
    waiting.queue.flush_backoff()
    assert waiting.place("p") == "active"


def test_a_pod_unschedulable_for_too_long_is_tried_again() -> None:
    waiting = Waiting(pod("p"))
    waiting.refuse("NodeResourcesFit")
    waiting.now = LONGEST_UNSCHEDULABLE
    waiting.queue.flush_unschedulable()
    assert waiting.place("p") == "unschedulable"
    waiting.now = LONGEST_UNSCHEDULABLE + 0.1
    waiting.queue.flush_unschedulable()
    assert waiting.place("p") == "active"


def test_an_event_during_flight_is_examined_when_the_pod_returns() -> None:
    for event, place in ((node("n1", 2), "backing off"), (node("n1", 1), "unschedulable")):
        waiting = Waiting(pod("p", 2))
        queued = waiting.queue.pop()
        assert queued is not None and waiting.place("p") == "in flight"
        waiting.queue.move_all(NODE_ADDED, None, event)
        queued.refused_by = {"NodeResourcesFit"}
        waiting.queue.put_back(queued)
        assert waiting.place("p") == place
        assert waiting.queue.in_flight.entries == []


def test_a_pod_activated_during_flight_returns_active_or_backing_off() -> None:
    waiting = Waiting(pod("p"), pod("q"))
    queued, other = waiting.queue.pop(), waiting.queue.pop()
    assert queued is not None and other is not None
    waiting.queue.activate(queued.pod)
    for each in (queued, other):
        each.refused_by = {"NodeResourcesFit"}
        waiting.queue.put_back(each)
    assert (waiting.place("p"), waiting.place("q")) == ("backing off", "unschedulable")


def test_activation_moves_a_pod_from_any_place_in_the_queue() -> None:
    waiting = Waiting(pod("p"))
    waiting.refuse("NodeResourcesFit")
    waiting.queue.activate(pod("p"))
    assert waiting.place("p") == "active"
    waiting.refuse()
    waiting.queue.activate(pod("p"))
    assert waiting.place("p") == "active"
    waiting.queue.activate(pod("unknown"))
    assert [key for key, _ in waiting.queue.places()] == [("default", "p")]


def test_with_no_active_pod_a_rejected_pod_skips_its_backoff() -> None:
    waiting = Waiting(pod("p"), pod("q"))
    waiting.refuse("NodeResourcesFit")
    waiting.refuse()
    waiting.queue.move_all(NODE_ADDED, None, node("n1", 1))
    assert (waiting.place("p"), waiting.place("q")) == ("backing off", "backing off")
    queued = waiting.queue.pop()
    assert queued is not None and queued.pod.name == "p" and queued.attempts == 2
    assert waiting.queue.pop() is None


def test_a_pod_waiting_for_a_pending_plugin_is_moved_without_backoff() -> None:
    waiting = Waiting(pod("p"))
    queued = waiting.queue.pop()
    assert queued is not None
    queued.pending = {"NodeResourcesFit"}
    waiting.queue.put_back(queued)
    assert waiting.queue.hints.worth(queued, NODE_ADDED, None, node("n1", 1)) is Strategy.IMMEDIATELY
    waiting.queue.move_all(NODE_ADDED, None, node("n1", 1))
    assert waiting.place("p") == "active"


def test_a_pod_on_a_node_moves_every_pod_whose_hints_agree() -> None:
    """Since 1.30, and only with queueing hints on, which is the default: before, only pods with required affinity were
    asked.
    """
    wanted = pod("p", affinity=near(term(selected=selector(app="a"))))
    averse = pod("q", affinity=apart(term(selected=selector(app="a"))))
    waiting = Waiting(wanted, averse)
    for _ in range(2):
        waiting.refuse("InterPodAffinity")
    before, after = pod("a", on="n1", labels={"app": "a"}), pod("a", on="n1", labels={"app": "b"})
    waiting.queue.move_all(ASSIGNED_POD_ADDED, None, after)
    assert [waiting.place(name) for name in "pq"] == ["unschedulable", "unschedulable"]
    waiting.queue.move_all(ASSIGNED_POD_ADDED, None, before)
    assert [waiting.place(name) for name in "pq"] == ["backing off", "unschedulable"]
    for event in pod_changes(before, after, NEWEST.departures):
        waiting.queue.move_all(event, before, after)
    assert waiting.place("q") == "backing off"


def test_a_pod_is_returned_to_the_queue_only_once() -> None:
    waiting = Waiting(pod("p"))
    queued = waiting.refuse("NodeResourcesFit")
    with pytest.raises(QueueError):
        waiting.queue.put_back(queued)
    assert waiting.place("p") == "unschedulable"


def test_a_deleted_pod_is_in_no_place_of_the_queue() -> None:
    for plugins in (("NodeResourcesFit",), ()):
        waiting = Waiting(pod("p", nominated_node_name="n1"))
        waiting.refuse(*plugins)
        waiting.queue.delete(pod("p"))
        assert list(waiting.queue.places()) == [] and waiting.queue.nominated("n1") == []


def test_a_nomination_is_kept_until_an_update_changes_it() -> None:
    before = pod("p")
    waiting = Waiting(before)
    waiting.queue.nominator.add(before, "n1")
    assert [info.pod for info in waiting.queue.nominated("n1")] == [before]
    waiting.update(before, labelled := replace(before, labels=pod(labels={"a": "b"}).labels))
    assert [info.pod for info in waiting.queue.nominated("n1")] == [labelled]
    waiting.update(labelled, moved := replace(labelled, nominated_node_name="n2"))
    assert waiting.queue.nominated("n1") == [] and [i.pod for i in waiting.queue.nominated("n2")] == [moved]
    waiting.update(moved, replace(moved, nominated_node_name=""))
    assert waiting.queue.nominator.nodes() == ()


def test_a_pod_that_is_gone_or_bound_is_not_nominated() -> None:
    waiting = Waiting(pod("p"))
    waiting.queue.nominator.add(pod("unknown"), "n1")
    waiting.pods["default", "p"] = pod("p", on="n1")
    waiting.queue.nominator.add(pod("p"), "n1")
    assert waiting.queue.nominator.nodes() == ()


def test_events_are_kept_as_long_as_a_pod_in_flight_needs_them() -> None:
    flight = InFlight()
    flight.happen(NODE_ADDED, None, 1)
    assert flight.entries == []
    assert flight.begin(("", "a")) and not flight.begin(("", "a"))
    flight.happen(NODE_ADDED, None, 2)
    flight.begin(("", "b"))
    flight.happen(NODE_ADDED, None, 3)
    assert [each.after for each in flight.since(("", "a"))] == [2, 3]
    assert [each.after for each in flight.since(("", "b"))] == [3]
    flight.done(("", "a"))
    assert [each.after for each in flight.entries if isinstance(each, Happening)] == [3]
    flight.done(("", "a"))
    flight.done(("", "b"))
    assert flight.entries == []


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=40), st.integers(0, 2**32))
def test_the_heap_pops_the_least_after_any_removals_and_changes(moves: list[tuple[int, int]], seed: int) -> None:
    heap = Heap(lambda left, right: left.timestamp < right.timestamp)
    there: dict[str, QueuedPod] = {}
    random = Random(seed)
    for number, timestamp in moves:
        name = f"p{number}"
        queued = there.pop(name, None) or QueuedPod(PodInfo(pod(name)), 0.0)
        heap.remove(queued.key)
        queued.timestamp = timestamp
        heap.put(queued)
        there[name] = queued
        if random.random() < 0.3:
            least = min(each.timestamp for each in there.values())
            popped = heap.pop()
            assert popped is not None and popped.timestamp == least
            del there[popped.pod.name]
            popped.timestamp = random.random() * 9
    assert {queued.pod.name for queued in heap} == set(there) and len(heap) == len(there)


VERBS = ("add", "pop", "refuse", "err", "delete", "update", "node", "activate", "flush", "wait", "done")


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(VERBS), st.integers(0, 2)), max_size=30))
def test_every_pod_is_in_exactly_one_place(moves: list[tuple[str, int]]) -> None:
    waiting = Waiting()
    taken: dict[str, QueuedPod] = {}
    for verb, number in moves:
        _moved(waiting, taken, verb, f"p{number}")
        places = [key for key, _ in waiting.queue.places()]
        assert sorted(places) == sorted({*waiting.pods, *(("default", name) for name in taken)})


def _moved(waiting: Waiting, taken: dict[str, QueuedPod], verb: str, name: str) -> None:
    key = ("default", name)
    known = waiting.pods.get(key)
    match verb:
        case "add" if known is None and name not in taken:
            waiting.pods[key] = pod(name, 1)
            waiting.queue.add(waiting.pods[key])
        case "pop":
            queued = waiting.queue.pop()
            if queued is not None:
                taken[queued.pod.name] = queued
        case "refuse" | "err" if name in taken and known is not None:
            queued = taken.pop(name)
            queued.refused_by = {"NodeResourcesFit"} if verb == "refuse" else set()
            waiting.queue.put_back(queued)
        case "delete" if known is not None:
            del waiting.pods[key]
            waiting.queue.delete(known)
        case "update" if known is not None:
            after = replace(known, labels=pod(labels={"a": str(len(known.labels.get("a", "")))}).labels)
            waiting.update(known, after)
        case "node":
            waiting.queue.move_all(NODE_ADDED, None, node("n", 1))
        case "activate" if known is not None:
            waiting.queue.activate(known)
        case "flush":
            waiting.queue.flush_backoff()
            waiting.queue.flush_unschedulable()
        case "wait":
            waiting.now += 100.0
        case "done" if name in taken and known is None:
            del taken[name]
            waiting.queue.done(key)
