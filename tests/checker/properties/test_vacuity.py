"""A property that was never tested holds only vacuously, and both explorers report this

For each property there is a scenario that tests it, and a twin that does not.
"""

from dataclasses import replace

import pytest

from schedcheck.checker.check import Checked, check
from schedcheck.checker.result import Verdict
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import PodDisruptionBudget
from tests.support.building import apart, node, on_pods, pod, scenario, selector, term

APART = apart(term("kubernetes.io/hostname", selector(app="web")))
BUDGET = PodDisruptionBudget("keep", selector=selector(app="web"), min_available=0, disruptions_allowed=9)
WEB = pod("web", 1, labels={"app": "web"})
BOUND = pod("web", 1, on="n", labels={"app": "web"})
HIGH = pod("high", 2, priority=1)

FREE = scenario(WEB, node("n", 2), absent="web", rules=[on_pods("arrive", "web")])
"""A pod arrives and is bound."""

NOBODY = scenario(WEB, node("n", 2), absent="web")
"""The pod never arrives."""

EVICTING = scenario(BOUND, HIGH, node("n", 2), budgets=(BUDGET,), absent="high", rules=[on_pods("arrive", "high")])
"""A pod evicts another."""

PEACE = replace(EVICTING, pods=tuple(replace(each, priority=0) for each in EVICTING.pods))
"""No pod may evict another."""

NONE_TO_SPARE = PodDisruptionBudget("all", selector=selector(app="web"), min_available=1, expected=1)

DRAINED = scenario(BOUND, node("n", 2), budgets=(NONE_TO_SPARE,), rules=[on_pods("evict", "web")])
"""A pod that the eviction API refuses to evict."""

TWINS = [
    ("no_overcommit", FREE, NOBODY, "no pod was ever bound"),
    ("anti_affinity_kept", replace(FREE, pods=(replace(WEB, affinity=APART),)), FREE, "with required anti-affinity"),
    ("stays_on(app=web, !gpu)", FREE, NOBODY, "no pod with app=web was ever bound"),
    ("bind_feasible", FREE, NOBODY, "no pod was ever bound"),
    ("no_wait_while_feasible", PEACE, FREE, "no pod was ever left waiting"),
    ("only_lower_priority_evicted", EVICTING, PEACE, "no eviction was ever decided on"),
    ("never_moved", FREE, NOBODY, "no pod was ever bound, and no eviction decided on"),
    ("highest_priority_first", FREE, NOBODY, "no pod was ever tried"),
    ("never_evicted(high)", EVICTING, replace(PEACE, nodes=(node("n", 4),)), "no eviction was ever requested"),
    ("never_evicted(web)", DRAINED, NOBODY, "web was never bound"),
    ("budget_kept(keep)", EVICTING, PEACE, "no eviction of a pod that keep protects was ever requested"),
    ("pod_can_still_be_bound(web)", FREE, NOBODY, "web never waited"),
    (
        "no_pod_evicted_twice_for_one_reason",
        EVICTING,
        PEACE,
        "no pod was ever evicted by the scheduler or a controller",
    ),
    ("evictions_end", EVICTING, PEACE, "no pod was ever evicted"),
    ("preemption_ends", EVICTING, PEACE, "no preemption ever changed anything"),
    ("comes_to_rest", FREE, NOBODY, "neither the scheduler nor a controller ever changed anything"),
    ("eventually_bound(web)", FREE, NOBODY, "web never waited"),
    ("bound_once_feasible(web)", FREE, NOBODY, "no node was ever feasible for web while it waited"),
    ("never_starves(web)", FREE, NOBODY, "no node was ever feasible for web while it waited"),
]


def asked(of: Scenario, text: str, engine: str = "both", *, symmetry: bool = True) -> Checked:
    return check(replace(of, properties=(text,)), engine=engine, symmetry=symmetry)


@pytest.mark.parametrize(("text", "tested", "twin", "why"), TWINS, ids=[text for text, *_ in TWINS])
def test_a_property_holds_vacuously_if_its_premise_is_never_met(
    text: str, tested: Scenario, twin: Scenario, why: str
) -> None:
    assert (asked(tested, text).result.verdict, asked(tested, text).result.vacuous) == (Verdict.HOLDS, ())
    found = asked(twin, text).result
    assert found.verdict is Verdict.VACUOUS
    ((name, said),) = found.vacuous
    assert name.startswith(text.partition("(")[0])
    assert why in said


def test_an_eviction_refused_by_the_api_meets_the_premise_of_a_budget() -> None:
    for text in ("budget_kept(all)", "never_evicted(web)"):
        assert asked(DRAINED, text).result.verdict is Verdict.HOLDS
    another = replace(DRAINED, pods=(*DRAINED.pods, pod("x", on="n")), rules=(on_pods("evict", "x", 0),))
    assert asked(another, "budget_kept(all)").result.verdict is Verdict.VACUOUS


def test_an_eviction_of_an_unprotected_pod_does_not_test_a_budget() -> None:
    for profile in ("corrected", "classic", "kubernetes"):
        other = replace(EVICTING, budgets=(replace(BUDGET, selector=selector(app="db")),), profile=profile)
        assert asked(other, "budget_kept(keep)").result.verdict is Verdict.VACUOUS
        assert asked(replace(EVICTING, profile=profile), "budget_kept(keep)").result.verdict is Verdict.HOLDS


def test_a_property_of_several_objects_is_vacuous_only_if_each_is() -> None:
    two = scenario(WEB, pod("late", 1), node("n", 2), absent="web late", rules=[on_pods("arrive", "web")])
    found = asked(two, "pod_can_still_be_bound").result
    assert (found.verdict, found.vacuous) == (
        Verdict.HOLDS,
        (("pod_can_still_be_bound(late)", "late never waited"),),
    )
    assert asked(two, "pod_can_still_be_bound(late)").result.verdict is Verdict.VACUOUS
    both_asked = replace(two, properties=("no_overcommit", "pod_can_still_be_bound(late)"))
    assert check(both_asked).result.verdict is Verdict.VACUOUS


def test_the_default_properties_are_vacuous_only_if_none_was_tested() -> None:
    found = check(FREE, engine="both").result
    assert found.verdict is Verdict.HOLDS
    assert "only_lower_priority_evicted" in dict(found.vacuous)
    assert check(NOBODY, engine="both").result.verdict is Verdict.VACUOUS


def test_after_a_violation_nothing_is_reported_as_vacuous() -> None:
    violated = replace(EVICTING, properties=("no_eviction", "eventually_bound(web)"))
    assert check(violated, engine="both").result.vacuous == ()
