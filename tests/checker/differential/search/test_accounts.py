"""What a life accounts for itself: backoffs, signals at Permit, binders, pods that are gone, ends of assumptions; each with a broken twin"""

import pytest
from pytest import MonkeyPatch

from schedcheck.checker.differential.standing import looking_at
from schedcheck.model.production.cache.cache import Cache
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from tests.checker.differential.search.accounts import Binders
from tests.checker.differential.search.plugged_lives import BINDS, PluggedWorld, with_binders
from tests.checker.differential.search.test_world import world
from tests.checker.differential.search.world import World
from tests.power.held_back import HELD_BACK
from tests.power.held_back_third import HELD_BACK_THIRD
from tests.power.rewritten import rewritten
from tests.support.building import node, pod

DEFECTS = {each.name: each.defect for each in HELD_BACK}
LATER = "the end of a backoff is computed once"
LAST = "the last signal to a waiting pod counts"
HANDED_ON = "a failing Bind plugin hands on to the next"
OLD_FORM = "a pod that was created again is bound in its old form"


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


def bound_by_others(told: str) -> PluggedWorld:
    """A pod with this label is bound, or not, by the own plugins or by DefaultBinder."""
    profile = with_binders(looking_at(100, DEFAULT_PLUGINS), lambda: made)
    made: PluggedWorld = PluggedWorld(node("n1", 1), pod("p", 1, labels={BINDS: told}), profile=profile)
    made.cycle()
    for _ in range(3):
        made.advance()
    return made


@pytest.mark.parametrize(("told", "bound"), [("skips", "n1"), ("binds", "n1"), ("fails", "")])
def test_the_first_bind_plugin_that_does_not_skip_is_the_last(told: str, bound: str) -> None:
    assert bound_by_others(told).pod("p").node_name == bound


def test_a_bind_plugin_that_hands_on_is_noticed(monkeypatch: MonkeyPatch) -> None:
    DEFECTS[HANDED_ON](monkeypatch)
    with pytest.raises(AssertionError, match="the last but one had not skipped it"):
        bound_by_others("fails")


@pytest.mark.parametrize(
    ("answers", "wrong"),
    [
        ([("a", True), ("b", False)], False),
        ([("a", False)], False),
        ([("a", True), ("b", True), ("c", True)], False),
        ([("a", True)], True),
        ([("b", False)], True),
        ([("a", False), ("b", False)], True),
        ([], True),
    ],
)
def test_binders_are_asked_in_order_until_one_does_not_skip(answers: list[tuple[str, bool]], wrong: bool) -> None:
    binders, one = Binders(), pod("p")
    for plugin, skips in answers:
        binders.heard(one, plugin, skips=skips)
    assert bool(binders.wrong(one, ("a", "b", "c"))) is wrong


def made_anew_while_tried() -> World:
    """A pod is deleted and created again while a node is sought for it."""
    made = world(node("n1", 1), pod("p", 1))
    made.delete(made.pod("p"))
    made.put(pod("p", 1))
    made.cycle(made.tell_all)
    return made


def test_a_pod_that_was_made_anew_is_not_bound_in_its_old_form() -> None:
    assert not made_anew_while_tried().bindings


def test_a_binding_of_a_pod_that_is_gone_is_noticed(monkeypatch: MonkeyPatch) -> None:
    DEFECTS[OLD_FORM](monkeypatch)
    monkeypatch.setattr(World, "look", lambda self: None)
    with pytest.raises(AssertionError, match="are being bound, and are not there"):
        made_anew_while_tried()


@pytest.mark.parametrize("each", HELD_BACK, ids=lambda each: each.name)
def test_every_defect_that_was_held_back_can_be_put_in(each: object, monkeypatch: MonkeyPatch) -> None:
    each.defect(monkeypatch)  # type: ignore[attr-defined]


def failed_twice() -> World:
    """The binding of the only pod fails twice, so that it backs off after an error while nothing else is to be done."""
    made = world(node("n1", 1), pod("p", 1))
    for _ in range(2):
        made.wait(5.0)
        made.cycle()
        made.faults["bind"] = "fails"
        while made.bindings:
            made.advance()
        made.deliver_all()
    made.cycle()
    return made


def test_a_pod_that_backs_off_after_an_error_is_not_popped() -> None:
    assert not failed_twice().bindings


def test_a_backoff_after_an_error_that_is_cut_short_is_noticed(monkeypatch: MonkeyPatch) -> None:
    cut = next(each for each in HELD_BACK_THIRD if each.name == "a backoff after an error is cut short")
    cut.defect(monkeypatch)
    with pytest.raises(AssertionError, match="back off no more"):
        failed_twice()


def assumed_for(seconds: float) -> World:
    """A pod is bound, and its binding is not delivered for so long."""
    made = world(node("n1", 1), pod("p", 1), expires=True)
    made.cycle()
    while made.bindings:
        made.advance()
    made.wait(seconds)
    return made


def test_an_assumed_pod_expires_when_its_time_is_over() -> None:
    assert assumed_for(29.0).scheduler.cache.assumed and not assumed_for(30.0).scheduler.cache.assumed


@pytest.mark.parametrize(("seconds", "change"), [(29.0, "until != now"), (30.0, "until < now")])
def test_an_assumed_pod_that_expires_too_early_or_too_late_is_noticed(
    monkeypatch: MonkeyPatch, seconds: float, change: str
) -> None:
    rewritten(Cache, "expire", ("until <= now", change))(monkeypatch)
    with pytest.raises(AssertionError, match="expire, and not"):
        assumed_for(seconds)
