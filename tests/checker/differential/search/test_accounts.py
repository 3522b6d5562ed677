"""What a life accounts for itself: backoffs and the first signal at Permit, each with a broken twin that must fail"""

import pytest
from pytest import MonkeyPatch

from tests.checker.differential.search.test_world import world
from tests.checker.differential.search.world import World
from tests.power.held_back import HELD_BACK
from tests.support.building import node, pod

DEFECTS = {each.name: each.defect for each in HELD_BACK}
LATER = "the end of a backoff is computed once"
LAST = "the last signal to a waiting pod counts"


def tried_twice() -> World:
    """A pod is rejected, wakes, is rejected again, and again, so that it has to back off longer."""
    made = world(node("n1", 1), pod("p", 2))
    made.cycle()
    for _ in range(2):
        made.put(node("n1", 3, taints=()), node("n1", 1))
        made.deliver_all()
        made.wait(2.0)
        made.cycle()
    made.put(node("n1", 3))
    made.deliver_all()
    return made


def rejected_first() -> World:
    """A pod that waits for two permits is rejected by one plugin, and then allowed by both."""
    made = world(node("n1", 1), pod("p", 1, labels={"permit": "wait"}))
    made.cycle()
    made.permit(False, 0, "Ledger")
    made.permit(True, 0, "Ledger")
    made.permit(True, 0, "Gate")
    made.advance()
    return made


def test_a_pod_that_was_rejected_again_backs_off_anew() -> None:
    made = tried_twice()
    assert not list(made.scheduler.queue.active)
    made.wait(5.0)
    assert [each.pod.name for each in made.scheduler.queue.active] == ["p"]


def test_an_old_end_of_a_backoff_is_noticed(monkeypatch: MonkeyPatch) -> None:
    DEFECTS[LATER](monkeypatch)
    with pytest.raises(AssertionError, match="back off no more"):
        tried_twice()


def test_a_pod_that_is_rejected_first_is_not_bound() -> None:
    assert not rejected_first().bindings


def test_a_last_signal_that_counts_is_noticed(monkeypatch: MonkeyPatch) -> None:
    DEFECTS[LAST](monkeypatch)
    with pytest.raises(AssertionError, match="rejected first"):
        rejected_first()


def test_a_pod_that_backs_off_too_long_is_noticed(monkeypatch: MonkeyPatch) -> None:
    made = tried_twice()
    monkeypatch.setattr(type(made.scheduler.queue), "flush_backoff", lambda self: None)
    with pytest.raises(AssertionError, match="for too long"):
        made.wait(5.0)


@pytest.mark.parametrize("each", HELD_BACK, ids=lambda each: each.name)
def test_every_defect_that_was_held_back_can_be_put_in(each: object, monkeypatch: MonkeyPatch) -> None:
    each.defect(monkeypatch)  # type: ignore[attr-defined]
