"""The tabulated explorer finds what the direct one finds, of every kind of scenario; and a broken one does not."""

from collections.abc import Hashable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from schedcheck.checker.check import Checked, Disagreement, NotTabulated, Search, check
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.checker.tabulated import movement, printed
from schedcheck.checker.tabulated.program import Plan
from schedcheck.checker.tabulated.sights import Sights
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Node, Pod, Snapshot
from tests.building import apart, five_pods, node, on_pods, pod, replays, scenario, selector, seven_pods, term
from tests.examples.test_examples import example
from tests.strategies import scenarios
from tests.tla.random_scenarios import random_scenario

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
FEW = Bounds(max_states=1500)


def both(scene: Scenario, *, symmetry: bool = True) -> Checked:
    """The scenario by the tabulated explorer, which must agree with the direct one; its traces must be behaviours."""
    checked = check(scene, symmetry=symmetry, engine="both")
    assert checked.engine == "tabulated"
    assert all(not each.trace or replays(checked.machine, each.trace) for each in checked.result.violations)
    return checked


def tabulated_as_well(scene: Scenario, *, symmetry: bool) -> None:
    if check(scene, symmetry=symmetry, bounds=FEW).result.stopped.startswith("--max-states"):
        return
    try:
        both(scene, symmetry=symmetry)
    except NotTabulated as why:
        assert "asks for a behaviour" in str(why) or "is tabulated" in str(why)


@pytest.mark.parametrize("symmetry", [True, False])
def test_the_five_pods_have_the_counts_that_tlc_finds(symmetry: bool) -> None:
    found = both(five_pods(), symmetry=symmetry).result
    assert (found.distinct, found.generated, found.depth) == (2112, 13573, 12)


def test_the_seven_pods_have_the_counts_that_tlc_finds() -> None:
    found = check(seven_pods(), symmetry=False, engine="tabulated").result
    assert (found.distinct, found.generated, found.depth) == (108_816, 995_747, 18)
    assert found.verdict is Verdict.HOLDS


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(scenarios())
def test_printed_profiles_are_explored_alike(scene: Scenario) -> None:
    for symmetry in (True, False):
        tabulated_as_well(scene, symmetry=symmetry)


@settings(max_examples=25, deadline=None, suppress_health_check=SLOW)
@given(scenarios())
def test_kube_scheduler_is_explored_alike(scene: Scenario) -> None:
    tabulated_as_well(replace(scene, profile="kubernetes", faults=frozenset()), symmetry=True)


@pytest.mark.parametrize("seed", range(40))
def test_scenarios_of_many_features_are_explored_alike(seed: int) -> None:
    tabulated_as_well(replace(random_scenario(seed), constraints=()), symmetry=False)


@pytest.mark.parametrize("seed", range(100, 112))
def test_scenarios_of_many_features_are_explored_alike_under_kube_scheduler(seed: int) -> None:
    scene = replace(random_scenario(seed), constraints=(), profile="kubernetes", faults=frozenset())
    tabulated_as_well(scene, symmetry=False)


@pytest.mark.parametrize(
    "name",
    ["anti-affinity", "budget-broken", "budget-kept", "node-failure", "pod-stranded", "preemption-chain", "gpu-small"],
)
def test_examples_are_explored_alike_under_kube_scheduler(name: str) -> None:
    both(replace(example(name), profile="kubernetes"))


def test_a_loop_that_forgets_the_scores_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(self: printed.Printed, pod: Pod, node: Node, snapshot: Snapshot) -> Hashable:
        return self.own.feasibility(pod, node, snapshot)

    monkeypatch.setattr(printed.Printed, "admission", blind)
    with pytest.raises(Disagreement):
        both(five_pods(), symmetry=False)


def test_a_loop_that_forgets_whom_evictions_hurt_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = printed.Printed.evictions
    monkeypatch.setattr(printed.Printed, "evictions", lambda *asked: (bool(whole(*asked)[1]), whole(*asked)[1]))
    with pytest.raises(Disagreement):
        both(five_pods(), symmetry=False)


def test_pods_that_look_across_nodes_are_not_asked_of_one_node_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = apart(term("zone", selector(app="db")))
    pods = [pod(name, 1, labels={"app": "db"}, affinity=alone) for name in ("p1", "p2")]
    nodes = [node(name, 1, labels={"zone": "a"}) for name in ("n1", "n2")]
    scene = scenario(*pods, pod("q", 1), *nodes, absent="*", rules=[on_pods("arrive", "p1 p2 q")])
    both(scene, symmetry=False)
    monkeypatch.setattr(Sights, "wide", False)
    with pytest.raises(Disagreement):
        both(scene, symmetry=False)


def test_a_counter_that_is_not_counted_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    once = replace(five_pods(), rules=tuple(replace(rule, bound=1) for rule in five_pods().rules))
    both(once)
    monkeypatch.setattr(movement, "_used", lambda before, after: -1)
    with pytest.raises(Disagreement):
        both(once)


def test_what_does_not_fit_is_refused_by_name_and_left_to_the_direct_explorer() -> None:
    scene = replace(five_pods(), constraints=("at_most_bound(2)",))
    with pytest.raises(NotTabulated, match="constraints"):
        check(scene, engine="tabulated")
    found = check(scene, engine="auto")
    assert (found.engine, found.why) == ("direct", "constraints are not tabulated")
    with pytest.raises(NotTabulated, match="walk"):
        check(five_pods(), engine="tabulated", search=Search("walk", 10, 10))


def test_more_pods_than_a_node_has_bits_for_are_refused_before_any_table_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(Plan, "program")
    crowd = scenario(node("n", 1), *(pod(f"p{number:02}") for number in range(64)))
    with pytest.raises(NotTabulated, match="64 pods are more than 63"):
        check(crowd, engine="tabulated")


def test_auto_begins_with_the_direct_explorer() -> None:
    assert check(example("preemption-chain"), engine="auto").engine == "direct"
    assert check(five_pods(), engine="auto").engine == "tabulated"
    assert check(five_pods(), engine="auto", bounds=Bounds(max_states=100)).engine == "direct"


@pytest.mark.parametrize(
    ("bounds", "stopped"),
    [
        (Bounds(depth=5), "--depth 5"),
        (Bounds(max_states=1000), "--max-states 1000"),
        (Bounds(seconds=1e-9), "--time 1e-09"),
    ],
)
def test_a_bound_stops_it(bounds: Bounds, stopped: str) -> None:
    found = check(five_pods(), engine="tabulated", bounds=bounds).result
    assert (found.verdict, found.stopped) == (Verdict.GAVE_UP, stopped)
    assert 0 < found.distinct <= 2112


def test_a_bound_of_levels_leaves_what_the_direct_explorer_leaves() -> None:
    found = [check(five_pods(), engine=engine, bounds=Bounds(depth=6)).result for engine in ("direct", "tabulated")]
    assert found[0] == replace(found[1], seconds=found[0].seconds)


def test_one_trace_whatever_the_tables_held() -> None:
    scene = example("pod-stranded")
    traces = [check(scene, engine="tabulated").result.violations[0].trace for _ in range(2)]
    assert traces[0] == traces[1]
