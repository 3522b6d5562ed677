"""The scheduler as a whole: from the queue to the node, and back after a failure"""

from dataclasses import replace
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.model.production.cycle.scheduler import Stage
from schedcheck.model.production.framework.status import Code, Status, error, unschedulable
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from tests.model.production.api_server import Running, started
from tests.model.production.framework.made_up import Made, factory
from tests.support.building import another, node, pod


def run_with(points: dict[str, Any], *things: Any) -> tuple[Running, Made]:
    """A scheduler with a test plugin that gives these answers at these points and takes part in Reserve."""
    made = Made("A", points)
    made.events = tuple  # type: ignore[attr-defined]
    registry = default_registry()
    registry.register("A", factory(made))
    chosen = DEFAULT_PLUGINS.points
    for point in dict.fromkeys((*points, "reserve")):
        chosen = chosen.set(point, ("A", *DEFAULT_PLUGINS.at(point)))
    return started(*things, registry=registry, profiles=[replace(DEFAULT_PLUGINS, points=chosen)]), made


def nothing_is_left(running: Running, name: str) -> None:
    """Assert that no trace of an attempt to bind the pod is left."""
    assert running.scheduler.cache.assumed == {}
    assert ("default", name) not in running.scheduler.cache.pods
    assert list(running.scheduler.handle.waiting) == []
    assert ("default", name) not in running.scheduler.queue.in_flight


def test_a_pod_is_bound_to_the_only_node_with_room() -> None:
    running = started(node("n1", 1), node("n2", 4), pod("p", 2))
    running.step()
    assert running.server.pod("p").node_name == "n2"
    assert running.server.told == [("p", "Scheduled", "Successfully assigned default/p to n2")]
    assert running.place("p") == [] and running.scheduler.cache.assumed == {}


def test_an_assumed_pod_uses_its_room_before_it_is_bound() -> None:
    running = started(node("n1", 4), pod("p", 3), pod("q", 3))
    running.cycle()
    running.cycle()
    assert running.server.told == [
        ("q", "FailedScheduling", "0/1 nodes are available: 1 Insufficient cpu. "
         "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."),
    ]  # fmt: skip
    assert running.place("q") == ["unschedulable"]


def test_pods_are_scheduled_by_priority_and_then_by_time_in_the_queue() -> None:
    running = started(node("n1", 8), pod("a", 1), pod("b", 1, priority=1))
    running.server.now = 1.0
    running.put(pod("c", 1, priority=1))
    for _ in range(3):
        running.step()
    assert [name for name, _, _ in running.server.told] == ["b", "c", "a"]


def test_without_nodes_a_pod_fails_and_backs_off() -> None:
    running = started(pod("p", 1))
    running.step()
    assert running.server.told == [("p", "FailedScheduling", "no nodes available to schedule pods")]
    assert running.place("p") == ["backing off"]


def test_an_error_is_not_counted_as_a_rejection() -> None:
    running, _ = run_with({"filter": error("broken")}, node("n1", 1), pod("p"))
    running.step()
    assert running.server.told == [("p", "FailedScheduling", 'running "A" filter plugin: broken')]
    (queued,) = running.scheduler.queue.erring
    assert queued.rejectors == set() and queued.errors == 1


def test_foreign_and_terminating_pods_are_not_scheduled() -> None:
    running = started(node("n1", 1), pod("p", scheduler_name="other"), pod("q", terminating=True))
    running.step()
    running.step()
    assert running.server.calls == []
    assert running.place("p") == running.place("q") == []


@pytest.mark.parametrize(
    ("point", "answer", "message", "place"),
    [
        ("reserve", unschedulable("no"), "0/1 nodes are available: 1 no.", "unschedulable"),
        ("reserve", error("no"), 'running Reserve plugin "A": no', "backing off"),
        ("permit", unschedulable("no"), "0/1 nodes are available: 1 no.", "unschedulable"),
        ("permit", error("no"), 'running Permit plugin "A": no', "backing off"),
        ("preBind", unschedulable("no"), "no", "backing off"),
        ("preBind", error("no"), 'running PreBind plugin "A": no', "backing off"),
        ("bind", error("no"), 'running Bind plugin "A": no', "backing off"),
    ],
)
def test_a_failure_after_the_choice_of_a_node_leaves_no_trace(
    point: str, answer: Status, message: str, place: str
) -> None:
    running, made = run_with({point: answer}, node("n1", 1), pod("p"))
    running.step()
    assert running.server.told == [("p", "FailedScheduling", message)]
    assert running.place("p") == [place]
    assert ("A", "unreserve") in made.calls
    nothing_is_left(running, "p")


def test_a_failed_binding_is_undone_and_tried_again() -> None:
    running = started(node("n1", 1), pod("p", 1))
    running.server.failing = {"bind"}
    running.step()
    nothing_is_left(running, "p")
    assert running.place("p") == ["backing off"]
    running.server.failing = set()
    running.wait(3.0)
    running.step()
    assert running.server.pod("p").node_name == "n1"


def test_a_binding_with_a_lost_answer_is_confirmed_by_its_delivery() -> None:
    running = started(node("n1", 1), pod("p", 1))
    running.server.lost = {"bind"}
    binding = running.cycle()
    assert binding is not None
    running.scheduler.finish(binding)
    nothing_is_left(running, "p")
    assert running.place("p") == ["backing off"]
    running.deliver()
    assert running.place("p") == []
    assert running.scheduler.cache.pods["default", "p"].pod.node_name == "n1"


def test_a_pod_waits_for_its_permit_and_is_then_bound() -> None:
    running, _ = run_with({"permit": (Status(Code.WAIT), 10.0)}, node("n1", 2), pod("p", 1))
    binding = running.cycle()
    assert binding is not None and running.scheduler.advance(binding) and binding.stage is Stage.PERMIT
    assert running.server.calls == [] and running.scheduler.cache.is_assumed(("default", "p"))
    assert running.place("p") == ["in flight"]
    waiting = running.scheduler.handle.waiting.get(pod("p"))
    assert waiting is not None
    waiting.allow("A")
    running.settle()
    assert running.server.pod("p").node_name == "n1"


def test_a_permit_timeout_is_a_rejection() -> None:
    running, _ = run_with({"permit": (Status(Code.WAIT), 10.0)}, node("n1", 2), pod("p", 1))
    running.step()
    running.wait(10.0)
    running.settle()
    nothing_is_left(running, "p")
    said = "0/1 nodes are available: 1 rejected due to timeout after waiting 10s at plugin A."
    assert running.server.told == [("p", "FailedScheduling", said)]


def test_a_pod_deleted_while_waiting_for_its_permit_is_gone() -> None:
    running, _ = run_with({"permit": (Status(Code.WAIT), 10.0)}, node("n1", 2), pod("p", 1))
    running.step()
    running.delete(pod("p", 1))
    running.settle()
    nothing_is_left(running, "p")
    assert running.place("p") == []


def test_the_binding_cycle_advances_stage_by_stage() -> None:
    running = started(node("n1", 1), pod("p", 1))
    binding = running.cycle()
    assert binding is not None and binding.stage is Stage.PERMIT
    assert running.place("p") == ["in flight"]
    assert running.scheduler.advance(binding) and binding.stage is Stage.PRE_BIND
    assert running.place("p") == []
    assert running.scheduler.advance(binding) and running.server.calls == []
    assert not running.scheduler.advance(binding)
    assert running.server.calls == [("bind", "p", "n1")]


def test_a_new_node_with_room_moves_an_unschedulable_pod() -> None:
    running = started(node("n1", 1), pod("p", 2))
    running.step()
    assert running.place("p") == ["unschedulable"]
    running.put(node("n2", 1))
    assert running.place("p") == ["unschedulable"]
    running.put(node("n3", 2))
    assert running.place("p") == ["backing off"]
    running.step()
    assert running.server.pod("p").node_name == "n3"


def test_an_event_during_a_scheduling_cycle_is_not_lost() -> None:
    running = started(node("n1", 1), pod("p", 2))
    queued = running.scheduler.queue.pop()
    assert queued is not None
    running.put(node("n2", 2))
    queued.refused_by = {"NodeResourcesFit"}
    running.scheduler.queue.put_back(queued)
    assert running.place("p") == ["backing off"]


def test_the_first_search_starts_with_the_first_node() -> None:
    unrated = replace(DEFAULT_PLUGINS, points=DEFAULT_PLUGINS.points.set("score", ()))
    running = started(node("n1", 1), node("n2", 1), node("n3", 1), pod("p", 1), profiles=[unrated])
    running.step()
    assert running.server.pod("p").node_name == "n1"


def test_the_end_of_a_nomination_moves_pods_of_equal_or_lower_priority() -> None:
    for priority, moved in ((4, True), (5, True), (6, False)):
        running = started(node("n1", 4), pod("q", 3, nominated_node_name="n1", priority=5, scheduling_gates=("g",)))
        running.put(pod("p", 4, priority=priority, preemption_policy="Never"))
        running.put(pod("b", 4, "n1", priority=9))
        running.step()
        assert running.place("p") == ["unschedulable"]
        running.delete(running.server.pod("q"))
        assert running.place("p") == (["backing off"] if moved else ["unschedulable"])


def test_a_failed_binding_moves_pods_that_had_no_room_beside_it() -> None:
    running = started(node("n1", 4), pod("p", 3), pod("q", 3))
    running.server.failing = {"bind"}
    running.cycle()
    running.cycle()
    assert running.place("q") == ["unschedulable"]
    running.settle()
    assert running.place("q") == ["backing off"]


def test_a_permit_rejection_moves_pods_that_had_no_room_but_not_the_pod_itself() -> None:
    running, _ = run_with({"permit": (Status(Code.WAIT), 10.0)}, node("n1", 4), pod("p", 3), pod("q", 3))
    running.cycle()
    running.cycle()
    assert running.place("q") == ["unschedulable"]
    running.wait(10.0)
    running.settle()
    assert running.place("p") == ["unschedulable"]
    assert running.place("q") != ["unschedulable"]


def test_a_changed_nomination_moves_pods_that_it_had_blocked() -> None:
    for after, moved in (("", True), ("m", True), ("z", True), ("n1", False)):
        nominated = pod("q", 3, nominated_node_name="n1", priority=5, scheduling_gates=("g",))
        running = started(node("n1", 4), nominated, pod("b", 4, "n1", priority=9))
        running.put(pod("p", 4, priority=4, preemption_policy="Never"))
        running.step()
        assert running.place("p") == ["unschedulable"]
        running.put(replace(nominated, nominated_node_name=another(after), labels=frozendict({"changed": "yes"})))
        assert running.place("p") == (["backing off"] if moved else ["unschedulable"])
