"""User-defined step properties, checked on every step: both explorers agree, and overlooked steps are detected"""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from schedcheck.checker.check import Checked, Disagreement, check
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.checker.tabulated.results import changing
from schedcheck.checker.tabulated.results.changing import Changing
from schedcheck.checker.tabulated.search import pace
from schedcheck.model.scenario import Scenario
from schedcheck.rule import step
from schedcheck.spec.decisions import Bind
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Property, Step
from tests.checker.tabulated.crowds import crowd
from tests.checker.tabulated.resumed import summary
from tests.checker.tabulated.test_agreement import early
from tests.support.building import five_pods, node, on_pods, pod, replays, scenario
from tests.tla.random_scenarios import random_scenario

FEW = Bounds(max_states=1500)


@step
def no_pod_leaves(before: Snapshot, after: Snapshot) -> bool:
    """No pod leaves."""
    return {each.key for each in before.pods} <= {each.key for each in after.pods}


@step
def at_most_two_wait(before: Snapshot, after: Snapshot) -> bool:
    """While two pods are pending, no other becomes pending."""

    def waiting(snapshot: Snapshot) -> int:
        return sum(1 for each in snapshot.pods if not each.node_name)

    return waiting(before) < 2 or waiting(after) <= waiting(before)


@step
def crowds_move_by_one(before: Snapshot, after: Snapshot) -> bool:
    """While two or more nodes are in use, none of them becomes empty."""
    taken = [{each.node_name for each in snapshot.pods if each.node_name} for snapshot in (before, after)]
    return not (len(taken[0]) >= 2 and taken[0] - taken[1])


def bound_in_order(before: Snapshot, action: object, after: Snapshot) -> bool:
    """No pod is bound while a pending one has an earlier name."""
    assert action is not None
    return not isinstance(action, Bind) or all(
        other.node_name or other.key >= action.pod.key for other in before.pods
    )  # fmt: skip


LEAVES, WAIT, TAKEN = (cast(Step, each.rule) for each in (no_pod_leaves, at_most_two_wait, crowds_move_by_one))
OWN = (LEAVES, WAIT, TAKEN)
ACTING = Step("bound_in_order", "", (), bound_in_order)


def both(scene: Scenario, *rules: Property) -> Checked:
    """Check the scenario with both explorers, which must agree; each violation must be a behaviour."""
    checked = check(scene, engine="both", rules=rules)
    assert checked.engine == "tabulated"
    assert all(not each.trace or replays(checked.machine, each.trace) for each in checked.result.violations)
    return checked


def broken(checked: Checked) -> dict[str, int]:
    """The lengths of the shortest traces."""
    return {each.property.name: len(each.trace) for each in checked.result.violations}


def drawn(seed: int) -> Scenario:
    """A scenario with many features under one of the three kinds of scheduler."""
    made = (
        random_scenario(seed),
        crowd(seed),
        early(seed),
        replace(random_scenario(seed), profile="kubernetes", faults=frozenset()),
    )
    return replace(made[seed % 4], properties=("no_overcommit",))


def found_among(seeds: range) -> dict[str, int]:
    """How often each property is violated among these scenarios, each checked alone."""
    counts: dict[str, int] = {}
    for seed in seeds:
        scene = drawn(seed)
        found = check(scene, symmetry=False, bounds=FEW).result
        if found.stopped or not found.distinct:
            continue  # too many states, or none within the constraints
        for rule in (*OWN, ACTING):
            for name in broken(both(scene, rule)):
                counts[name] = counts.get(name, 0) + 1
    return counts


@pytest.mark.medium
def test_both_explorers_agree_on_step_properties_of_random_scenarios() -> None:
    counts = found_among(range(300, 316))
    assert {"no_pod_leaves", "at_most_two_wait", "bound_in_order"} <= set(counts), "each claim is violated somewhere"


def test_the_least_violating_step_is_shown_with_a_shortest_trace() -> None:
    """p1 and p2 arrive, one is bound and completes: four steps to the first pod that leaves."""
    scene = scenario(
        pod("p1", 1),
        pod("p2", 1),
        node("n", 2),
        absent="*",
        rules=[on_pods("arrive", "p1 p2"), on_pods("complete", "p2")],
        completed="absent",
        properties=("no_overcommit",),
    )
    assert broken(both(scene, LEAVES)) == {"no_pod_leaves": 4}
    first = [check(scene, engine="tabulated", rules=[LEAVES]).result.violations[0].trace for _ in range(2)]
    assert first[0] == first[1]
    assert [str(stage.action) for stage in first[0][1:]] == ["Arrive(p2)", "Bind(p2, n)", "Complete(p2)"]


def test_a_user_step_property_with_the_name_of_a_builtin_one_is_kept_apart() -> None:
    def holds(before: Snapshot, after: Snapshot) -> bool:
        """Nothing is ever bound."""
        return all(not each.node_name for each in after.pods)

    holds.__name__ = "bind_feasible"
    for profile in ("corrected", "kubernetes"):
        scene = replace(five_pods(), profile=profile, properties=("no_overcommit",))
        assert broken(both(scene, cast(Step, step(holds).rule))) == {"bind_feasible": 3}


def test_a_step_beyond_a_constraint_is_judged_too() -> None:
    scene = replace(five_pods(), constraints=("at_most_unbound(2)",), properties=("no_overcommit",))
    assert broken(both(scene, WAIT)) == {"at_most_two_wait": 4}


def test_a_resumed_run_judges_its_steps_again(tmp_path: Path) -> None:
    for rule in OWN:
        folder = tmp_path / rule.name

        def kept(bounds: Bounds | None = None, folder: Path | None = folder, rule: Property = rule) -> Any:
            checked = check(five_pods(), engine="tabulated", rules=[rule], bounds=bounds, checkpoint=folder)
            return summary(checked.result)

        for depth in range(1, 9):
            kept(Bounds(depth=depth))
        assert kept() == kept() == kept(folder=None)


def test_an_overlooked_step_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin overlooks the first step of each piece of states."""
    arriving = [on_pods("arrive", "p"), on_pods("complete", "p")]
    scene = scenario(pod("p", 1), node("n", 1), absent="*", rules=arriving, properties=("no_overcommit",))
    assert broken(both(scene, LEAVES)) == {"no_pod_leaves": 4}
    whole = changing.steps_over

    def overlooking(*given: Any, **named: Any) -> changing.Steps:
        steps = whole(*given, **named)
        return lambda states: ((origin[1:], found[1:]) for origin, found in steps(states))

    monkeypatch.setattr(changing, "steps_over", overlooking)
    with pytest.raises(Disagreement):
        both(scene, LEAVES)


def test_leaving_out_properties_of_actions_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    assert broken(both(five_pods(), ACTING))
    monkeypatch.setattr(changing.Acting, "_breaking", lambda self, states: iter(()))
    with pytest.raises(Disagreement):
        both(five_pods(), ACTING)


def test_a_slow_step_property_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "SECONDS_BEFORE_TELLING", 0.0)
    monkeypatch.setattr(pace, "WORTH_TELLING", 0)
    told: list[str] = []
    check(five_pods(), engine="tabulated", rules=[LEAVES], tell=told.append)
    assert told[0].startswith("property no_pod_leaves is evaluated in Python: about ")


def test_the_time_limit_applies_to_step_properties(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Changing, "_breaking", lambda self, states: iter(np.zeros(0, np.int64)))
    found = check(five_pods(), engine="tabulated", rules=[LEAVES], bounds=Bounds(seconds=1e-9)).result
    assert (found.verdict, found.stopped) == (Verdict.GAVE_UP, "limits.seconds 1e-09")
