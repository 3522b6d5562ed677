"""The production scheduler in every order of its steps: pinned counts, invariants, and broken twins"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.result import Verdict
from schedcheck.model.production.cache.cache import Cache
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.extenders.any_extender import AnyExtender
from schedcheck.model.production.invariants.machine import (
    INVARIANTS,
    assumed_pods_are_being_bound,
    in_one_place,
    lags_only_by_deliveries,
    no_pod_lost,
)
from schedcheck.model.production.machine.actions import Try
from schedcheck.model.production.machine.api import Choices
from schedcheck.model.production.machine.machine import Production, State
from schedcheck.model.production.machine.state import Memory, Waiter, recalled, remembered
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.select_host import choice
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.profiles import kubernetes
from schedcheck.spec.properties.kinds import Always, Sometimes
from schedcheck.spec.properties.of_snapshots import all_pods_bound, no_overcommit
from tests.support.building import node, on_nodes, on_pods, pod, replays, scenario

KUBERNETES = kubernetes("kubernetes", (DEFAULT_PLUGINS,))
ROOM_FOR_ONE = scenario(node("n1", 1), pod("a", 1), pod("b", 1))
COMES_AND_GOES = scenario(
    node("n1", 1), pod("a", 1), rules=[on_pods("arrive", "a", 2), on_pods("delete", "a", 2)], absent="a"
)  # fmt: skip
EVICTS = scenario(node("n1", 1), pod("low", 1, "n1"), pod("p", 1, priority=1))
EVICTS_OR_WAITS = scenario(
    node("n1", 1),
    node("n2", 1),
    pod("low", 1, "n1"),
    pod("p", 1, priority=1),
    rules=[on_nodes("cordon", "n2", 1), on_nodes("uncordon", "n2", 1), on_pods("delete", "low", 1)],
)


def machine(of: Scenario, faults: int = 0) -> Production:
    return Production(of, Reference(of, KUBERNETES), faults=faults)


def reached(explored: Production, most: int = 10_000) -> Iterator[State]:
    """Every reachable state, in BFS order."""
    states = list(explored.initial_states())
    seen = set(states)
    for state in states:
        yield state
        for _, after in explored.steps(state):
            if after not in seen:
                assert len(seen) < most
                seen.add(after)
                states.append(after)


@pytest.mark.parametrize(
    ("of", "faults", "distinct", "depth"),
    [
        (ROOM_FOR_ONE, 0, 28, 9), (ROOM_FOR_ONE, 1, 221, 14),
        (COMES_AND_GOES, 0, 39, 13), (COMES_AND_GOES, 1, 111, 17),
        (EVICTS, 0, 49, 12), (EVICTS, 1, 318, 17),
        (EVICTS_OR_WAITS, 0, 726, 16),
    ],
)  # fmt: skip
def test_every_order_of_steps_satisfies_the_invariants(of: Scenario, faults: int, distinct: int, depth: int) -> None:
    explored = machine(of, faults)
    held = Always("NoOvercommit", "", no_overcommit)
    bound = Sometimes("AllPodsBound", "", all_pods_bound)
    # With room for one of two pods, both are bound only if an answer is lost.
    met = Exploration(explored, [held, bound] if of is not ROOM_FOR_ONE else [] if faults else [held])
    result = breadth_first(met)
    assert (result.verdict, result.distinct, result.depth) == (Verdict.HOLDS, distinct, depth)
    for state in met.states:
        for invariant in INVARIANTS:
            assert invariant(state), invariant.__name__


TWO_PROFILES = replace(EVICTS, plugins=(DEFAULT_PLUGINS, replace(DEFAULT_PLUGINS, scheduler_name="other")))


@pytest.mark.parametrize("of", [ROOM_FOR_ONE, COMES_AND_GOES, EVICTS, TWO_PROFILES])
def test_a_remembered_scheduler_is_recalled_unchanged(of: Scenario) -> None:
    explored = machine(of, faults=1)
    for state in reached(explored):
        scheduler, _ = explored._awake(state, Choices(()))
        assert remembered(scheduler, recalled(scheduler, state.memory)) == state.memory


def test_steps_depend_on_the_state_alone() -> None:
    first, second = machine(EVICTS, 1), machine(EVICTS, 1)
    for state in reached(first):
        assert list(first.steps(state)) == list(second.steps(state))


@pytest.mark.parametrize("of", [ROOM_FOR_ONE, EVICTS_OR_WAITS])
def test_the_queue_pops_the_first_active_pod(of: Scenario) -> None:
    explored = machine(of)
    handed_out = 0
    for state in reached(explored):
        active = [waiter for waiter in state.memory.waiters if waiter.place == "active"]
        first = {str(each.pod) for each in active if _rank(each) == min(map(_rank, active))}
        for action, _ in explored.steps(state):
            if isinstance(action, Try) and active:
                assert action.what.split(",")[0] in first
                handed_out += 1
    assert handed_out > 10


def _rank(waiter: Waiter) -> tuple[int, int]:
    return -waiter.pod.priority, waiter.rank


def known(memory: Memory) -> Snapshot:
    """The objects in the scheduler's view at the start of a cycle: assumed pods are on their nodes."""
    assumed = {pod.key: pod for pod in memory.assumed}
    nominated = dict(memory.nominations)
    pods = [assumed.get(pod.key, pod) for pod in memory.pods]
    there = [replace(pod, nominated_node_name=nominated.get(pod.key, "")) for pod in pods]
    return Snapshot.of([pod for pod in there if pod.node_name or pod.nominated_node_name], memory.nodes)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("of", "faults"), [(ROOM_FOR_ONE, 1), (COMES_AND_GOES, 1), (EVICTS, 1), (EVICTS_OR_WAITS, 0)])
def test_every_choice_of_a_node_is_allowed_by_the_specification(of: Scenario, faults: int) -> None:
    explored = machine(of, faults)
    placed = refused = 0
    for state in reached(explored):
        for action, _ in explored.steps(state):
            if not isinstance(action, Try):
                continue
            name, _, node_name = action.what.partition(", ")
            (waiter,) = (each for each in state.memory.waiters if str(each.pod) == name)
            if waiter.pod.terminating:
                continue
            there = known(state.memory)
            others = replace(there, pods=tuple(pod for pod in there.pods if pod.key != waiter.pod.key))
            allowed = choice(cycle(waiter.pod, others, DEFAULT_PLUGINS))
            if node_name:
                assert node_name in allowed.hosts
                placed += 1
            else:
                assert allowed.kind == "unschedulable"
                refused += 1
    assert placed > 0 and (refused > 0 or of is COMES_AND_GOES)


def test_a_trace_is_printed_and_can_be_replayed() -> None:
    explored = machine(EVICTS)
    never = Always("NeverBound", "", lambda snapshot: not all_pods_bound(snapshot) or len(snapshot.pods) > 1)
    result = breadth_first(Exploration(explored, [never]))
    (violation,) = result.violations
    story = [str(stage.action) for stage in violation.trace[1:]]
    assert story == [
        "Try(p)", "Deliver(pod p)", "Evicting(for p)", "Terminate(low)", "Deliver(pod low)", "Deliver(pod low)",
        "Try(p, n1)", "Advance(p, permit)", "Advance(p, preBind)", "Advance(p, bind)",
    ]  # fmt: skip
    assert replays(explored, violation.trace)


def test_a_lost_answer_can_overcommit_a_node_before_it_is_delivered() -> None:
    """As in kube-scheduler: an apparently failed binding is forgotten at once, and the next pod gets the same room."""
    explored = machine(ROOM_FOR_ONE, 1)
    result = breadth_first(Exploration(explored, [Always("NoOvercommit", "", no_overcommit)]))
    (violation,) = result.violations
    story = [str(stage.action) for stage in violation.trace[1:]]
    assert story == [
        "Try(a, n1)", "Advance(a, permit)", "Advance(a, preBind)", "Advance(a, bind, bind is lost)",
        "Try(b, n1)", "Advance(b, permit)", "Advance(b, preBind)", "Advance(b, bind)",
    ]  # fmt: skip


def test_a_call_may_fail_or_its_answer_may_be_lost() -> None:
    explored = machine(ROOM_FOR_ONE, 1)
    told = {str(action) for state in reached(explored) for action, _ in explored.steps(state)}
    assert {"Advance(a, bind)", "Advance(a, bind, bind fails)", "Advance(a, bind, bind is lost)"} <= told


def test_no_pod_is_lost_whatever_an_extender_answers() -> None:
    explored = Production(
        ROOM_FOR_ONE,
        Reference(ROOM_FOR_ONE, KUBERNETES),
        extenders=lambda choices: [AnyExtender(choices.pick)],
    )
    states = list(reached(explored))
    assert len(states) == 328
    for state in states:
        assert all(invariant(state) for invariant in INVARIANTS)
        assert no_overcommit(explored.view(state))
    refused = {plugin for state in states for waiter in state.memory.waiters for plugin in waiter.refused_by}
    assert refused == {"Extender", "NodeResourcesFit"}


def broken(of: Scenario, faults: int, invariant: Callable[[State], bool]) -> bool:
    """Whether the invariant is violated in some reachable state."""
    return any(not invariant(state) for state in reached(machine(of, faults)))


def test_a_scheduler_that_does_not_undo_failures_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not broken(ROOM_FOR_ONE, 1, assumed_pods_are_being_bound)
    monkeypatch.setattr(Cache, "forget", lambda self, info: None)
    assert broken(ROOM_FOR_ONE, 1, assumed_pods_are_being_bound)


def test_a_queue_that_drops_moved_pods_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    activate: Any = SchedulingQueue._activate

    def dropping(self: SchedulingQueue, queued: Any, *, checked: bool = False) -> None:
        activate(self, queued, checked=checked)
        if queued.attempts == 0 and queued.refused_by:
            self.active.remove(queued.key)

    monkeypatch.setattr(SchedulingQueue, "_activate", dropping)
    assert broken(EVICTS_OR_WAITS, 0, no_pod_lost)


def test_a_queue_that_keeps_popped_pods_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SchedulingQueue, "_take", lambda self, key: None)
    schedule_one: Any = Scheduler.schedule_one

    def keeping(self: Scheduler) -> Any:
        binding = schedule_one(self)
        if binding is not None:
            self.queue.unschedulable[binding.queued.key] = binding.queued
        return binding

    monkeypatch.setattr(Scheduler, "schedule_one", keeping)
    assert broken(ROOM_FOR_ONE, 0, in_one_place)


def test_a_scheduler_that_ignores_deliveries_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Delivery, "_gone", lambda self, pod: None)
    monkeypatch.setattr(Delivery, "node", lambda self, before, after: None if before else _first(self, after))
    assert broken(EVICTS_OR_WAITS, 0, lags_only_by_deliveries)


def _first(delivery: Any, after: Any) -> None:
    delivery._cache.add_node(after)


def test_a_cache_that_does_not_count_assumed_pods_overcommits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cache, "assume", lambda self, info: None)
    monkeypatch.setattr(Cache, "forget", lambda self, info: None)
    result = breadth_first(Exploration(machine(ROOM_FOR_ONE), [Always("NoOvercommit", "", no_overcommit)]))
    assert result.verdict is Verdict.VIOLATED
