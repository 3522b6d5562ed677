"""The tabulated explorer agrees with the direct one on every kind of scenario; a broken one does not"""

from collections.abc import Hashable
from dataclasses import replace
from random import Random

import pytest
from frozendict import frozendict
from hypothesis import HealthCheck, given, settings

from schedcheck.checker.check import Checked, Disagreement, NotTabulated, Search, check
from schedcheck.checker.drawing.scenarios import scenarios
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.checker.tabulated.answers import classic, printed
from schedcheck.checker.tabulated.layout import movement
from schedcheck.checker.tabulated.layout.sights import Sights
from schedcheck.checker.tabulated.search import engine
from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.rule import always
from schedcheck.spec.classic.policy import DEFAULT as DEFAULT_POLICY
from schedcheck.spec.classic.policy import (
    DEFAULT_PREDICATES,
    LabelPreference,
    LabelPresence,
    Ratio,
    ServiceAffinity,
    Weighted,
)
from schedcheck.spec.classic.policy import Classic as Policy
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Service, Snapshot, SpreadConstraint
from schedcheck.spec.terms import Affinity, PreferredNodeTerm, Requirement
from tests.examples.test_examples import example
from tests.support.building import (
    apart,
    five_pods,
    node,
    node_term,
    on_nodes,
    on_pods,
    pod,
    replays,
    scenario,
    selector,
    seven_pods,
    term,
)
from tests.tla.random_scenarios import random_scenario

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
FEW = Bounds(max_states=1500)


def both(scene: Scenario, *, symmetry: bool = True) -> Checked:
    """Check the scenario with the tabulated explorer, which must agree with the direct one; its traces must be
    behaviours.
    """
    checked = check(scene, symmetry=symmetry, engine="both")
    assert checked.engine == "tabulated"
    assert all(not each.trace or replays(checked.machine, each.trace) for each in checked.result.violations)
    return checked


def tabulated_as_well(scene: Scenario, *, symmetry: bool) -> None:
    if check(scene, symmetry=symmetry, bounds=FEW).result.stopped.startswith("limits.states"):
        return
    try:
        both(scene, symmetry=symmetry)
    except NotTabulated as why:
        assert str(why) == "the initial state lies beyond the constraints"


@pytest.mark.parametrize("symmetry", [True, False])
def test_the_five_pods_have_the_counts_of_tlc(symmetry: bool) -> None:
    found = both(five_pods(), symmetry=symmetry).result
    assert (found.distinct, found.generated, found.depth) == (2112, 13573, 12)


def test_the_seven_pods_have_the_counts_of_tlc() -> None:
    found = check(seven_pods(), symmetry=False, engine="tabulated").result
    assert (found.distinct, found.generated, found.depth) == (108_816, 995_747, 18)
    assert found.verdict is Verdict.HOLDS


@pytest.mark.medium
@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(scenarios())
def test_both_explorers_agree_on_printed_profiles(scene: Scenario) -> None:
    for symmetry in (True, False):
        tabulated_as_well(scene, symmetry=symmetry)


@settings(max_examples=25, deadline=None, suppress_health_check=SLOW)
@given(scenarios())
def test_both_explorers_agree_on_kube_scheduler(scene: Scenario) -> None:
    tabulated_as_well(replace(scene, profile="kubernetes", faults=frozenset()), symmetry=True)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(40))
def test_both_explorers_agree_on_scenarios_with_many_features(seed: int) -> None:
    tabulated_as_well(random_scenario(seed), symmetry=False)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(100, 112))
def test_both_explorers_agree_on_many_features_under_kube_scheduler(seed: int) -> None:
    scene = replace(random_scenario(seed), profile="kubernetes", faults=frozenset())
    tabulated_as_well(scene, symmetry=False)


def early(seed: int) -> Scenario:
    """A scenario with many features under the classic scheduler, with a random policy, budgets and a service."""
    random = Random(seed)
    drawn = random_scenario(seed)
    others = random.sample(DEFAULT_PREDICATES[1:], 7)
    policy = Policy(
        predicates=(DEFAULT_PREDICATES[0], *others),
        label_presence=random.choice(((), (LabelPresence("zoned", ("zone",), True),))),
        priorities=tuple(random.sample(PRIORITIES, random.randint(0, 3))),
        by_allocatable=random.random() < 0.8,
    )
    budgets = tuple(
        PodDisruptionBudget(each, selector=selector(app=each), disruptions_allowed=random.choice((0, 1)))
        for each in "ab"[: random.randint(0, 2)]
    )
    return replace(
        drawn,
        profile="classic",
        policy=random.choice((policy, DEFAULT_POLICY)),
        faults=frozenset(),
        budgets=budgets,
        services=random.choice(((), (Service("s", "default", frozendict(app="a")),))),
        rules=(*drawn.rules, Rule("evict", pods=tuple(each.key for each in drawn.pods), bound=1)),
        controllers=frozenset(random.choice(((), ("disruption",), ("kubelet", "disruption")))),
    )


PRIORITIES = (
    Weighted("SelectorSpreadPriority"),
    Weighted("LeastRequestedPriority", 2),
    Weighted("BalancedResourceAllocation"),
    Weighted("NodeAffinityPriority", 3),
    Weighted("EqualPriority"),
    Weighted("InterPodAffinityPriority", 2),
    Weighted("TaintTolerationPriority", 2),
    Weighted("MostRequestedPriority"),
    Weighted("ServiceSpreadingPriority"),
    Weighted("apart", 2, "zone"),
)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(24))
def test_both_explorers_agree_on_many_features_under_the_classic_scheduler(seed: int) -> None:
    tabulated_as_well(early(seed), symmetry=seed % 2 == 0)


def with_arguments(seed: int) -> Scenario:
    """The scenario of the classic scheduler with predicates and priorities that take arguments, and avoided pods."""
    random, drawn = Random(seed), early(seed)
    owned = tuple(
        replace(
            each,
            owner=("ReplicaSet", "rs") if random.random() < 0.5 else each.owner,
            owner_uid=random.choice("12"),
            spread=random.choice(((), CONSTRAINTS, CONSTRAINTS[1:])),
        )
        for each in drawn.pods
    )
    nodes = tuple(
        replace(each, avoids=(("ReplicaSet", "1"),)) if random.random() < 0.5 else each for each in drawn.nodes
    )
    policy = replace(
        drawn.policy,
        predicates=(*drawn.policy.predicates, "EvenPodsSpread", "PodToleratesNodeNoExecuteTaints"),
        service_affinity=(ServiceAffinity("near", ("zone", "size")),) if random.random() < 0.7 else (),
        priorities=tuple(random.sample(WITH_ARGUMENTS, random.randint(1, len(WITH_ARGUMENTS)))),
    )
    return replace(drawn, pods=owned, nodes=nodes, policy=policy)


CONSTRAINTS = (
    SpreadConstraint(1, "zone", required=True, selector=selector(app="a")),
    SpreadConstraint(1, "size", required=False, selector=selector()),
)
WITH_ARGUMENTS = (
    Weighted("zoned", 3, preference=LabelPreference("zone", presence=True)),
    Weighted("sizeless", 3, preference=LabelPreference("size", presence=False)),
    Weighted("NodePreferAvoidPodsPriority", 5),
    Weighted("LeastRequestedPriority"),
    Weighted("packed", 2, ratio=Ratio(((0, 0), (50, 7), (100, 10)))),
    Weighted("EvenPodsSpreadPriority", 3),
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(12))
def test_both_explorers_agree_on_predicates_and_priorities_with_arguments(seed: int) -> None:
    tabulated_as_well(with_arguments(seed), symmetry=seed % 2 == 0)


def test_a_classic_loop_that_ignores_a_weight_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each priority alone scores the nodes equally."""
    liking = Affinity(
        node_preferred=tuple(
            PreferredNodeTerm(weight, node_term(Requirement("disk", "In", (disk,))))
            for weight, disk in ((10, "ssd"), (5, "hdd"))
        )
    )
    scene = scenario(
        pod("a", 1, affinity=liking),
        pod("b", 1, affinity=liking),
        node("n1", 2),
        node("n2", 2, labels={"disk": "ssd"}),
        node("n3", 2, labels={"disk": "ssd"}),
        rules=[on_nodes("label", "n2", label_key="disk", label_values=("hdd", "ssd"))],
        absent="*",
        profile="classic",
        policy=Policy(priorities=(Weighted("NodeAffinityPriority"),), by_allocatable=True),
    )
    scene = replace(scene, rules=(*scene.rules, on_pods("arrive", "a b")))
    both(scene, symmetry=False)
    monkeypatch.setattr(classic, "weight", lambda pod, node: 0)
    with pytest.raises(Disagreement):
        both(scene, symmetry=False)


@pytest.mark.parametrize("profile", ["corrected", "classic", "kubernetes"])
def test_never_evicted_is_checked_on_every_eviction(profile: str) -> None:
    scene = scenario(
        pod("a", 1, on="n1"),
        pod("b", 1, on="n2", priority=1),
        pod("top", 1, priority=9),
        node("n1", 1),
        node("n2", 1),
        profile=profile,
        policy=Policy(by_allocatable=True),
        properties=("never_evicted",),
    )
    assert [each.property.name for each in both(scene).result.violations] == ["never_evicted(a)"]


def test_a_classic_loop_that_ignores_the_damage_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which of two nodes is the cheaper one depends on which pod arrived first."""
    low = [pod("a", 1), pod("b", 1, priority=1)]
    scene = scenario(
        *low,
        pod("top", 1, priority=9),
        node("n1", 1),
        node("n2", 1),
        absent="*",
        rules=[on_pods("arrive", "a b top")],
        profile="classic",
        policy=Policy(by_allocatable=True),
        properties=("never_evicted(b)", "never_evicted(a)"),
    )
    assert [each.property.name for each in both(scene).result.violations] == ["never_evicted(a)"]
    whole = classic.Classic.evictions
    monkeypatch.setattr(classic.Classic, "evictions", lambda *asked: (bool(whole(*asked)[1]), whole(*asked)[1]))
    with pytest.raises((Disagreement, ValueError)):
        both(scene, symmetry=False)


def test_properties_are_also_judged_beyond_a_constraint() -> None:
    @always
    def two_at_most(snapshot: Snapshot) -> bool:
        """No more than two pods are there."""
        return len(snapshot.pods) <= 2

    scene = replace(five_pods(), constraints=("at_most_present(2)",), properties=("no_overcommit",))
    checked = check(scene, engine="both", rules=[two_at_most.rule])
    (violation,) = checked.result.violations
    assert (violation.property.name, len(violation.trace)) == ("two_at_most", 4)
    assert replays(checked.machine, violation.trace)


def test_states_beyond_the_constraints_are_not_expanded() -> None:
    asked = ("pod_can_still_be_bound(p5)", "pod_sometimes_bound", "eventually_bound(p5)", "evictions_end")
    for limit in ("at_most_present(3)", "at_most_bound(1)", "at_most_unbound(2)"):
        found = both(replace(five_pods(), constraints=(limit,), properties=asked), symmetry=False).result
        assert found.distinct < 2112
        assert found.verdict is Verdict.VIOLATED or found.stopped.startswith("the constraints cut off")


def test_a_constraint_that_counts_something_else_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = replace(five_pods(), constraints=("at_most_bound(1)",))
    both(scene)
    monkeypatch.setattr(engine, "limits", lambda texts: [(lambda snapshot: len(snapshot.pods), 1)])
    with pytest.raises(Disagreement):
        both(scene)


@pytest.mark.parametrize(
    "name",
    [
        "anti-affinity",
        "budget-broken",
        "budget-kept",
        "node-failure",
        "pod-stranded",
        "preemption-chain",
        "gpu-small",
        "spread",
    ],
)
def test_both_explorers_agree_on_the_examples_under_kube_scheduler(name: str) -> None:
    both(replace(example(name), profile="kubernetes"))


@pytest.mark.parametrize("name", ["preemption-chain", "budget-kept", "anti-affinity", "spread", "gpu-small"])
def test_the_tabulated_explorer_supports_every_feature_of_the_default_profile(name: str) -> None:
    """Small scenarios are finished before tables become worthwhile; even then nothing prevents them."""
    scene = replace(example(name), profile="kubernetes")
    chosen = check(scene, engine="auto", symmetry=False)
    assert chosen.why == ""
    assert chosen.engine == ("tabulated" if name in {"spread", "gpu-small"} else "direct")
    found = check(scene, engine="tabulated", symmetry=False).result
    assert (found.distinct, found.verdict) == (chosen.result.distinct, chosen.result.verdict)


def test_a_loop_that_ignores_the_scores_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(self: printed.Printed, pod: Pod, node: Node, snapshot: Snapshot) -> Hashable:
        return self.own.feasibility(pod, node, snapshot)

    monkeypatch.setattr(printed.Printed, "admission", blind)
    with pytest.raises(Disagreement):
        both(five_pods(), symmetry=False)


def test_a_loop_that_ignores_the_victims_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = printed.Printed.evictions
    monkeypatch.setattr(printed.Printed, "evictions", lambda *asked: (bool(whole(*asked)[1]), whole(*asked)[1]))
    with pytest.raises(Disagreement):
        both(five_pods(), symmetry=False)


def test_pods_whose_answer_depends_on_other_nodes_are_not_judged_on_one_node(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = apart(term("zone", selector(app="db")))
    pods = [pod(name, 1, labels={"app": "db"}, affinity=alone) for name in ("p1", "p2")]
    nodes = [node(name, 1, labels={"zone": "a"}) for name in ("n1", "n2")]
    scene = scenario(*pods, pod("q", 1), *nodes, absent="*", rules=[on_pods("arrive", "p1 p2 q")])
    scene = replace(scene, properties=("scheduler_is_sound",))
    both(scene, symmetry=False)
    monkeypatch.setattr(Sights, "wide", False)
    with pytest.raises(Disagreement):
        both(scene, symmetry=False)


def test_the_same_victims_in_another_order_are_one_nomination() -> None:
    """Two pods of a node may be reprieved in either order, and both must be evicted."""
    low = [pod(name, 1, on="n") for name in ("a", "b")]
    for profile in ("kubernetes", "classic"):
        scene = scenario(*low, pod("top", 2, priority=1), node("n", 2), profile=profile)
        both(replace(scene, policy=Policy(by_allocatable=True)), symmetry=False)


def test_a_bound_that_is_not_counted_down_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    once = replace(five_pods(), rules=tuple(replace(rule, bound=1) for rule in five_pods().rules))
    both(once)
    monkeypatch.setattr(movement, "_used", lambda before, after: -1)
    with pytest.raises(Disagreement):
        both(once)


def test_an_unsupported_scenario_is_refused_by_name_and_left_to_the_direct_explorer() -> None:
    with pytest.raises(NotTabulated, match="walk"):
        check(five_pods(), engine="tabulated", search=Search("walk", 10, 10))
    with pytest.raises(NotTabulated, match="the initial state lies beyond the constraints"):
        check(replace(five_pods(), absent=frozenset(), constraints=("at_most_present(4)",)), engine="tabulated")


def test_too_many_pods_are_refused_before_any_table_is_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(Plan, "program")
    crowd = scenario(node("n", 1), *(pod(f"p{number:02}") for number in range(64)))
    with pytest.raises(NotTabulated, match="64 pods are more than 63"):
        check(crowd, engine="tabulated")


def test_auto_starts_with_the_direct_explorer() -> None:
    assert check(example("preemption-chain"), engine="auto").engine == "direct"
    asked = replace(five_pods(), properties=("never_starves(p1)", "evictions_end"))
    assert check(five_pods(), engine="auto").engine == "tabulated"
    assert check(asked, engine="auto", keep_graph=True).engine == "tabulated"
    assert check(five_pods(), engine="auto", bounds=Bounds(max_states=100)).engine == "direct"


@pytest.mark.parametrize(
    ("bounds", "stopped"),
    [
        (Bounds(depth=5), "limits.depth 5"),
        (Bounds(max_states=1000), "limits.states 1000"),
        (Bounds(seconds=1e-9), "limits.seconds 1e-09"),
    ],
)
def test_a_bound_stops_the_tabulated_explorer(bounds: Bounds, stopped: str) -> None:
    found = check(five_pods(), engine="tabulated", bounds=bounds).result
    assert (found.verdict, found.stopped) == (Verdict.GAVE_UP, stopped)
    assert 0 < found.distinct <= 2112


def test_a_depth_bound_leaves_what_the_direct_explorer_leaves() -> None:
    found = [check(five_pods(), engine=engine, bounds=Bounds(depth=6)).result for engine in ("direct", "tabulated")]
    assert found[0] == replace(found[1], seconds=found[0].seconds)


def test_the_trace_does_not_depend_on_the_content_of_the_tables() -> None:
    scene = example("pod-stranded")
    traces = [check(scene, engine="tabulated").result.violations[0].trace for _ in range(2)]
    assert traces[0] == traces[1]
