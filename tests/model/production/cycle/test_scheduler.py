"""The scheduler as a whole: from the queue to the node, and back when something goes wrong."""

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
    """A scheduler with a made-up plugin at these points, where it answers as told, and at Reserve."""
    made = Made("A", points)
    made.events = tuple  # type: ignore[attr-defined]
    registry = default_registry()
    registry.register("A", factory(made))
    chosen = DEFAULT_PLUGINS.points
    for point in dict.fromkeys((*points, "reserve")):
        chosen = chosen.set(point, ("A", *DEFAULT_PLUGINS.at(point)))
    return started(*things, registry=registry, profiles=[replace(DEFAULT_PLUGINS, points=chosen)]), made


def nothing_is_left(running: Running, name: str) -> None:
    """No trace of an attempt to bind the pod."""
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


def test_an_assumed_pod_takes_its_room_before_it_is_bound() -> None:
    running = started(node("n1", 4), pod("p", 3), pod("q", 3))
    running.cycle()
    running.cycle()
    assert running.server.told == [
        ("q", "FailedScheduling", "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, "
         "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."),
    ]  # fmt: skip
    assert running.place("q") == ["unschedulable"]


def test_the_highest_priority_goes_first_and_then_who_waits_longest() -> None:
    running = started(node("n1", 8), pod("a", 1), pod("b", 1, priority=1))
    running.server.now = 1.0
    running.put(pod("c", 1, priority=1))
    for _ in range(3):
        running.step()
    assert [name for name, _, _ in running.server.told] == ["b", "c", "a"]


def test_without_nodes_a_pod_waits_for_one() -> None:
    running = started(pod("p", 1))
    running.step()
    assert running.server.told == [("p", "FailedScheduling", "no nodes available to schedule pods")]
    assert running.place("p") == ["backing off"]


def test_an_error_is_no_refusal() -> None:
    running, _ = run_with({"filter": error("broken")}, node("n1", 1), pod("p"))
    running.step()
    assert running.server.told == [("p", "FailedScheduling", 'running "A" filter plugin: broken')]
    (queued,) = running.scheduler.queue.erring
    assert queued.rejectors == set() and queued.errors == 1


def test_a_pod_of_nobody_and_one_that_is_being_deleted_are_not_tried() -> None:
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
def test_what_fails_after_the_choice_leaves_no_trace(point: str, answer: Status, message: str, place: str) -> None:
    running, made = run_with({point: answer}, node("n1", 1), pod("p"))
    running.step()
    assert running.server.told == [("p", "FailedScheduling", message)]
    assert running.place("p") == [place]
    assert ("A", "unreserve") in made.calls
    nothing_is_left(running, "p")


def test_a_binding_that_fails_is_undone_and_tried_again() -> None:
    running = started(node("n1", 1), pod("p", 1))
    running.server.failing = {"bind"}
    running.step()
    nothing_is_left(running, "p")
    assert running.place("p") == ["backing off"]
    running.server.failing = set()
    running.wait(3.0)
    running.step()
    assert running.server.pod("p").node_name == "n1"


def test_a_binding_whose_answer_is_lost_is_confirmed_when_it_is_delivered() -> None:
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


def test_a_pod_waits_for_its_permit_and_is_bound_when_it_has_it() -> None:
    running, _ = run_with({"permit": (Status(Code.WAIT), 10.0)}, node("n1", 2), pod("p", 1))
    running.step()
    assert running.server.calls == [] and running.scheduler.cache.is_assumed(("default", "p"))
    assert running.place("p") == ["in flight"]
    waiting = running.scheduler.handle.waiting.get(pod("p"))
    assert waiting is not None
    waiting.allow("A")
    running.settle()
    assert running.server.pod("p").node_name == "n1"


def test_a_permit_that_takes_too_long_is_a_refusal() -> None:
    running, _ = run_with({"permit": (Status(Code.WAIT), 10.0)}, node("n1", 2), pod("p", 1))
    running.step()
    running.wait(10.0)
    running.settle()
    nothing_is_left(running, "p")
    said = "0/1 nodes are available: 1 rejected due to timeout after waiting 10s at plugin A."
    assert running.server.told == [("p", "FailedScheduling", said)]


def test_a_pod_that_is_deleted_while_it_waits_is_gone() -> None:
    running, _ = run_with({"permit": (Status(Code.WAIT), 10.0)}, node("n1", 2), pod("p", 1))
    running.step()
    running.delete(pod("p", 1))
    running.settle()
    nothing_is_left(running, "p")
    assert running.place("p") == []


def test_the_binding_cycle_goes_step_by_step() -> None:
    running = started(node("n1", 1), pod("p", 1))
    binding = running.cycle()
    assert binding is not None and binding.stage is Stage.PERMIT
    assert running.place("p") == ["in flight"]
    assert running.scheduler.advance(binding) and binding.stage is Stage.PRE_BIND
    assert running.place("p") == []
    assert running.scheduler.advance(binding) and running.server.calls == []
    assert not running.scheduler.advance(binding)
    assert running.server.calls == [("bind", "p", "n1")]


def test_a_node_that_comes_lets_a_pod_that_waits_go() -> None:
    running = started(node("n1", 1), pod("p", 2))
    running.step()
    assert running.place("p") == ["unschedulable"]
    running.put(node("n2", 1))
    assert running.place("p") == ["unschedulable"]
    running.put(node("n3", 2))
    assert running.place("p") == ["backing off"]
    running.step()
    assert running.server.pod("p").node_name == "n3"


def test_an_event_that_comes_while_a_pod_is_tried_is_not_lost() -> None:
    running = started(node("n1", 1), pod("p", 2))
    queued = running.scheduler.queue.pop()
    assert queued is not None
    running.put(node("n2", 2))
    queued.refused_by = {"NodeResourcesFit"}
    running.scheduler.queue.put_back(queued)
    assert running.place("p") == ["backing off"]


def test_the_first_search_begins_with_the_first_node() -> None:
    unrated = replace(DEFAULT_PLUGINS, points=DEFAULT_PLUGINS.points.set("score", ()))
    running = started(node("n1", 1), node("n2", 1), node("n3", 1), pod("p", 1), profiles=[unrated])
    running.step()
    assert running.server.pod("p").node_name == "n1"


def test_an_end_of_a_nomination_concerns_those_that_had_to_reckon_with_it() -> None:
    for priority, moved in ((4, True), (5, True), (6, False)):
        running = started(node("n1", 4), pod("q", 3, nominated_node_name="n1", priority=5, scheduling_gates=("g",)))
        running.put(pod("p", 4, priority=priority, preemption_policy="Never"))
        running.put(pod("b", 4, "n1", priority=9))
        running.step()
        assert running.place("p") == ["unschedulable"]
        running.delete(running.server.pod("q"))
        assert running.place("p") == (["backing off"] if moved else ["unschedulable"])


def test_who_had_no_room_beside_a_pod_that_is_not_bound_after_all_is_tried_again() -> None:
    running = started(node("n1", 4), pod("p", 3), pod("q", 3))
    running.server.failing = {"bind"}
    running.cycle()
    running.cycle()
    assert running.place("q") == ["unschedulable"]
    running.settle()
    assert running.place("q") == ["backing off"]


def test_who_had_no_room_beside_a_pod_that_is_rejected_is_tried_again_and_not_the_pod_itself() -> None:
    running, _ = run_with({"permit": (Status(Code.WAIT), 10.0)}, node("n1", 4), pod("p", 3), pod("q", 3))
    running.cycle()
    running.cycle()
    assert running.place("q") == ["unschedulable"]
    running.wait(10.0)
    running.settle()
    assert running.place("p") == ["unschedulable"]
    assert running.place("q") != ["unschedulable"]


def test_a_nomination_that_goes_elsewhere_leaves_room_for_those_that_reckoned_with_it() -> None:
    for after, moved in (("", True), ("m", True), ("n1", False)):
        nominated = pod("q", 3, nominated_node_name="n1", priority=5, scheduling_gates=("g",))
        running = started(node("n1", 4), nominated, pod("b", 4, "n1", priority=9))
        running.put(pod("p", 4, priority=4, preemption_policy="Never"))
        running.step()
        assert running.place("p") == ["unschedulable"]
        running.put(replace(nominated, nominated_node_name=another(after), labels=frozendict({"changed": "yes"})))
        assert running.place("p") == (["backing off"] if moved else ["unschedulable"])
