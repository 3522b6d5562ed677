"""Which pods production evicts and lets into its queue: the properties hold, and broken schedulers violate each"""

from dataclasses import replace
from typing import Any

import pytest

from schedcheck.checker.check import Checked
from schedcheck.checker.differential.admission import evictions_and_gates, on_request
from schedcheck.checker.differential.exploration import explored
from schedcheck.checker.result import Verdict
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.framework.status import SUCCESS, Code, Status, unresolvable
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.production.preemption import eviction
from schedcheck.model.production.preemption.evaluator import Evaluator
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.model.scenario import Scenario
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod
from tests.checker.differential.scenarios import machine
from tests.corpus.decisions import put
from tests.support.building import node, on_pods, pod, scenario


class Own:
    """An out-of-tree plugin: pods of priority 0 wait for a permit, and labelled pods have a gate."""

    name = "Own"

    def __init__(self, arguments: object, handle: Any) -> None:
        self._handle = handle

    def permit(self, state: object, one: Pod, host: str) -> tuple[Status, float]:
        return (Status(Code.WAIT), 60.0) if one.priority == 0 else (SUCCESS, 0.0)

    def pre_enqueue(self, one: Pod) -> Status:
        """Refuse the pod while it is labelled and a pod named `door` is there."""
        shut = "gated" in one.labels and ("default", "door") in self._handle.listers.pods
        return unresolvable("the door is shut") if shut else SUCCESS


def registry() -> Registry:
    made = default_registry()
    made.register(Own.name, Own)
    return made


def at(point: str, of: Scenario) -> Scenario:
    """The scenario with the plugin at a point."""
    points = DEFAULT_PLUGINS.points.set(point, (*DEFAULT_PLUGINS.at(point), Own.name))
    return replace(of, plugins=(replace(DEFAULT_PLUGINS, points=points),))


WAITS = at("permit", scenario(
    node("n1", 1), pod("low", 1), pod("p", 1, priority=5), rules=[on_pods("arrive", "p", 1)], absent="p",
))  # fmt: skip
"""A pod waits for its permit on the only node when a pod of higher priority arrives."""


def asked(of: Scenario, *names: str) -> Checked:
    return explored(of, registry=registry, names=names)


def steps(made: Checked) -> list[str]:
    (violation,) = made.result.violations
    return [str(stage.action) for stage in violation.trace if stage.action is not None]


def test_a_victim_whose_permit_ended_is_deleted_although_it_waits_unbound() -> None:
    """kube-scheduler itself does so: the victim has left the waiting pods, so it is deleted instead of rejected."""
    found = steps(asked(WAITS, "deletes_only_placed_pods"))
    kinds = [each.partition("(")[0] for each in found]
    assert kinds.count("Try") == 2
    assert kinds[-1] == "Evicting" and kinds.index("PermitOver") < kinds.index("Advance") < len(kinds) - 1


def sparing_the_unplaced(patch: pytest.MonkeyPatch) -> None:
    """A victim that has no node any more is not deleted."""
    evicts = eviction.evict

    def sparing(handle: Any, victim: Pod, preemptor: Pod, on: str) -> bool:
        known = handle.listers.pods.get(victim.key)
        placed = known is not None and known.node_name != ""
        return evicts(handle, victim, preemptor, on) if placed or handle.waiting.get(victim) else True

    patch.setattr(eviction, "evict", sparing)


@pytest.mark.medium
def test_a_scheduler_that_spares_unbound_victims_deletes_only_placed_pods(monkeypatch: pytest.MonkeyPatch) -> None:
    sparing_the_unplaced(monkeypatch)
    assert asked(WAITS, "deletes_only_placed_pods").result.verdict is Verdict.HOLDS


@pytest.mark.medium
def test_victims_are_placed_and_gates_are_passed() -> None:
    made = asked(WAITS, "victims_are_placed", "no_entry_past_a_gate", "no_active_pod_is_gated")
    assert made.result.verdict is Verdict.HOLDS


def test_a_pending_pod_as_a_victim_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    preempts = Evaluator.preempt

    def with_a_pending_one(self: Evaluator, *given: Any) -> Any:
        found, status = preempts(self, *given)
        others = [each for each in self._handle.listers.pods.values() if each.name == "later"]
        return (found and replace(found, victims=(*found.victims, *others))), status

    monkeypatch.setattr(Evaluator, "preempt", with_a_pending_one)
    of = scenario(node("n1", 1), pod("low", 1, "n1"), pod("later", 2, priority=-1), pod("p", 1, priority=5))
    assert steps(asked(of, "victims_are_placed"))[-1] == "Try(p)"


SHUT = at("preEnqueue", scenario(
    node("n1", 1), pod("p", 2, labels={"gated": "yes"}), pod("door", 0, "n1"),
    rules=[on_pods("delete", "door", 1)],
))  # fmt: skip
"""A pod stays out of the queue until another one is deleted, which requeues it."""


def test_no_pod_enters_the_queue_past_a_gate() -> None:
    assert asked(SHUT, "no_entry_past_a_gate").result.verdict is Verdict.HOLDS


def test_a_pod_that_is_let_in_past_its_gate_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gates are asked when a pod is created, and not when it is requeued."""
    gated = SchedulingQueue._gated
    put(SchedulingQueue, "_gated", lambda self, queued: not queued.gate and gated(self, queued))(monkeypatch)
    assert steps(asked(SHUT, "no_entry_past_a_gate"))[-1] == "TimedOut(p)"


CLOSES = at("preEnqueue", scenario(
    node("n1", 1), pod("p", 2, labels={"gated": "yes"}), pod("door", 0),
    rules=[on_pods("arrive", "door", 1)], absent="door",
))  # fmt: skip
"""The gate of a pod closes, perhaps while the pod backs off."""


def test_kube_scheduler_does_not_see_a_gate_that_closes_during_a_backoff() -> None:
    assert asked(CLOSES, "no_entry_past_a_gate").result.verdict is Verdict.HOLDS
    assert steps(asked(CLOSES, "no_active_pod_is_gated"))[-1] == "BackedOff(p)"


def test_a_scheduler_that_asks_again_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    activate = SchedulingQueue._activate
    put(SchedulingQueue, "_activate", lambda self, queued, checked=False: activate(self, queued))(monkeypatch)
    assert asked(CLOSES, "no_active_pod_is_gated").result.verdict is Verdict.HOLDS


def test_every_property_is_tested_here() -> None:
    made = machine(scenario(node("n1", 1)))
    names = {each.name for each in (*evictions_and_gates(made), *on_request(made))}
    assert names == {"victims_are_placed", "no_entry_past_a_gate", "deletes_only_placed_pods", "no_active_pod_is_gated"}
