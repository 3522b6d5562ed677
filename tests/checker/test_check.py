"""Whole scenarios: TLC's counts, and the same answers with and without a memo and in every search order"""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings

from schedcheck.checker.check import Search, check
from schedcheck.checker.drawing.scenarios import scenarios
from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.memo import remembering
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.result import Bounds, Result, Verdict
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import Fault
from schedcheck.spec.profiles import CORRECTED, profile
from tests.support.building import five_pods, node, on_pods, pod, replays, scenario, seven_pods

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]


def counts(found: Result) -> tuple[int, int, int]:
    return found.distinct, found.generated, found.depth


def test_the_five_pods_have_the_counts_of_tlc() -> None:
    each = five_pods()
    for symmetry in (True, False):
        found = check(each, symmetry=symmetry)
        assert counts(found.result) == (2112, 13573, 12)
        assert found.result.verdict is Verdict.HOLDS
    assert counts(breadth_first(Exploration(Reference(each, CORRECTED), ()))) == (2112, 13573, 12)


@pytest.mark.medium
def test_the_seven_pods_have_the_counts_of_tlc() -> None:
    """Explored without a property, since the graph is tested."""
    each = seven_pods()
    found = breadth_first(Exploration(Reference(each, remembering(CORRECTED, each.pods)), ()))
    assert counts(found) == (108_816, 995_747, 18)
    assert (found.verdict, found.done) == (Verdict.HOLDS, 0)


def test_the_five_pods_take_every_kind_of_step() -> None:
    coverage = check(five_pods()).result.coverage
    assert list(coverage) == ["Arrive", "Complete", "Cordon", "Uncordon", "Bind", "Preempt", "Wait"]
    assert all(coverage.values())
    assert sum(coverage.values()) + 1 == 13573


@settings(max_examples=100, suppress_health_check=SLOW)
@given(scenarios())
def test_a_transition_system_with_a_memo_has_the_same_graph(each: Scenario) -> None:
    faults = frozenset(Fault(name) for name in each.faults)
    plain = profile("plain", faults)
    found = [
        breadth_first(Exploration(Reference(each, used), (), bounds=Bounds(max_states=200)))
        for used in (plain, remembering(plain, each.pods))
    ]
    assert len({(*counts(one), one.done, one.stuck, *one.coverage.values()) for one in found}) == 1


@settings(max_examples=100, suppress_health_check=SLOW)
@given(scenarios())
def test_depth_first_finds_what_breadth_first_finds(each: Scenario) -> None:
    broad = check(each, symmetry=False, bounds=Bounds(max_states=300))
    assume(not broad.result.stopped)
    deep = check(each, symmetry=False, search=Search("depth"))
    assert deep.result.verdict == broad.result.verdict
    if broad.result.verdict is Verdict.HOLDS:
        assert counts(deep.result)[:2] == counts(broad.result)[:2]
        assert deep.result.coverage == broad.result.coverage
    for found in (*broad.result.violations, *deep.result.violations):
        assert not found.trace or replays(broad.machine, found.trace)


@settings(max_examples=60, suppress_health_check=SLOW)
@given(scenarios())
def test_walks_find_only_real_violations(each: Scenario) -> None:
    broad = check(each, symmetry=False, bounds=Bounds(max_states=300))
    assume(not broad.result.stopped)
    walked = check(each, symmetry=False, search=Search("walk", walks=20, length=20, seed=1))
    assert walked.result.verdict is not Verdict.VIOLATED or broad.result.verdict is Verdict.VIOLATED
    assert all(not one.trace or replays(walked.machine, one.trace) for one in walked.result.violations)
    assert walked.result.distinct <= broad.result.distinct or broad.result.violations


def test_a_constraint_bounds_the_exploration() -> None:
    each = replace(five_pods(), constraints=("at_most_present(2)",))
    found = check(each).result
    # As counted by a search that only steps to snapshots of at most two pods.
    assert (found.distinct, found.verdict) == (352, Verdict.HOLDS)
    assert check(replace(five_pods(), constraints=("at_most_present(5)",))).result.distinct == 2112


def test_the_rated_resource_of_the_scenario_decides() -> None:
    """One cpu of two is left on m, three quarters of the memory on n."""
    nodes = node("m", 2, allocatable={"memory": 2}), node("n", 1, allocatable={"memory": 4})
    each = scenario(pod("p", pod_requests={"cpu": 10**9, "memory": 10**9}), *nodes)
    for resource, chosen in (("cpu", "m"), ("memory", "n")):
        rated = check(replace(each, rated_resource=resource))
        (after,) = (state for _, state in rated.machine.steps(next(iter(rated.machine.initial_states()))))
        assert after.pods[0].node_name == chosen
        assert rated.result.verdict is Verdict.HOLDS


@pytest.mark.parametrize("order", ["breadth", "depth", "walk"])
def test_a_fault_of_the_scenario_is_found_in_any_search_order(order: str) -> None:
    each = scenario(
        pod("a", 1), pod("b", 1), node("n", 1), absent="*", rules=[on_pods("arrive", "a b")], faults=frozenset({"bound-pods-ignored"})
    )  # fmt: skip
    found = check(each, search=Search(order), symmetry=order == "breadth")
    assert {"no_overcommit", "bind_feasible"} == {one.property.name for one in found.result.violations}
    assert all(replays(found.machine, one.trace) for one in found.result.violations)
    assert found.result.stopped == ""
