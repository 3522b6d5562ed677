"""Preemption in the production scheduler: victims, nominations, and the pods waiting meanwhile"""

from dataclasses import replace
from typing import Any

import pytest

from schedcheck.model.production.cycle.algorithm import Failure, scheduled
from schedcheck.model.production.framework.extender import ExtenderError, Victims
from schedcheck.model.production.framework.listers import Listers
from schedcheck.model.production.framework.status import Code, Status
from schedcheck.model.production.preemption.choice import best
from schedcheck.model.production.preemption.evaluator import asked
from schedcheck.model.production.preemption.eviction import Evictions
from schedcheck.model.production.preemption.victims import violating
from schedcheck.model.production.preemption.worlds import importance
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Pod, PodDisruptionBudget
from tests.model.production.api_server import Running, started
from tests.model.production.cluster import cluster
from tests.model.production.cycle.test_scheduler import run_with
from tests.support.building import node, pod, selector, snapshot


def budget(name: str, allowed: int, **labels: str) -> PodDisruptionBudget:
    return PodDisruptionBudget(name, selector=selector(**labels), disruptions_allowed=allowed)


def evicted(running: Running) -> list[str]:
    return [name for verb, name, _ in running.server.calls if verb == "evict"]


def test_a_preemptor_evicts_a_pod_and_then_uses_its_room() -> None:
    running = started(node("n1", 4), pod("low", 3, "n1"), pod("p", 2, priority=1))
    running.step()
    assert running.server.calls == [("nominate", "p", "n1"), ("evict", "low", "p")]
    assert running.server.told == [
        (
            "p",
            "FailedScheduling",
            "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential "
            "placement for pod on node n1, preempting 1 victims",
        ),
        ("low", "Preempted", "Preempted by pod default/p on node n1"),
    ]
    assert running.place("p") == ["backing off"]
    running.step()
    assert running.server.pod("p").node_name == "n1"


def test_only_needed_victims_are_evicted_the_least_important_first() -> None:
    running = started(
        node("n1", 4), pod("old", 1, "n1", start_time=1), pod("new", 1, "n1", start_time=2),
        pod("dear", 1, "n1", priority=1, start_time=3), pod("p", 2, priority=2),
    )  # fmt: skip
    running.step()
    assert evicted(running) == ["new"]


def test_pods_of_equal_priority_are_not_evicted() -> None:
    running = started(node("n1", 1), pod("q", 1, "n1", priority=1), pod("p", 1, priority=1))
    running.step()
    assert running.server.calls == []
    running = started(node("n1", 1), pod("q", 1, "n1"), pod("p", 1, priority=1, preemption_policy="Never"))
    running.step()
    assert running.server.calls == []
    assert running.server.told[0][2].endswith("preemption: not eligible due to preemptionPolicy=Never.")


def test_while_its_victim_terminates_the_preemptor_waits_and_keeps_its_room() -> None:
    running = started(node("n1", 4), pod("low", 4, "n1"), pod("p", 4, priority=2))
    running.server.graceful = True
    running.step()
    assert running.server.pod("low").terminating and running.place("p") == ["unschedulable"]
    running.scheduler.queue.activate(running.server.pod("p"))
    running.step()
    assert evicted(running) == ["low"]
    assert running.server.told[-1][2].endswith(
        "preemption: not eligible due to a terminating pod on the nominated node."
    )
    running.put(pod("late", 1, priority=1))
    running.delete(running.server.pod("low"))
    running.scheduler.queue.delete(running.server.pod("p"))
    running.scheduler.queue.nominator.add(running.server.pod("p"))
    running.step()
    assert running.server.pod("late").node_name == ""
    assert "1 Insufficient cpu" in running.server.told[-1][2]


def test_the_preemptor_is_gated_until_its_evictions_are_done() -> None:
    running = started(node("n1", 2), pod("a", 1, "n1"), pod("b", 1, "n1"), pod("p", 2, priority=1))
    running.cycle()
    (evictions,) = running.scheduler.handle.background
    plugin = running.scheduler.frameworks["default-scheduler"].plugin("DefaultPreemption")
    asker = running.server.pod("p")
    assert plugin.pre_enqueue(asker).reasons == ("waiting for the preemption for this pod to be finished",)
    running.deliver()
    evictions.step(asker.key)
    running.deliver()
    assert running.place("p") == ["unschedulable"] and not plugin.pre_enqueue(asker).success
    evictions.step(asker.key)
    running.deliver()
    assert plugin.pre_enqueue(asker).success and running.place("p") == ["backing off"]


def test_a_new_pod_with_the_name_of_the_last_victim_is_not_awaited() -> None:
    running = started(node("n1", 1), pod("low", 1, "n1", uid="1"), pod("p", 1, priority=1))
    running.cycle()
    running.deliver()
    (evictions,) = running.scheduler.handle.background
    running.server.graceful = True
    evictions.step(running.server.pod("p").key)
    running.server.changes.clear()
    assert list(evictions.running) == [("default", "p")]
    running.delivery.pod(pod("low", 1, "n1", uid="1"), pod("low", 1, "n1", uid="2"))
    assert not evictions.running


def test_a_new_pod_with_the_name_of_the_preemptor_has_an_eviction_of_its_own() -> None:
    running = started(
        node("n1", 1), node("n2", 1), pod("a", 1, "n1"), pod("b", 1, "n2"), pod("p", 1, priority=1, uid="1")
    )
    running.cycle()
    running.deliver()
    (evictions,) = running.scheduler.handle.background
    plugin = running.scheduler.frameworks["default-scheduler"].plugin("DefaultPreemption")
    before = running.server.pod("p")
    assert not plugin.pre_enqueue(before).success
    again = pod("p", 1, priority=2, uid="2")
    running.delete(before)
    first = evictions.running[before.identity].node
    running.put(again, node(first, 1, unschedulable=True))
    assert plugin.pre_enqueue(again).success and running.place("p") == ["active"]
    running.cycle()
    assert [preemptor[-1] for preemptor in evictions.running] == ["1", "2"]
    assert not plugin.pre_enqueue(again).success
    evictions.finish(before.identity)
    running.deliver()
    assert first not in [each.node for each in evictions.running.values()]
    assert running.place("p") == ["unschedulable"] and not plugin.pre_enqueue(again).success


def test_a_failed_eviction_stops_the_others_and_the_preemptor_is_retried() -> None:
    running = started(node("n1", 2), pod("a", 1, "n1"), pod("b", 1, "n1"), pod("p", 2, priority=1))
    running.server.failing = {"evict"}
    running.step()
    assert len(evicted(running)) == 1 and "a" in [name for _, name in running.server.pods]
    assert "Preempted" not in [reason for _, reason, _ in running.server.told]
    assert running.place("p") == ["active"]
    running.server.failing = set()
    running.step()
    assert sorted(evicted(running)[1:]) == ["a", "b"]


def test_with_synchronous_evictions_one_failure_fails_the_preemption() -> None:
    running = started(node("n1", 1), pod("a", 1, "n1"), pod("p", 1, priority=1), asynchronous_preemption=False)
    running.server.failing = {"evict"}
    running.cycle()
    assert running.server.told[0][2] == "0/1 nodes are available: 1 Insufficient cpu. preemption: evict failed"
    assert [verb for verb, _, _ in running.server.calls] == ["evict"]
    running.server.failing = set()
    running.scheduler.queue.activate(running.server.pod("p"))
    running.cycle()
    assert [verb for verb, _, _ in running.server.calls] == ["evict", "evict", "nominate"]


def test_a_nomination_that_cannot_be_written_is_dropped() -> None:
    running = started(node("n1", 1), pod("a", 1, "n1"), pod("p", 1, priority=1))
    running.server.failing = {"nominate"}
    running.cycle()
    assert running.scheduler.queue.nominated("n1") == []


@pytest.mark.parametrize("asynchronous", [True, False])
def test_preemption_clears_lower_priority_nominations_to_the_node(asynchronous: bool) -> None:
    running = started(
        node("n1", 3), pod("a", 2, "n1"), pod("b", 1, "n1"), pod("p", 2, priority=1),
        asynchronous_preemption=asynchronous,
    )  # fmt: skip
    running.server.graceful = True
    running.step()
    assert running.server.pod("p").nominated_node_name == "n1"
    running.put(pod("q", 3, priority=2))
    running.step()
    assert evicted(running) == ["a", "b"]
    assert running.server.pod("p").nominated_node_name == ""
    assert running.server.pod("q").nominated_node_name == "n1"


@pytest.mark.parametrize("failing", [False, True])
def test_a_failure_to_clear_a_nomination_does_not_prevent_the_eviction(failing: bool) -> None:
    running = started(node("n1", 3), pod("a", 2, "n1"), pod("b", 1, "n1"), pod("p", 2, priority=1))
    running.server.graceful = True
    running.step()
    running.put(pod("q", 3, priority=2))
    running.cycle()
    running.deliver()
    running.server.failing = {"nominate"} if failing else set()
    running.settle()
    assert evicted(running) == ["a", "b"]
    assert running.server.pod("p").nominated_node_name == ("n1" if failing else "")
    assert running.place("q") == (["active"] if failing else ["unschedulable"])


def test_a_victim_that_waits_for_its_permit_is_rejected_and_not_deleted() -> None:
    running, made = run_with({"permit": (Status(Code.WAIT), 60.0)}, node("n1", 1), pod("low", 1))
    running.step()
    made.answers = {}
    running.put(pod("p", 1, priority=1))
    running.step()
    running.settle()
    assert evicted(running) == [] and running.scheduler.cache.assumed == {}
    assert ("low", "FailedScheduling", "0/1 nodes are available: 1 preempted.") in running.server.told
    assert ("low", "Preempted", "Preempted by pod default/p on node n1") in running.server.told
    assert running.place("low") == ["backing off"]


def test_a_terminating_victim_is_not_deleted_again() -> None:
    running = started(node("n1", 1), pod("low", 1, "n1", terminating=True), pod("p", 1, priority=1))
    running.step()
    assert running.server.calls == [("nominate", "p", "n1")]


def test_a_nomination_is_cleared_when_preemption_no_longer_helps() -> None:
    running = started(node("n1", 1), pod("q", 1, "n1", priority=5), pod("p", 1, priority=1, nominated_node_name="n1"))
    running.step()
    assert running.server.calls == [("nominate", "p", "")]
    assert running.scheduler.queue.nominated("n1") == []


def test_pods_whose_eviction_violates_a_budget_are_reprieved_first() -> None:
    running = started(
        node("n1", 2), pod("a", 1, "n1", labels={"app": "a"}), pod("b", 1, "n1", priority=1), pod("p", 1, priority=2)
    )  # fmt: skip
    running.scheduler.handle.listers.budgets = (budget("a", 0, app="a"),)
    running.step()
    assert evicted(running) == ["b"]


def test_budgets_are_charged_in_order_for_all_potential_victims() -> None:
    infos = [PodInfo(pod(name, labels={"app": "a"})) for name in "abc"]
    wrong, right = violating(infos, Listers(budgets=(budget("a", 2, app="a"), budget("b", 2, app="b"))))
    assert [info.pod.name for info in wrong] == ["c"] and [info.pod.name for info in right] == ["a", "b"]


@pytest.mark.parametrize(
    ("guarded", "of"),
    [
        (pod("a"), budget("x", 0, app="a")),
        (pod("a", labels={"app": "a"}), budget("x", 0)),
        (pod("a", labels={"app": "a"}), replace(budget("x", 0), selector=None)),
        (pod("a", labels={"app": "a"}, namespace="other"), budget("x", 0, app="a")),
        (pod("a", labels={"app": "a"}), replace(budget("x", 0, app="a"), disrupted=frozenset({"a"}))),
    ],
)
def test_an_unmatched_or_already_disrupted_pod_is_not_guarded(guarded: Pod, of: PodDisruptionBudget) -> None:
    assert violating([PodInfo(guarded)], Listers(budgets=(of,)))[0] == []


def victims(*priorities: int, violations: int = 0, start: int = 0) -> Victims:
    return Victims(
        tuple(pod(f"v{i}", priority=each, start_time=start) for i, each in enumerate(priorities)), violations
    )


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (victims(9, 9), victims(1, violations=1)),
        (victims(1, 1, 1), victims(2)),
        (victims(2, 0), victims(2, 1)),
        (victims(2), victims(2, -(2**31) + 1)),
        (victims(2), victims(2, -(2**31))),
        (victims(2, start=5), victims(2, start=4)),
    ],
)
def test_each_criterion_decides_among_candidates_in_its_order(better: Victims, worse: Victims) -> None:
    assert best({"a": worse, "b": better}) == ("b",)
    assert best({"a": better, "b": worse, "c": better}) == ("a", "c")


def test_the_earliest_start_counts_only_the_most_important_victims() -> None:
    early = Victims((pod("a", priority=2, start_time=5), pod("b", priority=1, start_time=0)))
    late = Victims((pod("a", priority=2, start_time=4), pod("b", priority=1, start_time=9)))
    assert best({"a": late, "b": early}) == ("b",)


def test_the_candidate_search_is_bounded_and_starts_at_an_offset() -> None:
    nodes = [node(f"n{i}", 1) for i in range(6)]
    pods = [pod(f"low{i}", 1, f"n{i}") for i in range(6)]
    arguments = replace(DEFAULT_PLUGINS.arguments, min_candidate_nodes_percentage=0, min_candidate_nodes_absolute=2)
    running = started(*nodes, *pods, pod("p", 1, priority=1), profiles=[replace(DEFAULT_PLUGINS, arguments=arguments)])
    handle: Any = running.scheduler.handle
    handle.offset = lambda size: size - 1
    chosen: list[tuple[str, ...]] = []
    handle.choose = lambda names: chosen.append(tuple(names)) or names[0]
    running.step()
    assert chosen == [("n5", "n0")]


def test_the_search_continues_until_a_candidate_violates_no_budget() -> None:
    nodes = [node(f"n{i}", 1) for i in range(40)]
    pods = [pod(f"low{i}", 1, f"n{i}", labels={"app": "a"} if i < 39 else {}) for i in range(40)]
    arguments = replace(DEFAULT_PLUGINS.arguments, min_candidate_nodes_percentage=0, min_candidate_nodes_absolute=2)
    running = started(*nodes, *pods, pod("p", 1, priority=1), profiles=[replace(DEFAULT_PLUGINS, arguments=arguments)])
    running.scheduler.handle.listers.budgets = (budget("a", 0, app="a"),)
    running.scheduler.handle.offset = lambda size: 0  # type: ignore[method-assign]
    running.step()
    assert evicted(running) == ["low39"]


class Chooser:
    """An extender that keeps some candidates, or fails."""

    def __init__(self, kept: Any, *, ignorable: bool = False, interested: bool = True) -> None:
        self.name, self.weight, self.ignorable = "extender", 1, ignorable
        self.filters = self.prioritizes = self.binds = False
        self.preempts = True
        self._kept, self._interested = kept, interested

    def interested(self, pod: Pod) -> bool:
        return self._interested

    def preempt(self, pod: Pod, victims: Any) -> Any:
        if isinstance(self._kept, Exception):
            raise self._kept
        return {name: self._kept.get(name, each) for name, each in victims.items() if name in self._kept}


def test_extenders_reduce_the_candidates_in_turn() -> None:
    candidates = {name: victims(1) for name in "abc"}
    first: Any = Chooser({"a": victims(1), "b": victims(2)})
    second: Any = Chooser({"b": victims(3), "c": victims(1)})
    nobody: Any = Chooser({}, interested=False)
    assert asked([first, second, nobody], pod("p"), candidates) == {"b": victims(3)}


def test_a_failing_extender_fails_the_preemption_unless_ignorable() -> None:
    candidates = {"a": victims(1)}
    for wrong in (ExtenderError("broken"), {"a": Victims(())}):
        extender: Any = Chooser(wrong)
        with pytest.raises(ExtenderError):
            asked([extender], pod("p"), candidates)
    ignorable: Any = Chooser(ExtenderError("broken"), ignorable=True)
    assert asked([ignorable], pod("p"), candidates) == candidates
    silent: Any = Chooser({"a": Victims(())}, ignorable=True)
    assert asked([silent], pod("p"), candidates) == {}


@pytest.mark.parametrize(("nodes", "percentage", "absolute", "sought"), [
    (10, 50, 1, 5), (10, 20, 1, 2), (10, 29, 1, 2), (10, 20, 3, 3), (4, 20, 3, 3), (2, 20, 3, 2), (10, 0, 1, 1),
])  # fmt: skip
def test_the_larger_of_percentage_and_absolute_number_of_candidates_is_searched(
    nodes: int, percentage: int, absolute: int, sought: int
) -> None:
    things = [thing for i in range(nodes) for thing in (node(f"n{i}", 1), pod(f"q{i}", 1, f"n{i}"))]
    there = cluster(snapshot(*things), bounded(percentage, absolute), pending=[pod("p", 1, priority=1)])
    framework, state, info = there.cycle(pod("p", 1, priority=1))
    said = scheduled(framework, state, info, there.handle.snapshot)
    assert isinstance(said, Failure)
    found = framework.plugin("DefaultPreemption").evaluator.candidates(
        framework, state, info, said.error.diagnosis.statuses
    )
    assert len(found.candidates) == sought


def bounded(percentage: int, absolute: int) -> Plugins:
    """The default profile with this bound on the number of candidates."""
    arguments = DEFAULT_PLUGINS.arguments
    return replace(
        DEFAULT_PLUGINS,
        arguments=replace(arguments, min_candidate_nodes_percentage=percentage, min_candidate_nodes_absolute=absolute),
    )


def test_a_pod_that_has_not_started_is_less_important_than_one_that_has() -> None:
    started_first, started_last = pod("a", start_time=1), pod("b", start_time=2**62)
    order = [pod("c"), started_last, started_first, pod("d", priority=1)]
    assert [each.pod.name for each in sorted(map(PodInfo, order), key=importance)] == ["d", "a", "b", "c"]


def test_only_pods_of_lower_priority_lose_their_nomination() -> None:
    waiting = [
        pod(name, 1, nominated_node_name="n1", priority=priority)
        for name, priority in (("lower", 1), ("equal", 2), ("higher", 3))
    ]
    victim, preemptor = pod("a", 3, "n1"), pod("p", 3, priority=2)
    handle = cluster(snapshot(node("n1", 6), victim, *waiting)).handle
    evictions = Evictions(handle)
    evictions.start(preemptor, "n1", [victim])
    assert [each.name for each in evictions.running[preemptor.key].losers] == ["lower"]


def test_two_victims_of_the_lowest_priority_cost_less_than_one_of_higher_priority() -> None:
    lowest = -(2**31)
    cheap = Victims((pod("a", priority=5), pod("b", priority=lowest), pod("c", priority=lowest)))
    dear = Victims((pod("d", priority=5), pod("e", priority=0)))
    assert best({"n1": cheap, "n2": dear}) == ("n1",)


def test_a_pod_that_has_not_started_counts_as_starting_now() -> None:
    silent, started_late = Victims((pod("a", priority=1),)), Victims((pod("b", priority=1, start_time=2**50),))
    assert best({"n1": silent, "n2": started_late}) == best({"n2": started_late, "n1": silent}) == ("n1",)
    both = Victims((pod("c", priority=1), pod("d", priority=1, start_time=7)))
    later = Victims((pod("e", priority=1), pod("f", priority=1, start_time=8)))
    assert best({"n1": both, "n2": later}) == ("n2",)
