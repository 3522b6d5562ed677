"""The changes in the scheduler's own state between two steps, in words"""

from typing import Any

from schedcheck.model.production.machine.machine import State
from schedcheck.model.production.machine.state import Memory, Waiter
from schedcheck.model.reference import State as Objects
from schedcheck.report.text.scheduler_changes import scheduler_changes
from tests.support.building import pod

A, B = pod("a"), pod("b")
ON_N = pod("b", on="n")


def state(**memory: Any) -> State:
    return State(Objects((), ()), memory=Memory(**memory))


def waiter(place: str, refused_by: tuple[str, ...] = (), gate: str = "") -> Waiter:
    return Waiter(A, place, 0, refused_by, (), gate, "")


def noted(before: State, after: State) -> list[str]:
    return list(scheduler_changes(before, after))


def test_a_changed_place_in_the_queue_is_noted() -> None:
    active = state(waiters=(waiter("active"),))
    assert noted(state(), active) == ["a is to be tried"]
    assert noted(active, active) == noted(active, state()) == []
    assert noted(active, state(waiters=(waiter("refused"),))) == ["a backs off"]
    assert noted(active, state(waiters=(waiter("erring"),))) == ["a backs off after an error"]
    asleep = state(waiters=(waiter("unschedulable", ("Mine", "NodeName")),))
    assert noted(active, asleep) == ["a waits for an event, refused by Mine, NodeName"]
    gated = state(waiters=(waiter("unschedulable", gate="SchedulingGates"),))
    assert noted(active, gated) == ["a is kept out of the queue by SchedulingGates"]


def test_an_assumed_pod_is_noted_with_the_permits_it_waits_for() -> None:
    assumed = state(assumed=(ON_N,))
    assert noted(state(), assumed) == ["b is assumed on n"]
    waiting = state(assumed=(ON_N,), permits=((ON_N, ("Pairs",), None),))
    assert noted(state(), waiting) == ["b is assumed on n, and waits for the permit of Pairs"]
    assert noted(waiting, assumed) == ["b is assumed on n"]
