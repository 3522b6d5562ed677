"""Step properties that compare all evictions or use pending pods: both explorers agree"""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from schedcheck.checker.check import Checked, Disagreement, check
from schedcheck.checker.result import Bounds
from schedcheck.checker.tabulated.answers import printed
from schedcheck.checker.tabulated.results import leaving
from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import PodDisruptionBudget
from tests.support.building import node, on_nodes, on_pods, pod, replays, scenario, selector

FEW = Bounds(max_states=2500)
ASKED = ("fewest_budgets_violated", "evicted_for_nominated_pod", "victims_needed")


def guarded(seed: int, **fields: Any) -> Scenario:
    """Two nodes full of low-priority pods, some protected by budgets, and an arriving pod of higher priority."""
    random = Random(seed)
    low = [
        pod(
            f"l{number}",
            1,
            on=random.choice(("n1", "n2")),
            labels={"app": random.choice("abc")},
            priority=random.choice((0, 0, 1)),
        )
        for number in range(3)
    ]
    budgets = tuple(
        PodDisruptionBudget(
            name,
            selector=selector(app=name),
            max_unavailable=random.choice((0, 1)),
            expected=2,
            disruptions_allowed=random.choice((0, 0, 1)),
        )
        for name in "ab"[: random.choice((1, 2))]
    )
    happening = random.choice(
        ([], [on_pods("evict", "l0 l1 l2", 2)], [on_pods("delete", "l0 l2")], [on_nodes("cordon", "n1")])
    )
    made = scenario(
        *low,
        pod("top", random.choice((1, 2)), priority=5),
        node("n1", 2),
        node("n2", 2),
        absent="top",
        rules=[on_pods("arrive", "top", 1), *happening],
        budgets=budgets,
        victims=random.choice(("pending", "absent")),
        controllers=frozenset(random.choice(((), ("disruption",), ("kubelet", "disruption")))),
        properties=ASKED,
    )
    return replace(made, **fields)


def both(scene: Scenario, *, symmetry: bool) -> Checked | None:
    """Check the scenario with both explorers, which must agree; None if it is large."""
    if check(scene, symmetry=symmetry, bounds=FEW).result.stopped:
        return None
    checked = check(scene, symmetry=symmetry, engine="both")
    assert all(not each.trace or replays(checked.machine, each.trace) for each in checked.result.violations)
    return checked


def broken(checked: Checked | None) -> list[str]:
    return [each.property.name for each in checked.result.violations] if checked else []


@pytest.mark.sampled(14)
@pytest.mark.parametrize("profile", ["corrected", "kubernetes"])
@pytest.mark.parametrize("seed", range(14))
def test_both_explorers_compare_evictions_alike(seed: int, profile: str) -> None:
    both(guarded(seed, profile=profile), symmetry=seed % 2 == 0)


VIOLATED = (2, 4, 9, 13)


@pytest.mark.parametrize("seed", VIOLATED)
def test_evictions_that_violate_more_budgets_than_necessary_are_found(seed: int) -> None:
    scene = guarded(seed, profile="corrected")
    assert "fewest_budgets_violated" in broken(both(scene, symmetry=True))
    assert broken(both(replace(scene, budgets=()), symmetry=True)) == []


def test_confusing_kinds_of_evictions_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Either of two pods may be evicted, and only one of them is protected."""
    scene = scenario(
        pod("a", 1, on="n", labels={"app": "a"}),
        pod("b", 1, on="n"),
        pod("top", 1, priority=5),
        node("n", 2),
        budgets=(PodDisruptionBudget("a", selector=selector(app="a")),),
        properties=("fewest_budgets_violated",),
    )
    assert broken(check(scene, engine="both")) == ["fewest_budgets_violated"]
    monkeypatch.setattr(printed.Printed, "_kind", lambda self, victims, shown: 0)
    with pytest.raises(Disagreement):
        check(scene, engine="both")


def test_a_key_without_allowed_disruptions_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the eviction of a pod elsewhere, one of the two candidates has no disruption to spare any more."""
    scene = scenario(
        pod("a1", 1, on="n1", labels={"app": "a"}),
        pod("a2", 1, on="n3", labels={"app": "a"}),
        pod("b1", 1, on="n2", labels={"app": "b"}),
        pod("top", 1, priority=5),
        node("n1", 1),
        node("n2", 1),
        node("n3", 1, unschedulable=True),
        absent="top",
        rules=[on_pods("arrive", "top"), on_pods("evict", "a2")],
        budgets=tuple(PodDisruptionBudget(each, selector=selector(app=each), disruptions_allowed=1) for each in "ab"),
        properties=("fewest_budgets_violated",),
    )
    assert broken(check(scene, engine="both")) == ["fewest_budgets_violated"]
    monkeypatch.setattr(Plan, "_budgets_matter", False)
    with pytest.raises(Disagreement):
        check(scene, engine="both")


def test_an_eviction_for_a_deleted_pod_is_found_and_overlooking_it_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = scenario(
        pod("low", 1, on="n"),
        pod("top", 1, priority=1),
        node("n", 1),
        rules=[on_pods("delete", "top")],
        profile="kubernetes",
        properties=("evicted_for_nominated_pod",),
    )
    assert broken(check(replace(scene, rules=()), engine="both")) == []
    checked = check(scene, engine="both")
    assert broken(checked) == ["evicted_for_nominated_pod"]
    assert len(checked.result.violations[0].trace) == 4
    monkeypatch.setattr(leaving.Unawaited, "__call__", lambda self, states: states[:, 0] < 0)
    with pytest.raises(Disagreement):
        check(scene, engine="both")
