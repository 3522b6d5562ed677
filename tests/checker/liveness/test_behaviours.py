"""Named temporal properties on small clusters: the effect of weak and strong fairness, and of stuttering"""

from dataclasses import replace

import pytest

from schedcheck.checker.check import Checked, check
from schedcheck.checker.properties.by_name import asked
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.model.scenario import Scenario
from schedcheck.spec.profiles import CORRECTED
from schedcheck.spec.properties.kinds import Temporal
from tests.support.building import node, on_nodes, on_pods, pod, replays, scenario

BOTH_WAYS = [on_nodes("cordon", "n"), on_nodes("uncordon", "n")]
FLICKERING = scenario(pod("a", 1), node("n", 1), rules=BOTH_WAYS)
"""A pod is pending, and its only node is cordoned and uncordoned without end."""


def asking(each: Scenario, *properties: str, fairness: str = "weak") -> Checked:
    checked = check(replace(each, properties=properties, fairness=fairness))
    for violation in checked.result.violations:
        assert violation.loop is not None
        assert violation.trace[violation.loop].state == violation.trace[-1].state
        assert replays(checked.machine, violation.trace)
    return checked


def broken(each: Scenario, *properties: str, fairness: str = "weak") -> list[str]:
    return [violation.property.name for violation in asking(each, *properties, fairness=fairness).result.violations]


def story(checked: Checked) -> tuple[list[str], int | None]:
    (violation,) = checked.result.violations
    return [str(stage.action) for stage in violation.trace[1:]], violation.loop


@pytest.mark.parametrize(("fairness", "starves"), [("none", True), ("weak", True), ("strong", False)])
def test_a_flickering_node_starves_a_pod_unless_binding_is_strongly_fair(fairness: str, starves: bool) -> None:
    assert broken(FLICKERING, "never_starves(a)", fairness=fairness) == ["never_starves(a)"] * starves


def test_starvation_under_weak_fairness_is_shown_with_its_cycle() -> None:
    assert story(asking(FLICKERING, "never_starves(a)")) == (["Cordon(n)", "Uncordon(n)"], 0)


def test_once_the_environment_stops_the_pod_is_bound_if_its_node_is_feasible() -> None:
    assert broken(FLICKERING, "bound_once_feasible(a)") == []
    assert story(asking(FLICKERING, "eventually_bound(a)")) == (["Cordon(n)"], 1)


def test_without_fairness_no_progress_is_guaranteed() -> None:
    one = scenario(pod("a", 1), node("n", 1))
    for name in ("bound_once_feasible(a)", "eventually_bound(a)", "all_pods_eventually_bound"):
        assert broken(one, name, fairness="none") == [name]
        assert broken(one, name) == []


def test_a_pod_that_fits_nowhere_starves_all_pods_below_it() -> None:
    blocked = scenario(pod("huge", 9, priority=1), pod("web", 1), node("n", 1))
    for fairness in ("weak", "strong"):
        assert broken(blocked, "never_starves", fairness=fairness) == ["never_starves(web)"]
    assert broken(replace(blocked, profile="kubernetes"), "never_starves") == []


def test_repeated_arrivals_starve_a_pod_of_lower_priority() -> None:
    """Its node is feasible each time the other pod is gone, and it is bound once no more pods arrive."""
    crowded = scenario(
        pod("low", 1),
        pod("top", 1, priority=1),
        node("n", 1),
        absent="top",
        rules=[on_pods("arrive", "top"), on_pods("delete", "top")],
    )
    actions, loop = story(asking(crowded, "never_starves(low)"))
    assert (sorted(actions), loop) == (["Arrive(top)", "Delete(top)"], 0)
    assert broken(crowded, "eventually_bound(low)", "bound_once_feasible(low)") == ["eventually_bound(low)"]


@pytest.mark.parametrize("profile", ["corrected", "kubernetes", "classic"])
def test_preemption_ends_where_owners_recreate_victims(profile: str) -> None:
    tight = scenario(
        pod("low", 1, on="n"), pod("top", 1, priority=1), node("n", 1), victims="pending", profile=profile
    )  # fmt: skip
    checked = asking(tight, "preemption_ends", "comes_to_rest", "eventually_bound(top)")
    assert checked.result.verdict is Verdict.HOLDS
    assert checked.result.coverage["Preempt" if profile == "corrected" else "Nominate"] > 0


def test_the_kubelet_and_the_owners_are_fair_too() -> None:
    """A deleted pod ends, is recreated, and is bound again."""
    owned = scenario(
        pod("a", 1, on="n", phase="Running", owner=("ReplicaSet", "web")),
        node("n", 1),
        rules=[on_pods("delete", "a", 1)],
        controllers=frozenset({"owners", "kubelet"}),
    )
    assert broken(owned, "all_pods_eventually_bound", "eventually_bound(a)", "comes_to_rest") == []
    assert broken(owned, "eventually_bound(a)", fairness="none") == ["eventually_bound(a)"]


def test_temporal_properties_are_checked_without_symmetry() -> None:
    alike = scenario(pod("a", 1), pod("b", 1), node("n", 2))
    checked = asking(alike, "eventually_bound", "no_overcommit")
    assert [question.name for question in checked.properties][:2] == ["eventually_bound(a)", "eventually_bound(b)"]
    assert (checked.symmetry, checked.result.orbits, checked.result.distinct) == ((), False, 4)
    assert check(replace(alike, properties=("no_overcommit",))).result.distinct == 3


def test_with_states_cut_off_by_a_constraint_only_a_violation_is_final() -> None:
    arriving = scenario(pod("a", 1), pod("b", 9), node("n", 1), absent="*", rules=[on_pods("arrive", "a b")])
    cut = replace(arriving, constraints=("at_most_present(1)",))
    checked = asking(cut, "eventually_bound(a)", "eventually_bound(b)")
    assert [violation.property.name for violation in checked.result.violations] == ["eventually_bound(b)"]
    assert checked.result.undecided == ("eventually_bound(a)",)
    assert asking(cut, "eventually_bound(a)").result.verdict is Verdict.GAVE_UP


def test_a_bound_leaves_temporal_properties_undecided() -> None:
    checked = check(replace(FLICKERING, properties=("never_starves(a)",)), bounds=Bounds(depth=1))
    assert (checked.result.verdict, checked.result.undecided) == (Verdict.GAVE_UP, ("never_starves(a)",))


def test_a_graph_that_needs_too_much_memory_is_given_up_with_a_message() -> None:
    question = replace(FLICKERING, properties=("never_starves(a)",))
    for graph in (1e-9, 1e-7):
        result = check(question, bounds=Bounds(graph=graph)).result
        assert result.verdict is Verdict.GAVE_UP
        assert result.stopped.startswith(f"limits.graph {graph:g}")
        assert result.undecided == ("never_starves(a)",)


def test_each_kind_of_fairness_is_passed_to_the_properties() -> None:
    for fairness, (weak, strong) in {"none": (0, 0), "weak": (1, 0), "strong": (0, 1)}.items():
        for name in ("preemption_ends", "never_starves", "all_pods_eventually_bound"):
            (question,) = asked(name, [pod("a")], CORRECTED, fairness=fairness)
            assert isinstance(question, Temporal)
            assert (bool(question.fairness.weak), bool(question.fairness.strong)) == (weak, strong)


def test_auto_uses_the_direct_explorer_for_temporal_properties_of_few_states() -> None:
    question = replace(FLICKERING, properties=("never_starves(a)",))
    checked = [check(question, engine=engine, keep_graph=True) for engine in ("auto", "tabulated")]
    assert [(each.engine, each.result.verdict) for each in checked] == [
        ("direct", Verdict.VIOLATED),
        ("tabulated", Verdict.VIOLATED),
    ]
