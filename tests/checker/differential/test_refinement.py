"""Production refines the kubernetes specification, whose decisions take time; twins that do not are detected"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.refinement.mapping import (
    calls_for,
    image,
    of_its_own,
    refinement,
    something_is_due,
    with_pod,
)
from schedcheck.checker.refinement.stranded import Watched
from schedcheck.checker.result import Result, Verdict
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.framework.status import error
from schedcheck.model.production.machine.actions import Step as Own
from schedcheck.model.production.machine.api import Api
from schedcheck.model.production.machine.machine import Production, State
from schedcheck.model.production.preemption.eviction import Evictions
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.model.scenario import Scenario
from schedcheck.spec.decisions import Bind, Nominate, Wait
from schedcheck.spec.properties.kinds import Property, Step
from tests.checker.differential.scenarios import (
    CHOOSES,
    EVICTS_ONE_OF_TWO,
    NODE_COMES,
    PORTS,
    SHUNS,
    TAKE_VOLUMES,
    TWO_PREEMPTORS,
    machine,
)
from tests.support.building import node, pod, replays, snapshot


def explored(of: Scenario, faults: int = 0, *more: Property) -> Exploration[State]:
    made = machine(of, faults)
    return Exploration(Watched(made), [*refinement(made), *more])


# test_exploring checks refinement on all of tests/checker/differential/scenarios.py. Here calls fail.


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("of", "faults", "distinct"), [(CHOOSES, 1, 1532), (EVICTS_ONE_OF_TWO, 2, 820), (NODE_COMES, 2, 302)]
)
def test_refinement_holds_even_if_calls_fail(of: Scenario, faults: int, distinct: int) -> None:
    result = breadth_first(explored(of, faults))
    assert (result.verdict, result.distinct) == (Verdict.HOLDS, distinct)


# The refinement mapping.

LOW, MORE, ENDING = pod("low", 1, "n1"), pod("more", 1, "n1", priority=1), pod("end", 1, "n1", terminating=True)
WAITS = pod("waits", 1, priority=1, nominated_node_name="n1")
P = pod("p", 1, priority=5)
N1 = node("n1", 2)


def test_a_scheduled_pod_replaces_itself_and_not_an_earlier_pod_of_its_name() -> None:
    earlier, told = replace(pod("p", 1, "n1"), uid="1"), replace(P, uid="2")
    asked = replace(told, nominated_node_name="n1")
    assert set(with_pod(asked, snapshot(N1, earlier, told)).pods) == {earlier, asked}
    assert with_pod(replace(P, nominated_node_name="n1"), snapshot(N1, P)).pods == (
        replace(P, nominated_node_name="n1"),
    )


def test_a_binding_owes_its_own_call() -> None:
    assert calls_for(Bind(P, N1), snapshot(N1, P)) == {(P.key, "bind", P.key, "n1")}


def test_a_nomination_owes_evictions_and_the_end_of_lower_nominations() -> None:
    called_for = calls_for(Nominate(P, N1, frozenset({LOW, ENDING})), snapshot(N1, P, LOW, MORE, ENDING, WAITS))
    assert called_for == {
        (P.key, "nominate", P.key, "n1"),
        (P.key, "evict", LOW.key, ""),
        (P.key, "nominate", WAITS.key, ""),
    }


def test_a_nomination_with_only_terminating_victims_requires_no_other_request() -> None:
    called_for = calls_for(Nominate(P, N1, frozenset({ENDING})), snapshot(N1, P, ENDING, WAITS))
    assert called_for == {(P.key, "nominate", P.key, "n1")}


def test_a_wait_requires_clearing_the_nomination_only_if_unnominated() -> None:
    nominated = replace(P, nominated_node_name="n1")
    assert calls_for(Wait(nominated, unnominated=True), snapshot(N1)) == {(P.key, "nominate", P.key, "")}
    assert calls_for(Wait(nominated), snapshot(N1)) == frozenset()


def test_the_image_contains_outstanding_requests_and_finally_none() -> None:
    met = explored(EVICTS_ONE_OF_TWO)
    breadth_first(met)
    owed = Counter(change.verb for state in met.states for change in image(state).owed)
    assert owed["bind"] > 0 < owed["evict"]
    assert any(image(state).owed == frozenset() and not met.machine.unfinished(state) for state in met.states)


def test_only_a_bound_pod_has_taken_its_volumes_and_not_one_being_bound() -> None:
    """The volume v of n1 is large enough for both claims, w of n2 only for that of a."""
    met = explored(TAKE_VOLUMES)
    breadth_first(met)
    due = something_is_due(met.machine.machine)
    seen = set()
    for state in met.states:
        a, b = (each.node_name for each in state.objects.pods if each is not None)
        uncordoned = not state.objects.nodes[1].unschedulable
        possible = {("", ""): True, ("", "n1"): uncordoned, ("n1", ""): False, ("n2", ""): True, ("n2", "n1"): False}
        assert due(state) == possible[a, b]
        seen.add((a, b, uncordoned, state.memory.volumes != ()))
    assert {("", "", False, True), ("", "n1", False, True), ("", "n1", True, True)} <= seen


# Broken twins.


def never_popping(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SchedulingQueue, "pop", lambda self: None)


def erring_for_ever(patch: pytest.MonkeyPatch) -> None:
    """A pod for which a node was found is returned to the queue as after an error."""

    def begun(self: Scheduler, framework: Any, state: Any, queued: Any, host: str) -> None:
        self._failed(queued, error("no"), None, None)

    patch.setattr(Scheduler, "_begun", begun)


def binding_elsewhere(patch: pytest.MonkeyPatch) -> None:
    bind = Api.bind
    patch.setattr(Api, "bind", lambda self, pod, node: bind(self, pod, "n2" if node == "n1" else "n1"))


def binding_another(patch: pytest.MonkeyPatch) -> None:
    """The first pending pod is bound instead of the right one."""
    bind = Api.bind

    def first(self: Api, pod: Any, node: str) -> None:
        bind(self, min((each for each in self.pods.values() if not each.node_name), key=lambda each: each.key), node)

    patch.setattr(Api, "bind", first)


def evicting_more(patch: pytest.MonkeyPatch) -> None:
    """All pods of lower priority on the node are evicted."""
    start = Evictions.start

    def more(self: Evictions, preemptor: Any, node: str, victims: Any) -> None:
        listed = self._handle.listers.pods.values()
        start(
            self,
            preemptor,
            node,
            [each for each in listed if each.node_name == node and each.priority < preemptor.priority],
        )

    patch.setattr(Evictions, "start", more)


def evicting_at_once(patch: pytest.MonkeyPatch) -> None:
    """An evicted pod loses its node in the same call."""
    evict = Api.evict

    def gone(self: Api, pod: Any, preemptor: Any) -> None:
        evict(self, pod, preemptor)
        self.pods[pod.key] = replace(self.pods[pod.key], node_name="")

    patch.setattr(Api, "evict", gone)


def never_evicting(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Evictions, "start", lambda self, preemptor, node, victims: None)


def nominating_bound_pods(patch: pytest.MonkeyPatch) -> None:
    """A pod for which a node was found is nominated to it as well."""
    begun: Any = Scheduler._begun

    def both(self: Scheduler, framework: Any, state: Any, queued: Any, host: str) -> Any:
        self._nominate(queued.pod, host)
        return begun(self, framework, state, queued, host)

    patch.setattr(Scheduler, "_begun", both)


def binding_when_told(patch: pytest.MonkeyPatch) -> None:
    """When a change is delivered the first pending pod is bound without a cycle."""
    move_all = SchedulingQueue.move_all

    def bound(self: SchedulingQueue, *given: Any) -> None:
        move_all(self, *given)
        client = next(iter(self._frameworks.values())).handle.client
        for queued in list(self.active)[:1]:
            client.bind(queued.pod, "n1")

    patch.setattr(SchedulingQueue, "move_all", bound)


TWINS: tuple[tuple[Callable[[pytest.MonkeyPatch], None], Scenario, str, int, int | None], ...] = (
    (never_popping, CHOOSES, "progresses", 1, 0),
    (erring_for_ever, CHOOSES, "progresses", 6, 1),
    (never_popping, TAKE_VOLUMES, "progresses", 1, 0),
    (never_evicting, EVICTS_ONE_OF_TWO, "progresses", 6, 2),
    (binding_elsewhere, CHOOSES, "refines", 5, None),
    (binding_another, CHOOSES, "refines", 5, None),
    (evicting_more, EVICTS_ONE_OF_TWO, "refines", 2, None),
    (evicting_at_once, EVICTS_ONE_OF_TWO, "refines", 3, None),
    (nominating_bound_pods, CHOOSES, "refines", 2, None),
    (binding_when_told, PORTS, "refines", 3, None),
)
"""Each twin with a scenario, the property that it violates there, the length of the trace, and the start of its cycle.

The path to a cycle is the shortest; the cycle is short, and is judged on the transition system.
"""


@pytest.mark.parametrize("place", range(len(TWINS)), ids=lambda place: TWINS[place][0].__name__)
def test_a_broken_twin_violates_refinement(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    twin, of, name, length, loop = TWINS[place]
    twin(monkeypatch)
    met = explored(of)
    result = breadth_first(met)
    assert [violation.property.name for violation in result.violations] == [name]
    (violation,) = result.violations
    assert (len(violation.trace), violation.loop) == (length, loop)
    assert replays(met.machine, violation.trace)
    assert loop is None or stands_still(met.machine, violation.trace[loop:])


def stands_still(watched: Any, stages: Any) -> bool:
    """Whether the cycle leads back, leaves the API objects unchanged, and something is due there."""
    made: Production = watched.machine
    return (
        stages[0].state == stages[-1].state
        and len({each.state.objects for each in stages}) == 1
        and something_is_due(made)(stages[0].state)
    )


def test_a_pod_that_stays_gated_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin excludes gated pods from the flush of pods that have been unschedulable for too long.

    It also does not release preemptors whose evictions are over; either alone would be enough to wake them.
    """
    timers = Production._timers

    def without_the_gated(self: Production, state: State) -> Any:
        gated = {str(each.pod) for each in state.memory.waiters if each.gate}
        return (
            step
            for step in timers(self, state)
            if not (type(step[0]).__name__ == "TimedOut" and step[0].about in gated)
        )

    monkeypatch.setattr(Production, "_timers", without_the_gated)
    monkeypatch.setattr(SchedulingQueue, "let_in", lambda self, pod: None)
    result = breadth_first(explored(EVICTS_ONE_OF_TWO, 1))
    assert [violation.property.name for violation in result.violations] == ["progresses"]


# Why the image contains what is owed: on the API objects alone there is no refinement.


def at_once(made: Production) -> Step:
    """The property that each step leaves the objects unchanged, is an event, or is a step of the specification on them."""

    def holds(before: State, action: Any, after: State) -> bool:
        return before.objects == after.objects or any(
            reached._replace(to_evict=()) == after.objects for _, reached in made.environment.steps(before.objects)
        )

    return Step("at_once", "", made.kinds(), holds)


def stories(of: Scenario) -> Result:
    made = machine(of)
    return breadth_first(Exploration(Watched(made), [at_once(made)]))


def test_bindings_are_made_in_another_order_than_decided() -> None:
    """Binding c to n1 is right with b on n2, which the objects do not contain yet."""
    (violation,) = stories(SHUNS).violations
    decided, made = ["Try(b, n2)", "Try(c, n1)"], [f"Advance(c, {stage})" for stage in ("permit", "preBind", "bind")]
    assert [str(stage.action) for stage in violation.trace[1:]] == [*decided, *made]


def test_the_objects_alone_do_not_tell_which_pods_will_be_evicted() -> None:
    (violation,) = stories(TWO_PREEMPTORS).violations
    assert [str(stage.action) for stage in violation.trace[1:]] == ["Try(q)", "Evicting(for q)"]


def test_a_step_is_named_by_its_kind_and_its_pod() -> None:
    made = machine(CHOOSES)
    (initial,) = made.initial_states()
    names = {str(action): of_its_own(action) for action, _ in made.steps(initial)}
    assert names["Try(b, n2)"] == ("Try", "b")
    assert names["Delete(c)"] is None
    assert all(isinstance(action, Own) == (of_its_own(action) is not None) for action, _ in made.steps(initial))
