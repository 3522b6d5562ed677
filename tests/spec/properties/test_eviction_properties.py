"""The properties of evictions and nominations: each just true and just false, and a scheduler that breaks it"""

from dataclasses import replace

from schedcheck.model.profiles import judging, profile_of
from schedcheck.model.scenario import Scenario
from schedcheck.spec.decisions import Bind, Nominate, Preempt
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.profiles import CORRECTED
from schedcheck.spec.properties.of_decisions import (
    budget_violations,
    fewest_budgets_violated,
    least_casualty,
    room_kept,
    room_left_to_the_nominated,
    victims_needed,
)
from schedcheck.spec.properties.of_pods import awaited
from schedcheck.spec.terms import LabelSelector
from schedcheck.spec.values import Labels
from tests.support.building import node, pod, snapshot

KUBERNETES = judging(Scenario("s", (), (), profile="kubernetes"))
AS_IT_IS = profile_of(Scenario("s", (), (), profile="kubernetes"))
TOP = pod("top", cpu=2, priority=9)


def there(name: str, cpu: int, on: str = "n", **fields: object) -> Pod:
    return pod(name, cpu=cpu, on=on, **fields)


def budget(name: str, labels: dict[str, str], allowed: int) -> PodDisruptionBudget:
    return PodDisruptionBudget(name, selector=LabelSelector(Labels(labels)), disruptions_allowed=allowed)


def with_budgets(things: Snapshot, *budgets: PodDisruptionBudget) -> Snapshot:
    return replace(things, budgets=budgets)


def test_victims_needed_forbids_a_victim_without_effect() -> None:
    first, second = there("first", 1), there("second", 1)
    before = snapshot(TOP, first, second, node("n", 3))
    for kind in (Preempt, Nominate):
        assert victims_needed(before, kind(TOP, node("n", 3), frozenset({first})), CORRECTED)
        assert not victims_needed(before, kind(TOP, node("n", 3), frozenset({first, second})), CORRECTED)


def test_an_eviction_violates_each_budget_that_allows_no_more() -> None:
    one, other = there("one", 1, labels={"app": "a"}), there("other", 1, labels={"app": "a"})
    things = with_budgets(snapshot(one, other), budget("b", {"app": "a"}, 1))
    assert budget_violations(frozenset(), things) == 0
    assert budget_violations(frozenset({one}), things) == 0
    assert budget_violations(frozenset({one, other}), things) == 1


def test_fewest_budgets_violated_forbids_a_choice_with_more_violations() -> None:
    guarded, free = there("guarded", 2, "m", labels={"app": "a"}), there("free", 2, "n")
    before = with_budgets(
        snapshot(TOP, guarded, free, node("m", 2), node("n", 2)), budget("b", {"app": "a"}, 0)
    )  # fmt: skip
    assert fewest_budgets_violated(before, Preempt(TOP, node("n", 2), frozenset({free})), CORRECTED)
    assert not fewest_budgets_violated(before, Preempt(TOP, node("m", 2), frozenset({guarded})), CORRECTED)
    alone = with_budgets(snapshot(TOP, guarded, node("m", 2)), *before.budgets)
    assert fewest_budgets_violated(alone, Preempt(TOP, node("m", 2), frozenset({guarded})), CORRECTED)


def test_fewest_budgets_violated_allows_a_violation_where_others_violate_more() -> None:
    guarded = there("guarded", 2, "m", labels={"app": "a"})
    two = [there(name, 1, "n", labels={"app": "a"}) for name in ("first", "second")]
    before = with_budgets(snapshot(TOP, guarded, *two, node("m", 2), node("n", 2)), budget("b", {"app": "a"}, 0))
    assert fewest_budgets_violated(before, Preempt(TOP, node("m", 2), frozenset({guarded})), CORRECTED)
    assert not fewest_budgets_violated(before, Preempt(TOP, node("n", 2), frozenset(two)), CORRECTED)


def test_room_kept_forbids_taking_the_room_of_a_nominated_pod() -> None:
    nominated = replace(TOP, nominated_node_name="n")
    small, large = pod("small", cpu=1, priority=9), pod("large", cpu=2, priority=9)
    before = snapshot(nominated, small, large, node("n", 3))
    assert room_kept(before, Bind(small, node("n", 3)), KUBERNETES)
    assert not room_kept(before, Bind(large, node("n", 3)), KUBERNETES)
    assert not room_kept(before, Bind(replace(large, priority=8), node("n", 3)), KUBERNETES)
    assert not room_kept(before, Bind(replace(large, priority=8), node("n", 3)), CORRECTED)
    assert not room_kept(before, Bind(large, node("n", 3)), CORRECTED)
    assert room_kept(before, Bind(replace(large, priority=10), node("n", 3)), CORRECTED)
    assert room_kept(before, Bind(replace(large, priority=10), node("n", 3)), KUBERNETES), (
        "the pod yields to pods of higher priority"
    )
    assert room_kept(before, Bind(nominated, node("n", 3)), KUBERNETES), "a nominated pod may take its own room"


def test_room_left_to_the_nominated_counts_terminating_pods_as_gone() -> None:
    nominated = replace(TOP, nominated_node_name="n")
    at = node("n", 3)
    small, large = pod("small", cpu=1), pod("large", cpu=2)
    before = snapshot(nominated, small, large, at)
    assert room_left_to_the_nominated(before, Bind(small, at), KUBERNETES)
    assert not room_left_to_the_nominated(before, Bind(large, at), KUBERNETES)
    for name in ("aaa", "zzz"):
        named = replace(large, name=name)
        assert not room_left_to_the_nominated(snapshot(nominated, named, at), Bind(named, at), KUBERNETES)
    assert room_left_to_the_nominated(before, Bind(nominated, at), KUBERNETES), "a nominated pod may take its own room"
    ending = snapshot(nominated, small, there("ending", 2, terminating=True), at)
    assert room_left_to_the_nominated(ending, Bind(small, at), KUBERNETES)
    hopeless = snapshot(replace(nominated, containers=pod(cpu=9).containers), large, at)
    assert room_left_to_the_nominated(hopeless, Bind(large, at), KUBERNETES), (
        "the nominated pod does not fit in any case"
    )


def test_least_casualty_forbids_a_choice_with_more_casualty() -> None:
    dear, cheap = there("dear", 2, "m", priority=5), there("cheap", 2, "n", priority=1)
    before = snapshot(TOP, dear, cheap, node("m", 2), node("n", 2))
    assert least_casualty(before, Preempt(TOP, node("n", 2), frozenset({cheap})), CORRECTED)
    assert not least_casualty(before, Preempt(TOP, node("m", 2), frozenset({dear})), CORRECTED)
    alone = snapshot(TOP, dear, node("m", 2))
    assert least_casualty(alone, Preempt(TOP, node("m", 2), frozenset({dear})), CORRECTED)


def test_a_terminating_pod_is_awaited_by_a_more_important_pod_nominated_there() -> None:
    leaving = there("leaving", 2, priority=5)
    for priority, node_name, nominated, expected in (
        (6, "", "n", True),
        (5, "", "n", False),
        (4, "", "n", False),
        (6, "", "m", False),
        (6, "n", "n", False),
    ):
        other = pod("other", 2, node_name, priority=priority, nominated_node_name=nominated)
        assert awaited(leaving, snapshot(leaving, other, node("n", 2), node("m", 2))) is expected


def test_kube_scheduler_keeps_the_room_and_one_that_ignores_nominations_does_not() -> None:
    nominated = replace(TOP, nominated_node_name="n")
    other = pod("other", cpu=2, priority=9)
    before = snapshot(nominated, other, there("leaving", 2, terminating=True, preempted=True), node("n", 4))
    decided = AS_IT_IS.decision(other, before, AS_IT_IS)
    assert not any(isinstance(each, Bind) for each in decided)
    forgetful = snapshot(TOP, other, *before.pods_by_node["n"], *before.nodes)
    (bind,) = AS_IT_IS.decision(other, forgetful, AS_IT_IS)
    assert isinstance(bind, Bind) and not room_kept(before, bind, KUBERNETES)
