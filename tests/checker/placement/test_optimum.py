"""The best placement of all pending pods: z3 against brute force, and the outcomes that the scheduler can reach"""

from collections import Counter
from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.checker.placement import learned
from schedcheck.checker.placement.learned import Lesson, for_good, highest, slack
from schedcheck.checker.placement.optimum import NOTHING, best_again, optimum, problem
from schedcheck.checker.placement.outcomes import histogram, outcomes
from schedcheck.checker.placement.worth import worth
from schedcheck.spec.binding import unbound
from schedcheck.spec.classic.policy import DEFAULT
from schedcheck.spec.faults import Fault
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.placement import around, feasible_placement, no_better, possible_placements, viable_placements
from schedcheck.spec.profiles import CORRECTED, Profile, classic, kubernetes, profile
from schedcheck.spec.terms import Affinity
from tests.checker.liveness.waiting import waiting
from tests.support.building import HOSTNAME, apart, near, node, pod, preferring, scenario, selector, snapshot, term

PROFILES = {
    "corrected": CORRECTED,
    "faulty": profile(
        "corrected", frozenset({Fault.BOUND_PODS_IGNORED, Fault.ANTI_AFFINITY_ADDED, Fault.NO_FIRST_OF_GROUP})
    ),
    "classic": classic(DEFAULT),
    "kubernetes": kubernetes("kubernetes", (DEFAULT_PLUGINS,)),
}
SEEDS = {"corrected": 60, "faulty": 60, "classic": 12, "kubernetes": 12}
every_profile = pytest.mark.parametrize("name", PROFILES)


def wrong(seeds: range, judge: Profile, most: int = 3) -> list[int]:
    """The seeds of the clusters on which z3 finds no best placement, or does not prove it."""
    found = []
    for seed in seeds:
        given = waiting(seed, most)
        answer = optimum(given, judge)
        best = viable_placements(unbound(given, judge.faults), given, judge)
        if not answer.proved or answer.placement not in best:
            found.append(seed)
    return found


@pytest.mark.sampled(1)
@every_profile
def test_the_best_placement_is_one_of_brute_force(name: str) -> None:
    assert wrong(range(SEEDS[name]), PROFILES[name]) == []


@pytest.mark.slow
def test_the_best_placement_of_up_to_four_pending_pods_is_one_of_brute_force() -> None:
    assert wrong(range(100, 250), CORRECTED, 4) == []


def test_the_random_clusters_cover_the_interesting_cases() -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        given = waiting(seed, 3)
        answer = optimum(given, CORRECTED)
        seen["everybody"] += len(answer.placement) == len(problem(given, CORRECTED).pods)
        seen["not everybody"] += len(answer.placement) < len(problem(given, CORRECTED).pods)
        seen["refusals"] += any(each.most is None for each in answer.lessons)
        seen["ratings"] += any(each.most is not None for each in answer.lessons)
        seen["general"] += any(each.general for each in answer.lessons)
        seen["alone"] += any(not each.general for each in answer.lessons)
    assert len(seen) == 6
    assert min(seen.values()) >= 4, seen


def attached(affinity: Affinity) -> list[Snapshot]:
    """Two clusters, in each of which a pod with affinity to another one may run only on one of two nodes."""
    where = [node(name, 100, labels={HOSTNAME: name}) for name in ("n", "m")]
    follower = pod("b", 1, labels={"app": "b"})
    return [
        snapshot(pod("a", 1, priority=1, affinity=affinity, node_selector={HOSTNAME: name}), follower, *where)
        for name in ("n", "m")
    ]


def test_treating_every_rating_as_general_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    given = attached(preferring(30, term(HOSTNAME, selector(app="b"))))
    assert [optimum(each, CORRECTED).score for each in given] == [98 + 30 + 98] * 2
    monkeypatch.setattr(learned, "slack", lambda pod, profile: 0)
    assert [optimum(each, CORRECTED).score for each in given] != [98 + 30 + 98] * 2


def test_treating_every_rejection_as_general_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    given = attached(near(term(HOSTNAME, selector(app="b"))))
    assert [len(optimum(each, CORRECTED).placement) for each in given] == [2, 2]
    monkeypatch.setattr(learned, "for_good", lambda pod, node, meets, judge: not judge.feasibility(pod, node, meets))
    assert [len(optimum(each, CORRECTED).placement) for each in given] != [2, 2]


def friends() -> Snapshot:
    """Two pods, each with required affinity to the other: neither can be the first."""
    a = pod("a", 1, labels={"app": "a"}, affinity=near(term(HOSTNAME, selector(app="b"))))
    b = pod("b", 1, labels={"app": "b"}, affinity=near(term(HOSTNAME, selector(app="a"))))
    return snapshot(a, b, node("n", 4, labels={HOSTNAME: "n"}))


@every_profile
def test_no_placement_is_rated_above_the_stated_maximum(name: str) -> None:
    judge = PROFILES[name]
    for seed in range(20):
        given = waiting(seed, 2)
        for placement in possible_placements(unbound(given, judge.faults), given):
            for each, where in placement.items():
                rated = judge.viability(each, where, around(each, placement, given))
                assert rated <= highest(each, where, given, judge)


@every_profile
def test_general_rejections_and_ratings_hold_with_more_pods(name: str) -> None:
    judge = PROFILES[name]
    for seed in range(20 if name == "kubernetes" else 60):
        given = waiting(seed, 3)
        for placement in possible_placements(unbound(given, judge.faults), given):
            for each, where in placement.items():
                for other in placement.delete(each):
                    more = around(each, placement, given)
                    fewer = around(each, placement.delete(other), given)
                    if for_good(each, where, fewer, judge):
                        assert for_good(each, where, more, judge)
                    if not judge.nominates and slack(each, judge) == 0:
                        assert judge.viability(each, where, more) <= judge.viability(each, where, fewer)


def test_without_pending_pods_the_optimum_is_empty() -> None:
    found = optimum(snapshot(node("n", 1)), CORRECTED)
    assert (found.placement, found.score, found.proved) == (NOTHING, 0, True)


def test_without_nodes_the_optimum_is_empty() -> None:
    assert optimum(snapshot(pod("p", 1)), CORRECTED).placement == NOTHING


def test_one_pod_of_high_priority_counts_more_than_two_of_low_priority() -> None:
    given = snapshot(pod("high", 2, priority=1), pod("low1", 1), pod("low2", 1), node("n", 2))
    assert [str(each) for each in optimum(given, CORRECTED).placement] == ["high"]


def test_a_proof_is_verified_again_and_a_false_one_is_detected() -> None:
    given = snapshot(pod("a", 2), pod("b", 2, affinity=apart(term(HOSTNAME, selector()))), node("n", 3), node("m", 3))
    found = optimum(given, CORRECTED)
    asked = problem(given, CORRECTED)
    assert best_again(asked, found.placement, found.lessons, Spent())
    assert not best_again(asked, NOTHING, found.lessons, Spent())
    false = Lesson(asked.pods[0], given.nodes[0], frozendict(), True, None)
    assert not best_again(asked, found.placement, (*found.lessons, false), Spent())
    assert not best_again(asked, NOTHING, (false, replace(false, node=given.nodes[1])), Spent())


@pytest.mark.parametrize("effort", [Effort(rounds=1), Effort(seconds=0), Effort(memory=0)])
def test_beyond_a_bound_no_placement_is_reported_as_best(effort: Effort) -> None:
    found = optimum(friends(), CORRECTED, Spent(effort))
    assert not found.proved
    assert found.stopped.split()[0] in {"limits.rounds", "limits.seconds", "limits.memory"}
    assert feasible_placement(found.placement, friends(), CORRECTED)


def test_the_outcomes_are_those_of_every_order() -> None:
    """The small pod either takes the only node that is large enough for the large one, or leaves it."""
    given = scenario(pod("large", 4), pod("small", 1), node("big", 4), node("little", 1))
    objects = Snapshot(given.pods, given.nodes)
    best = optimum(objects, CORRECTED)
    waits = problem(objects, CORRECTED).pods
    reached = outcomes(given, waits, CORRECTED, Spent())
    best_worth = worth(best.placement, waits, objects, CORRECTED)
    assert [(value.placed, evictions, number) for value, evictions, number in histogram(reached)] == [
        (((0, 2),), 0, 1),
        (((0, 1),), 0, 1),
    ]
    assert reached.found[0].worth == best_worth
    assert reached.stopped == ""


def test_no_outcome_without_evictions_is_better_than_the_optimum() -> None:
    missed = 0
    for seed in range(40):
        given = waiting(seed, 3)
        best = optimum(given, CORRECTED).placement
        made = scenario(*given.pods, *given.nodes)
        waits = problem(given, CORRECTED).pods
        for each in outcomes(made, waits, CORRECTED, Spent()).found:
            if not each.evicted:
                assert feasible_placement(each.placement, given, CORRECTED) or near_or_apart(given)
                missed += not no_better(best, each.placement, given, CORRECTED)
                if feasible_placement(each.placement, given, CORRECTED):
                    assert no_better(each.placement, best, given, CORRECTED)
    assert missed > 0


def near_or_apart(given: Snapshot) -> bool:
    """Whether some pod has required affinity or anti-affinity, so that a later pod may invalidate an earlier placement."""
    return any(each.affinity.pod_required or each.affinity.anti_required for each in given.pods)


def test_evictions_are_reported_in_the_outcomes() -> None:
    given = scenario(pod("high", 2, priority=1), pod("low", 2, "n"), node("n", 2))
    objects = Snapshot(given.pods, given.nodes)
    reached = outcomes(given, problem(objects, CORRECTED).pods, CORRECTED, Spent())
    assert [(str(each.evicted[0]), len(each.placement)) for each in reached.found] == [("low", 1)]
    assert optimum(objects, CORRECTED).placement == NOTHING
