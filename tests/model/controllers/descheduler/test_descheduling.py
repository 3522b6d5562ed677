"""The cycles of the descheduler: decisions, evictions one by one, limits, budgets, and what ends a cycle"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from schedcheck.checker.check import Checked, check
from schedcheck.checker.result import Verdict
from schedcheck.model.controllers.descheduler.plan import next_of, pruned
from schedcheck.model.descheduling import Descheduler, Evictor, InterPodAntiAffinity, NodeTaints, RemoveDuplicates, Run
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import PodDisruptionBudget, Taint, Toleration
from schedcheck.spec.values import Labels
from tests.support.building import apart, node, on_pods, pod, scenario, selector, term

OWNED = ("ReplicaSet", "web")
DUPLICATES = Run("RemoveDuplicates", RemoveDuplicates())


def crowd(
    number: int, *, owner: tuple[str, str] = OWNED, runs: int = 1, kept: tuple[str, ...] = (), **limits: int
) -> Scenario:
    """This many pods of one owner on the first of two nodes, which both have room for all of them."""
    pods = [pod(f"p{each}", 1, on="n1", owner=owner, labels={"app": "web"}, phase="Running") for each in range(number)]
    given = Descheduler((DUPLICATES,) * runs, **limits)
    return scenario(
        *pods, node("n1", 9), node("n2", 9), profile="kubernetes", descheduler=given, controllers=frozenset(kept)
    )


def texts(machine: Reference, state: State) -> list[str]:
    """The steps from a state, as texts, without those of the scheduler."""
    return [str(action) for action, _ in machine.steps(state) if str(action).startswith(("Desch", "Evict", "Pass"))]


def walk(given: Scenario, *steps: str) -> tuple[Reference, State]:
    """The machine, and the state after these steps."""
    machine = Reference(given, profile_of(given))
    state = next(iter(machine.initial_states()))
    for text in steps:
        state = next(reached for action, reached in machine.steps(state) if str(action) == text)
    return machine, state


def test_a_run_chooses_any_of_the_duplicates_in_excess() -> None:
    # Three pods on two nodes: at most two on each.
    assert texts(*walk(crowd(3))) == [f"Deschedule(RemoveDuplicates: p{each})" for each in range(3)]


def test_a_plan_is_carried_out_in_any_order_and_not_decided_anew() -> None:
    begun = "Deschedule(RemoveDuplicates: p0, p1)"
    assert texts(*walk(crowd(4), begun)) == ["EvictDescheduled(p0)", "EvictDescheduled(p1)"]
    assert texts(*walk(crowd(4), begun, "EvictDescheduled(p1)")) == ["EvictDescheduled(p0)"]


def test_a_cycle_that_is_over_leaves_no_trace_in_the_state() -> None:
    _, state = walk(crowd(3), "Deschedule(RemoveDuplicates: p0)", "EvictDescheduled(p0)")
    assert state.cycle is None
    assert [str(each) for each in state.pods if each] == ["p1", "p2"]


def test_a_single_ready_node_is_never_descheduled() -> None:
    given = crowd(3)
    unready = replace(given, nodes=(given.nodes[0], replace(given.nodes[1], ready="Unknown")))
    assert texts(*walk(unready)) == []


@pytest.mark.parametrize(("limit", "most"), [("per_node", 1), ("per_namespace", 1), ("total", 1)])
def test_a_limit_ends_the_evictions_of_a_cycle(limit: str, most: int) -> None:
    given = crowd(4, **{limit: most})
    _, state = walk(given, "Deschedule(RemoveDuplicates: p0, p1)", "EvictDescheduled(p0)")
    assert state.cycle is None
    _, state = walk(crowd(4, **{limit: most + 1}), "Deschedule(RemoveDuplicates: p0, p1)", "EvictDescheduled(p0)")
    assert state.cycle is not None


@pytest.mark.parametrize("limit", ["per_node", "per_namespace", "total"])
def test_a_limit_of_zero_forbids_every_eviction(limit: str) -> None:
    assert texts(*walk(crowd(4, **{limit: 0}))) == []


def test_the_limits_count_over_all_plugins_of_a_cycle_and_begin_again_with_the_next() -> None:
    def evictions(given: Scenario) -> int:
        machine, state = walk(given)
        number = 0
        while steps := [each for each in machine.steps(state) if str(each[0]).startswith(("Desch", "Evict"))]:
            action, state = steps[0]
            number += str(action).startswith("Evict")
            if state.cycle is None:
                return number
        return number

    # With two runs in a cycle: 6 pods leave 3, then 3 leave 2.
    assert evictions(crowd(6, runs=1)) == 3
    assert evictions(crowd(6, runs=2)) == 4
    assert evictions(crowd(6, runs=2, total=3)) == 3
    assert texts(*walk(crowd(3, total=1), "Deschedule(RemoveDuplicates: p0)", "EvictDescheduled(p0)")) == [
        "Deschedule(RemoveDuplicates: p1)",
        "Deschedule(RemoveDuplicates: p2)",
    ]


def budgeted(allowed: int, **fields: Any) -> Scenario:
    """Four pods under a budget that allows so many disruptions."""
    budget = PodDisruptionBudget(
        "web", selector=selector(app="web"), disruptions_allowed=allowed, min_available=3, expected=4
    )
    return replace(crowd(4, **fields), budgets=(budget,))


def test_a_budget_refuses_evictions_and_the_descheduler_passes_over_them() -> None:
    begun = "Deschedule(RemoveDuplicates: p0, p1)"
    assert texts(*walk(budgeted(1), begun, "EvictDescheduled(p0)")) == ["PassOver(p1)"]
    _, state = walk(budgeted(1), begun, "EvictDescheduled(p0)", "PassOver(p1)")
    assert state.cycle is None
    assert state.allowed == (0,)


def test_a_run_of_which_every_eviction_is_refused_is_no_step() -> None:
    assert texts(*walk(budgeted(0))) == []


def test_a_pod_that_is_deleted_meanwhile_is_forgotten_if_its_successor_has_another_name() -> None:
    begun = "Deschedule(RemoveDuplicates: p0, p1)"
    deleting = replace(crowd(4), rules=(on_pods("delete", "p0"),))
    assert texts(*walk(deleting, begun, "Delete(p0)")) == ["EvictDescheduled(p1)"]


def test_the_next_pod_of_a_stateful_set_may_be_evicted_instead() -> None:
    begun = "Deschedule(RemoveDuplicates: p0, p1)"
    given = replace(crowd(4, owner=("StatefulSet", "web"), kept=("owners",)), rules=(on_pods("delete", "p0"),))
    assert texts(*walk(given, begun, "Delete(p0)")) == ["PassOver(p0)", "EvictDescheduled(p1)"]
    assert texts(*walk(given, begun, "Delete(p0)", "Create(p0)")) == ["EvictDescheduled(p0)", "EvictDescheduled(p1)"]


def test_a_pod_that_ends_already_counts_as_evicted() -> None:
    given = replace(crowd(4, kept=("kubelet",), total=1), rules=(on_pods("delete", "p0"),))
    begun = "Deschedule(RemoveDuplicates: p0, p1)"
    assert "PassOver(p0)" in texts(*walk(given, begun, "Delete(p0)"))
    _, state = walk(given, begun, "Delete(p0)", "PassOver(p0)")
    assert state.cycle is None


def found(given: Scenario, *properties: str) -> Checked:
    """The exploration of a scenario."""
    return check(replace(given, properties=properties))


def loops() -> Iterator[tuple[Scenario, Verdict]]:
    """A scheduler that has one node for both pods, against RemoveDuplicates; and its repairs."""
    small = replace(crowd(2, kept=("owners",)), nodes=(node("n1", 9), node("n2", 0)))
    fitting = replace(small.descheduler or Descheduler(()), runs=(replace(DUPLICATES, evictor=Evictor(node_fit=True)),))
    yield small, Verdict.VIOLATED
    yield replace(small, descheduler=fitting), Verdict.VACUOUS
    yield replace(small, descheduler=None), Verdict.VACUOUS
    yield replace(small, descheduler=Descheduler((DUPLICATES,), total=0)), Verdict.VACUOUS
    yield replace(small, controllers=frozenset()), Verdict.HOLDS


@pytest.mark.parametrize(("given", "verdict"), list(loops()))
def test_scheduler_and_descheduler_come_to_rest_unless_they_chase_each_other(given: Scenario, verdict: Verdict) -> None:
    assert found(given, "comes_to_rest").result.verdict is verdict


def test_evictions_of_the_descheduler_are_evictions_to_the_properties() -> None:
    assert found(crowd(3), "never_evicted(p0)").result.verdict is Verdict.VIOLATED
    # The status allows one disruption more than the budget can spare.
    assert found(budgeted(2), "budget_kept(web)").result.verdict is Verdict.VIOLATED
    assert found(budgeted(1), "budget_kept(web)").result.verdict is Verdict.HOLDS


def test_no_symmetry_and_no_tables_beside_a_descheduler() -> None:
    explored = check(replace(crowd(3), properties=("no_overcommit",)), engine="auto")
    assert explored.symmetry == ()
    assert explored.engine == "direct"
    assert "descheduler" in explored.why or explored.why == ""


def tainted(*runs: Run) -> Scenario:
    """A pod on each of two nodes with a taint, which neither tolerates, beside a third node."""
    taint = Taint("old", "NoSchedule")
    nodes = [replace(node(name, 9), taints=(taint,)) for name in ("n1", "n2")]
    pods = [pod("p1", on="n1", owner=OWNED, phase="Running"), pod("p2", on="n2", owner=OWNED, phase="Running")]
    return scenario(*pods, *nodes, node("n3", 9), profile="kubernetes", descheduler=Descheduler(runs))


TAINTS = Run("RemovePodsViolatingNodeTaints", NodeTaints())


def test_a_run_goes_on_with_the_other_nodes_until_none_has_work() -> None:
    both = ["Deschedule(RemovePodsViolatingNodeTaints: p1)", "Deschedule(RemovePodsViolatingNodeTaints: p2)"]
    assert texts(*walk(tainted(TAINTS))) == both
    machine, state = walk(tainted(TAINTS), both[1], "EvictDescheduled(p2)")
    assert texts(machine, state) == both[:1]
    assert state.cycle is not None
    assert walk(tainted(TAINTS), both[1], "EvictDescheduled(p2)", both[0], "EvictDescheduled(p1)")[1].cycle is None


def test_pods_that_repel_each_other_are_evicted_until_none_does() -> None:
    same = {
        "owner": OWNED,
        "labels": {"app": "web"},
        "affinity": apart(term(selected=selector(app="web"))),
        "phase": "Running",
    }
    pods = [pod(f"p{each}", on="n1", **same) for each in range(3)]
    run = Run("RemovePodsViolatingInterPodAntiAffinity", InterPodAntiAffinity())
    given = scenario(*pods, node("n1", 9), node("n2", 9), profile="kubernetes", descheduler=Descheduler((run,)))
    begun = "Deschedule(RemovePodsViolatingInterPodAntiAffinity: p0, p1, p2)"
    assert texts(*walk(given, begun, "EvictDescheduled(p1)")) == ["EvictDescheduled(p0)", "EvictDescheduled(p2)"]
    assert walk(given, begun, "EvictDescheduled(p1)", "EvictDescheduled(p2)")[1].cycle is None


def test_groups_of_a_plan_are_not_mixed() -> None:
    plan = ((((0, 1),), ((2, 3),)),)

    def orders(left: Any) -> set[tuple[int, ...]]:
        return {(slot, *rest) for slot, after in next_of(left) for rest in orders(after)} or {()}

    assert orders(plan) == {
        (*first, *second)
        for pair in (([0, 1], [2, 3]), ([2, 3], [0, 1]))
        for first in (pair[0], pair[0][::-1])
        for second in (pair[1], pair[1][::-1])
    }
    assert pruned(plan, lambda slot: slot == 2) == ((2,),)
    assert pruned(plan, lambda slot: False) == ()


TAINTED = Run("RemovePodsViolatingNodeTaints", NodeTaints(), Evictor(node_fit=True))


@pytest.mark.parametrize("kept", ["p0", "nobody"])
def test_a_run_that_may_choose_a_pod_which_a_budget_keeps_may_be_passed_over(kept: str) -> None:
    pods = [pod(f"p{each}", 1, on="n1", owner=OWNED, labels={"name": f"p{each}"}, phase="Running") for each in range(3)]
    other = pod("other", 1, on="n3", owner=("ReplicaSet", "other"), phase="Running")
    nodes = node("n1", 9), node("n2", 9), node("n3", 9, taints=(Taint("old", "NoSchedule"),))
    given = scenario(
        *pods,
        other,
        *nodes,
        profile="kubernetes",
        descheduler=Descheduler((DUPLICATES, replace(TAINTED, evictor=Evictor()))),
        budgets=(PodDisruptionBudget("kept", selector=selector(name=kept), disruptions_allowed=0),),
        controllers=frozenset(),
    )
    duplicates = [f"Deschedule(RemoveDuplicates: {each})" for each in ("p0", "p1", "p2") if each != kept]
    later = ["Deschedule(RemovePodsViolatingNodeTaints: other)"] if kept == "p0" else []
    assert texts(*walk(given)) == [*duplicates, *later]


@pytest.mark.parametrize(("room", "owed"), [(1, False), (2, True)])
def test_a_node_without_work_may_have_been_looked_at_before_another_one(room: int, owed: bool) -> None:
    # The pod a fits on n2 alone, at first only if n2 has room beside b, which fits on n3.
    a = pod(
        "a",
        1,
        on="n1",
        owner=("ReplicaSet", "a"),
        phase="Running",
        tolerations=(Toleration("two", "Exists"),),
        node_selector=Labels({"for": "a"}),
    )
    b = pod("b", 1, on="n2", owner=("ReplicaSet", "b"), phase="Running")
    nodes = (
        node("n1", 1, taints=(Taint("one", "NoSchedule"),)),
        node("n2", room, taints=(Taint("two", "NoSchedule"),), labels={"for": "a"}),
        node("n3", 1),
    )
    given = scenario(a, b, *nodes, profile="kubernetes", descheduler=Descheduler((TAINTED,)), controllers=frozenset())
    taints = "Deschedule(RemovePodsViolatingNodeTaints: {})"
    assert texts(*walk(given)) == [taints.format(each) for each in ("ab" if owed else "b")]
    machine, state = walk(given, taints.format("b"), "EvictDescheduled(b)")
    assert {*texts(machine, state)} == {taints.format("a")}
    assert state.cycle is not None and machine._descheduling is not None
    ways, may_end = machine._descheduling.ways(state.cycle, state.pods, machine.view(state))
    assert len(ways) == 1 and may_end is not owed


@pytest.mark.parametrize(("least", "left"), [(2, ["p0"]), (0, ["p0", "p1"])])
def test_the_evictor_judges_pods_that_repel_each_other_one_by_one(least: int, left: list[str]) -> None:
    """Of three pods two are evicted for their anti-affinity, but only one if two must stay."""
    repelling = {"affinity": apart(term(selected=selector(app="web"))), "labels": {"app": "web"}}
    pods = [pod(f"p{each}", 1, on="n1", owner=OWNED, phase="Running", **repelling) for each in range(3)]
    run = Run("RemovePodsViolatingInterPodAntiAffinity", InterPodAntiAffinity(), Evictor(min_replicas=least))
    given = scenario(
        *pods, node("n1", 9), node("n2", 9), profile="kubernetes", descheduler=Descheduler((run,)), controllers=frozenset()
    )  # fmt: skip
    begun = "Deschedule(RemovePodsViolatingInterPodAntiAffinity: p0, p1, p2)"
    machine, state = walk(given, begun, "EvictDescheduled(p2)")
    after = texts(machine, state)
    if least:
        # Two pods are left, as must stay: p0 and p1 repel each other, and one more may go while two are there.
        assert after == ["EvictDescheduled(p0)", "EvictDescheduled(p1)"]
        machine, state = walk(given, begun, "EvictDescheduled(p2)", "EvictDescheduled(p1)")
    assert [str(each) for each in state.pods if each] == (left if least else ["p0", "p1"])
