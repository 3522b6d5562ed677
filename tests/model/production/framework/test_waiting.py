"""Pods that wait for a permit: allowing, rejecting and timeouts"""

import pytest

from schedcheck.model.production.framework import binding
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.status import SUCCESS, Code, Status, error, unschedulable
from schedcheck.model.production.framework.waiting import LONGEST_WAIT, WaitingPods, duration
from tests.model.production.framework.made_up import Made
from tests.model.production.framework.test_running import framework
from tests.support.building import pod

POD = pod("p")
WAIT = Status(Code.WAIT)


def test_a_pod_continues_once_every_plugin_has_allowed_it() -> None:
    waiting = WaitingPods().add(POD, {"A": 10.0, "B": 10.0}, 0.0)
    waiting.allow("A")
    assert waiting.signal is None and list(waiting.pending) == ["B"]
    waiting.allow("unknown")
    waiting.allow("A")
    assert waiting.signal is None and list(waiting.pending) == ["B"]
    waiting.allow("B")
    assert waiting.signal == SUCCESS


def test_one_rejection_is_enough_and_the_first_signal_wins() -> None:
    waiting = WaitingPods().add(POD, {"A": 10.0, "B": 10.0}, 0.0)
    waiting.reject("A", "not today")
    waiting.allow("A")
    waiting.allow("B")
    waiting.reject("B", "never")
    assert waiting.signal == unschedulable("not today", plugin="A")


def test_a_permit_timeout_rejects_the_pod() -> None:
    waiting = WaitingPods().add(POD, {"B": 10.0, "A": 1.5}, 100.0)
    waiting.expired(101.4)
    assert waiting.signal is None
    waiting.expired(111.0)
    assert waiting.signal == unschedulable("rejected due to timeout after waiting 1.5s at plugin A", plugin="A")


def test_a_permit_timeout_is_capped_at_the_maximum() -> None:
    made = framework("permit", Made("A", {"permit": (WAIT, 10**9)}))
    binding.permitted(made, CycleState(), POD, "n1", 0.0)
    waiting = made.handle.waiting.get(POD)
    assert waiting is not None and waiting.pending == {"A": (LONGEST_WAIT, LONGEST_WAIT)}
    waiting.expired(LONGEST_WAIT)
    assert waiting.signal == unschedulable("rejected due to timeout after waiting 15m0s at plugin A", plugin="A")


def test_a_pod_without_a_waiting_permit_continues() -> None:
    made = framework("permit", Made("A"))
    assert binding.permitted(made, CycleState(), POD, "n1", 0.0) == SUCCESS
    assert binding.permit_awaited(made, POD) == SUCCESS


def test_a_pod_waits_for_its_permits_unless_one_rejects() -> None:
    made = framework("permit", Made("A", {"permit": (WAIT, 5.0)}), Made("B", {"permit": (WAIT, 7.0)}))
    told = binding.permitted(made, CycleState(), POD, "n1", 1.0)
    assert told == Status(Code.WAIT, ('one or more plugins asked to wait and no plugin rejected pod "p"',))
    assert [waiting.pod for waiting in made.handle.waiting] == [POD]
    assert binding.permit_awaited(made, POD) is None
    made = framework("permit", Made("A", {"permit": (WAIT, 5.0)}), Made("B", {"permit": unschedulable("no")}))
    assert binding.permitted(made, CycleState(), POD, "n1", 1.0) == unschedulable("no", plugin="B")
    assert list(made.handle.waiting) == []


def test_an_error_of_permit_names_the_plugin() -> None:
    made = framework("permit", Made("A", {"permit": error("broken")}))
    said = error('running Permit plugin "A": broken', "A")
    assert binding.permitted(made, CycleState(), POD, "n1", 0.0) == said


def test_a_signal_before_the_wait_is_received_once() -> None:
    made = framework("permit", Made("A", {"permit": (WAIT, 5.0)}))
    binding.permitted(made, CycleState(), POD, "n1", 0.0)
    assert made.handle.waiting.reject(POD)
    assert binding.permit_awaited(made, POD) == unschedulable("removed")
    assert binding.permit_awaited(made, POD) == SUCCESS
    assert not made.handle.waiting.reject(POD)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"), (1, "1s"), (1.5, "1.5s"), (0.25, "250ms"), (0.0015, "1.5ms"), (0.000002, "2µs"), (1e-9, "1ns"),
        (59.9, "59.9s"), (60, "1m0s"), (90.5, "1m30.5s"), (900, "15m0s"), (3600, "1h0m0s"), (3661, "1h1m1s"),
    ],
)  # fmt: skip
def test_durations_are_printed_as_in_go(seconds: float, text: str) -> None:
    assert duration(seconds) == text
