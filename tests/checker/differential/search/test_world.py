"""What a world checks after its steps, each with a broken twin: gated preemptors, who binds, who sleeps after a failure,
and what is nominated after an update
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pytest import MonkeyPatch

from schedcheck.model.production.cycle.scheduler import Stage
from schedcheck.model.production.framework.events import ASSIGNED_POD_DELETED
from schedcheck.model.production.queue.nominator import Nominator
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.spec.objects import Pod, Taint, Toleration
from tests.checker.differential.search.own import Binder, bound_by, with_own
from tests.checker.differential.search.world import World
from tests.model.production.live import JUDGED
from tests.power.fresh import FRESH
from tests.support.building import node, pod

FRESH_DEFECTS = {each.name: each.defect for each in FRESH}


def world(*things: Any, **options: Any) -> World:
    return World(*things, profile=with_own(JUDGED), judged=JUDGED, **options)


def preempting() -> None:
    """A preemptor whose two victims are still to be evicted hears of a new node on which it fits."""
    made = world(node("n1", 2), pod("v", 1, "n1"), pod("w", 1, "n1"), pod("p", 2, priority=5))
    made.cycle()
    assert made.scheduler.queue.nominator.node_of[("default", "p")] == "n1"
    made.put(node("n2", 2))
    made.deliver_all()
    made.wait(20.0)
    made.cycle()
    made.settle()


def bound_outside() -> None:
    """An extender that binds pods with a gpu alone, and a pod without one."""
    made: World
    binder = Binder(binds=True, manages=("example.com/gpu",), how=bound_by(lambda: made))
    made = world(node("n1", 1), pod("p", 1), extenders=(binder,))
    made.cycle()
    made.settle()
    assert made.pod("p").node_name == "n1"


def failing() -> None:
    """A pod waits for the room of another whose binding fails."""
    made = world(node("n1", 2), pod("p", 1, priority=1), pod("q", 2))
    made.cycle()
    made.cycle()
    assert ("default", "q") in made.scheduler.queue.unschedulable
    made.delete(made.pod("p"))
    made.faults["bind"] = "fails"
    made.deliver_all()
    while made.bindings:
        made.advance()
    made.settle()


def updated_late() -> None:
    """A change of a pod from before its nomination is delivered after it."""
    made = world(node("n1", 1), pod("v", 1, "n1"), pod("p", 1, priority=5))
    made.put(pod("p", 1, priority=5, labels={"app": "a"}))
    made.cycle()
    made.deliver("pod")
    assert made.scheduler.queue.nominator.node_of == {("default", "p"): "n1"}
    made.settle()


def forgetful(patch: MonkeyPatch) -> None:
    """An update of a pod clears the nominations of all others."""
    update = Nominator.update

    def alone(self: Nominator, before: Pod, after: Pod) -> None:
        update(self, before, after)
        for key in self.node_of.keys() - {after.key}:
            self.remove(key)

    patch.setattr(Nominator, "update", alone)


def changed_beside() -> None:
    """A pod is changed while another one is nominated."""
    made = world(node("n1", 1), pod("v", 1, "n1"), pod("p", 1, priority=5), pod("q", 1))
    made.cycle()
    made.put(pod("q", 1, labels={"app": "a"}))
    made.deliver_all()
    made.settle()


def deaf_to_failures(patch: MonkeyPatch) -> None:
    """No pod hears that one has left its node."""
    heard = SchedulingQueue.move_all

    def move_all(self: Any, event: Any, *given: Any) -> None:
        if event != ASSIGNED_POD_DELETED:
            heard(self, event, *given)

    patch.setattr(SchedulingQueue, "move_all", move_all)


Life = Callable[[], None]
TWINS: tuple[tuple[Life, Callable[[MonkeyPatch], None], str], ...] = (
    (preempting, FRESH_DEFECTS["the preemptor is not gated by its evictions"], "is tried while its victims"),
    (bound_outside, FRESH_DEFECTS["an extender binds every pod"], "in which it is not interested"),
    (failing, deaf_to_failures, "q sleeps: Bind"),
    (updated_late, FRESH_DEFECTS["an update clears a nomination"], "p is nominated to no node by an update, not n1"),
    (changed_beside, forgetful, "changes the nominations of"),
)


@pytest.mark.parametrize(("life", "defect", "told"), TWINS)
def test_a_world_detects_a_defect_in_a_life_that_is_right_without_it(
    life: Life, defect: Callable[[MonkeyPatch], None], told: str, monkeypatch: MonkeyPatch
) -> None:
    life()
    defect(monkeypatch)
    with pytest.raises(AssertionError, match=told):
        life()


def _gone(made: World, victim: str) -> None:
    """Let a victim be evicted, and end."""
    made.evicting()
    made.deliver_all()
    made.delete(made.pod(victim))
    made.deliver_all()


def nominated_and_bound_elsewhere() -> World:
    """A pod waits for the room that another is nominated to; somebody else binds that one to another node."""
    made = world(
        node("n1", 1), node("n2", 1), pod("v", 1, "n1"), pod("w", 1, "n2", priority=9), pod("p", 1, priority=5)
    )
    made.cycle()
    _gone(made, "v")
    made.put(pod("q", 1))
    made.deliver_all()
    made.cycle()
    assert ("default", "q") in made.scheduler.queue.unschedulable
    made.put(replace(made.pod("p"), node_name="n2", nominated_node_name=""))
    made.deliver_all()
    return made


def nominated_and_assumed_elsewhere() -> World:
    """A pod waits for the room that another is nominated to, which the scheduler assumes on another node."""
    tolerates = (Toleration(key="t", operator="Exists"),)
    made = world(node("n1", 2), pod("v", 2, "n1"), pod("p", 1, priority=5))
    made.cycle()
    _gone(made, "v")
    made.put(pod("q", 2, tolerations=tolerates))
    made.deliver_all()
    made.cycle()
    assert ("default", "q") in made.scheduler.queue.unschedulable
    made.put(node("n1", 2, taints=(Taint(key="t", effect="NoSchedule"),)))
    made.put(node("n2", 1))
    made.deliver_all()
    made.wait(20.0)
    made.cycle()
    return made


@pytest.mark.parametrize("life", [nominated_and_bound_elsewhere, nominated_and_assumed_elsewhere])
def test_a_pod_that_leaves_its_nomination_without_an_event_wakes_nobody(life: Callable[[], World]) -> None:
    made = life()
    assert made.scheduler.queue.nominator.node_of == {}
    assert ("default", "q") in made.scheduler.queue.unschedulable, "kube-scheduler tells nobody of the room: #134859"
    made.no_lost_wakeup()
    made.unsound = False
    with pytest.raises(AssertionError, match=r"q sleeps: Bind\(q, n1\)"):
        made.no_lost_wakeup()


def being_bound() -> World:
    """A pod whose permits are given, and whose binding goes on."""
    made = world(node("n1", 1), pod("q", 1))
    made.cycle()
    while made.bindings and made.bindings[0].stage is Stage.PERMIT:
        made.advance()
    assert made.bindings and ("default", "q") in made.objects["pod"]
    return made


def test_a_pod_that_is_being_deleted_may_wait_while_its_binding_ends() -> None:
    made = being_bound()
    for changes in ({"terminating": True}, {"terminating": True, "preempted": True}):
        made.put(replace(made.pod("q"), **changes))
        made.deliver_all()
    assert [each.key for each in made.scheduler.queue.active] == [("default", "q")]
    made.settle()


def test_no_other_pod_waits_while_it_is_being_bound() -> None:
    made = being_bound()
    made.scheduler.queue.add(made.pod("q"))
    with pytest.raises(AssertionError, match="q waits, and is being bound"):
        made.look()
