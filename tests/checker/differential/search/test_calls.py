"""What a life accounts for of the calls of the scheduler: nominations, victims that wait, and pods that are not tried"""

from collections.abc import Callable

import pytest
from pytest import MonkeyPatch

from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.preemption import eviction
from schedcheck.model.production.preemption.eviction import Evictions
from tests.checker.differential.search.test_world import world
from tests.checker.differential.search.world import World
from tests.power.rewritten import rewritten
from tests.support.building import node, pod

Patch = Callable[[MonkeyPatch], None]


def deleted_while_queued() -> World:
    """A pod that would fit is being deleted, and its turn comes."""
    made = world(node("n", 1), pod("p", 1, terminating=True))
    made.cycle()
    return made


def waiting_victim() -> World:
    """The only victim of a preemptor waits on Permit."""
    made = world(node("n", 1), pod("v", 1, labels={"permit": "wait"}))
    made.cycle()
    made.put(pod("p", 1, priority=1))
    made.deliver_all()
    made.cycle()
    made.evicting()
    return made


def tried_before_it_hears() -> World:
    """A pod is nominated, its eviction fails, its node is closed, and it is tried before its nomination is delivered."""
    made = world(node("n", 1), pod("v", 1, "n"), pod("p", 1, priority=1))
    made.cycle()
    made.faults["evict"] = "fails"
    made.evicting()
    made.put(node("n", 1, unschedulable=True))
    made.deliver("node")
    made.cycle()
    return made


def outranked() -> World:
    """A pod is nominated, and one of a higher priority preempts there before that is delivered."""
    made = world(node("n", 1), pod("v", 1, "n"), pod("p", 1, priority=1))
    made.cycle()
    made.put(pod("q", 1, priority=2))
    made.streams["pod"].rotate(1)
    made.deliver("pod")
    made.cycle()
    made.evicting()
    made.evicting()
    return made


def test_a_pod_that_is_being_deleted_is_not_tried() -> None:
    assert deleted_while_queued().scheduler.concluded is None


def test_a_victim_that_waits_is_not_deleted() -> None:
    made = waiting_victim()
    assert not made.pod("v").terminating
    assert next(each.signal for each in made.scheduler.handle.waiting) is not None


def test_a_nomination_that_is_not_delivered_is_withdrawn() -> None:
    made = tried_before_it_hears()
    assert made.stores["pod"]["default", "p"].nominated_node_name == made.pod("p").nominated_node_name == ""


def test_a_nomination_that_is_not_delivered_is_outranked() -> None:
    assert outranked().pod("p").nominated_node_name == ""


BROKEN: tuple[tuple[Callable[[], World], Patch, str], ...] = (
    (
        deleted_while_queued,
        rewritten(Scheduler, "_is_to_be_skipped", ("return pod.terminating or ", "return ")),
        "is tried, and is being deleted",
    ),
    (
        waiting_victim,
        rewritten(eviction, "evict", ("if waiting is not None:", "if False:")),
        "although it waits on Permit",
    ),
    (
        tried_before_it_hears,
        rewritten(Scheduler, "_failed", ("{*written, noted} != {nominated}", "written != {nominated}")),
        "is nominated to n, not none",
    ),
    (outranked, rewritten(Evictions, "start", ("alive, losers", "alive, []")), "are cleared"),
)


@pytest.mark.parametrize(("life", "patch", "said"), BROKEN)
def test_a_wrong_call_is_noticed(life: Callable[[], World], patch: Patch, said: str, monkeypatch: MonkeyPatch) -> None:
    patch(monkeypatch)
    with pytest.raises(AssertionError, match=said):
        life()
