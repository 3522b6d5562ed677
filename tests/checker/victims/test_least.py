"""Victims proposed by z3 compared with brute force over every subset: the least casualty, and all sets that have it"""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import z3
from frozendict import frozendict

from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.checker.victims import kubernetes_criteria
from schedcheck.checker.victims import least as search
from schedcheck.checker.victims import problem as questions
from schedcheck.checker.victims.classic_judge import of_classic
from schedcheck.checker.victims.infeasible import reasons
from schedcheck.checker.victims.interchangeable import interchangeable
from schedcheck.checker.victims.judges import Judge, nearby, of_model
from schedcheck.checker.victims.kubernetes_judge import of_kubernetes
from schedcheck.checker.victims.least import Disagreement, Least, least, least_of_nodes, least_sets
from schedcheck.checker.victims.problem import Question, question
from schedcheck.checker.victims.proof import Clause, Proof, proved
from schedcheck.spec.budgets import protects
from schedcheck.spec.classic.policy import DEFAULT
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.profiles import ARTICLE, CORRECTED, departing
from schedcheck.spec.published.preemption import subsets
from schedcheck.spec.schedulers import OF_PLUGINS
from tests.checker.crowded import Crowded, crowded
from tests.support.building import apart, near, node, pod, selector, snapshot, term

JUDGES = {
    "article": of_model(ARTICLE),
    "corrected": of_model(CORRECTED),
    "classic": of_classic(DEFAULT),
    **{name: of_kubernetes(*departing(name, (DEFAULT_PLUGINS,))) for name in OF_PLUGINS},
}
CORRECTED_JUDGE = JUDGES["corrected"]
every_judge = pytest.mark.parametrize("judge", JUDGES.values(), ids=JUDGES)
kubernetes_and_corrected = pytest.mark.parametrize("name", ["corrected", "kubernetes"])

Sets = frozenset[frozenset[Pod]]


def brute_force(given: Crowded, judge: Judge) -> tuple[Any, Sets]:
    """The least casualty over all subsets of Jeopardy, and the sets that have it."""
    fitting = {
        victims: judge.casualty(victims, given.snapshot)
        for victims in subsets(judge.jeopardy(*given))
        if judge.feasibility(given.pod, given.node, given.snapshot - victims)
    }
    best = min(fitting.values(), default=None)
    return best, frozenset(victims for victims, casualty in fitting.items() if casualty == best)


def asked(given: Crowded, judge: Judge) -> tuple[Least, Sets]:
    found = least(question(*given, judge))
    return found, frozenset(least_sets(found))


def differences(seeds: range, most: int, judge: Judge) -> list[int]:
    """The seeds of the nodes on which z3 and brute force differ in the casualty, the sets or the proof."""
    found = []
    for seed in seeds:
        given = crowded(seed, most)
        answer, sets = asked(given, judge)
        if not answer.proved or (answer.casualty, sets) != brute_force(given, judge):
            found.append(seed)
    return found


@pytest.mark.sampled(1)
@every_judge
def test_the_least_casualty_and_every_least_set_are_those_of_brute_force(judge: Judge) -> None:
    assert differences(range(120), 6, judge) == []


@pytest.fixture
def solver_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable sums and programs, so that the solver has to find and prove every least set."""
    monkeypatch.setattr(search, "proposal", lambda question: None)
    monkeypatch.setattr(search, "_lightened", lambda stated, best: best)
    monkeypatch.setattr(search, "_by_programs", lambda stated, victims: None)


@pytest.mark.sampled(2)
@every_judge
@pytest.mark.usefixtures("solver_alone")
def test_the_solver_alone_finds_the_least_casualty_and_every_least_set(judge: Judge) -> None:
    assert differences(range(60), 6, judge) == []


@kubernetes_and_corrected
def test_the_least_casualty_over_all_nodes_is_the_minimum_of_each(name: str) -> None:
    judge = JUDGES[name]
    helped: Counter[int] = Counter()
    for seed in range(80):
        pod, _, things = crowded(seed, 5)
        asked_of = [question(pod, each, things, judge) for each in things.nodes]
        known = [each.casualty for each in map(least, asked_of) if each.casualty is not None]
        found = least_of_nodes(asked_of)
        assert found.proved and (found.least.casualty if found.least else None) == min(known, default=None)
        helped[len(known)] += 1
    assert helped[0] and helped[1] and helped[2]


def guarded(seed: int) -> Crowded:
    """Three nodes, and budgets that each protect pods of only one node."""
    chance = random.Random(seed)
    nodes = [node(f"n{number}", 4) for number in range(3)]
    there = [
        pod(f"p{n}{each}", chance.choice((1, 1, 2)), f"n{n}", priority=chance.choice((0, 1, 2, 5)), labels={"app": app})
        for n in range(3)
        for each in range(3)
        for app in [f"{n}{chance.choice('ab')}"]
    ]
    new = pod("new", chance.choice((2, 3)), priority=9)
    budgets = tuple(
        PodDisruptionBudget(app, selector=selector(app=app), disruptions_allowed=chance.choice((0, 0, 1)))
        for app in (f"{n}{letter}" for n in range(3) for letter in "ab")
        if chance.random() < 0.8
    )
    return Crowded(new, nodes[0], replace(snapshot(new, *nodes, *there), budgets=budgets))


@pytest.mark.usefixtures("solver_alone")
def test_a_victim_beyond_one_budget_is_not_charged_to_a_later_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of a thousand random nodes has a pod of two budgets that decides by this."""
    assert differences(range(929, 930), 7, JUDGES["kubernetes"]) == []
    monkeypatch.setattr(kubernetes_criteria, "_uncharged", lambda beyond, departures: z3.BoolVal(False))
    assert differences(range(929, 930), 7, JUDGES["kubernetes"]) == [929]


def wrongly_proved() -> int:
    """The number of seeds for which a set is proved least over all nodes but is not the minimum of the nodes."""
    wrong = 0
    for seed in range(60):
        new, _, things = guarded(seed)
        asked_of = [question(new, each, things, JUDGES["kubernetes"]) for each in things.nodes]
        known = [each.casualty for each in map(least, asked_of) if each.casualty is not None]
        found = least_of_nodes(asked_of)
        assert found.proved
        wrong += (found.least.casualty if found.least else None) != min(known, default=None)
    return wrong


@pytest.mark.medium
def test_victims_of_several_nodes_are_compared_by_the_budgets_of_their_own_nodes() -> None:
    assert wrongly_proved() == 0


def worst_first(asked: Question) -> list[int]:
    """A sort key by violations of budgets and priority, the worst first."""
    return [-each for each in (least(asked).casualty or ())[:2]]


@pytest.mark.medium
def test_comparing_victims_by_the_budgets_of_another_node_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin compares the victims of another node by the budgets of this one; the worst node comes first."""
    monkeypatch.setattr(search, "_promise", worst_first)
    assert wrongly_proved() == 0
    monkeypatch.setattr(search, "_comparable", list)
    assert wrongly_proved()


@pytest.mark.medium
def test_a_proof_over_all_nodes_that_skips_a_node_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin takes it for proved, of every node but the first, that it has nothing better."""
    monkeypatch.setattr(search, "_promise", worst_first)
    assert wrongly_proved() == 0
    monkeypatch.setattr(search, "_none_better", lambda asked, best, spent: True)
    assert wrongly_proved()


@pytest.mark.slow
@kubernetes_and_corrected
def test_victims_on_a_thousand_more_nodes_are_those_of_brute_force(name: str) -> None:
    assert differences(range(120, 1_120), 7, JUDGES[name]) == []


@pytest.mark.slow
@kubernetes_and_corrected
def test_victims_among_up_to_sixteen_pods_are_those_of_brute_force(name: str) -> None:
    """Of eleven nodes two have fifteen such pods and one has sixteen; the slower kubernetes judge gets only the first
    nodes.
    """
    seeds = range(11) if name == "corrected" else range(2)
    assert differences(seeds, 16, JUDGES[name]) == []


@pytest.mark.medium
def test_the_random_nodes_cover_the_interesting_cases() -> None:
    seen: Counter[str] = Counter()
    for seed in range(150):
        found, sets = asked(crowded(seed), JUDGES["kubernetes"])
        seen["none"] += found.victims is None
        seen["nobody"] += found.victims == frozenset()
        seen["victims"] += bool(found.victims)
        seen["several"] += len(sets) > 1
        seen["antitone"] += any(clause.antitone for clause in found.proof.clauses)
        seen["alone"] += any(not clause.antitone for clause in found.proof.clauses)
        seen["merged"] += len(found.question.classes) < len(found.question.jeopardy)
        seen["violations"] += bool(found.casualty and found.casualty[0])
    assert min(seen.values()) >= 3, seen
    assert len(seen) == 8


def without_budgets(given: Judge) -> Judge:
    """A twin that ignores budgets, both in the solver and in the comparison."""
    return replace(given, criteria=given.criteria[1:], casualty=lambda *asked: given.casualty(*asked)[1:])


def deaf(given: Judge) -> Judge:
    """A twin that treats every rejection as antitone."""
    return replace(
        given, objections=lambda *asked: tuple(replace(each, antitone=True) for each in given.objections(*asked))
    )


def strict(given: Judge) -> Judge:
    """A twin that demands one unit too much of every resource."""
    return replace(
        given, limits=lambda *asked: tuple(replace(each, needed=each.needed + 1) for each in given.limits(*asked))
    )


@pytest.mark.sampled(2)
@pytest.mark.parametrize("twin", [deaf, strict])
@kubernetes_and_corrected
def test_a_broken_judge_is_detected(twin: Callable[[Judge], Judge], name: str) -> None:
    broken, right = twin(JUDGES[name]), JUDGES[name]
    answers = (
        (asked(given, broken), brute_force(given, right)) for given in map(crowded, range(400))
    )  # fmt: skip
    assert any((found.casualty, sets) != expected for (found, sets), expected in answers)


def test_a_search_that_ignores_budgets_is_detected() -> None:
    right = JUDGES["kubernetes"]
    sets = (
        (asked(given, without_budgets(right))[1], brute_force(given, right)[1]) for given in map(crowded, range(400))
    )
    assert any(found != expected for found, expected in sets)


def test_criteria_that_disagree_with_the_casualty_are_refused() -> None:
    other = replace(CORRECTED_JUDGE, casualty=lambda victims, _: (0, 0, len(victims)))
    with pytest.raises(Disagreement):
        least(question(*packed("p1 p2"), other))


def packed(names: str, **fields: Any) -> Crowded:
    """A pod that needs half of a node full of these pods of one cpu each."""
    size = len(names.split())
    there = [pod(name, 1, "n", priority=1, **fields) for name in names.split()]
    new, where = pod("new", size // 2, priority=2), node("n", size)
    return Crowded(new, where, snapshot(new, where, *there))


def test_interchangeable_pods_form_a_class_and_every_set_of_them_is_given() -> None:
    found, sets = asked(packed("p1 p2 p3 p4"), CORRECTED_JUDGE)
    assert [len(each.members) for each in found.question.classes] == [4]
    assert found.casualty == (1, 2, 2)
    assert len(sets) == len(least_sets(found)) == 6


@pytest.mark.sampled(3)
@every_judge
def test_exchanging_members_of_a_class_changes_nothing(judge: Judge) -> None:
    """In any victim set a member of a class may be replaced by another: feasibility and casualty stay the same."""
    swaps = 0
    for given in map(crowded, range(200)):
        made = question(*given, judge)
        for each in made.classes:
            for victims in subsets(made.jeopardy):
                if len(each.members) > 1 and each.members[0] in victims and each.members[1] not in victims:
                    swapped = victims - {each.members[0]} | {each.members[1]}
                    swaps += 1
                    assert made.feasible(victims) == made.feasible(swapped)
                    assert made.casualty(victims) == made.casualty(swapped)
    assert swaps > 50


@pytest.mark.usefixtures("solver_alone")
def test_classes_that_ignore_the_criteria_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(pod: Any, endangered: Any, snapshot: Any, limits: Any, criteria: Any, faults: Any) -> Any:
        return interchangeable(pod, endangered, snapshot, limits, (), faults)

    monkeypatch.setattr(questions, "interchangeable", careless)
    with pytest.raises(Disagreement):
        differences(range(100), 6, JUDGES["kubernetes"])


def test_classes_that_ignore_the_limits_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(pod: Any, endangered: Any, snapshot: Any, limits: Any, criteria: Any, faults: Any) -> Any:
        return interchangeable(pod, endangered, snapshot, (), criteria, faults)

    monkeypatch.setattr(questions, "interchangeable", careless)
    assert differences(range(100), 6, JUDGES["corrected"]) != []


@kubernetes_and_corrected
def test_the_limits_equal_the_demands_of_the_resource_and_port_filters(name: str) -> None:
    judge = JUDGES[name]
    stated = {"Resources", "NodeResourcesFit", "NodePorts"}
    refused = 0
    for given in map(crowded, range(200)):
        made = question(*given, judge)
        for victims in subsets(made.jeopardy):
            objecting = {each.filter for each in made.objections(victims)} & stated
            refused += bool(objecting)
            assert all(limit.met(victims) for limit in made.limits) == (objecting == set())
    assert refused > 100


@pytest.mark.sampled(3)
@every_judge
def test_an_antitone_rejection_remains_when_there_are_more_pods(judge: Judge) -> None:
    kept = 0
    for given in (crowded(seed, 4) for seed in range(150)):
        made = question(*given, judge)
        for victims in subsets(made.jeopardy):
            if any(each.antitone for each in made.objections(victims)):
                for spared in victims:
                    kept += 1
                    assert any(each.antitone for each in made.objections(victims - {spared}))
    assert kept > 100


@kubernetes_and_corrected
def test_a_rejection_for_missing_affinity_is_not_antitone(name: str) -> None:
    lifted = 0
    for given in map(crowded, range(300)):
        made = question(*given, JUDGES[name])
        lifted += not made.feasible(made.jeopardy) and made.feasible(frozenset())
    assert lifted > 0


@kubernetes_and_corrected
def test_a_pod_outside_the_snapshot_gets_the_same_answer(name: str) -> None:
    for given in (crowded(seed, 4) for seed in range(60)):
        alone = given._replace(snapshot=given.snapshot - {given.pod})
        assert asked(alone, JUDGES[name])[1] == asked(given, JUDGES[name])[1]


@pytest.mark.sampled(3)
@every_judge
def test_there_are_objections_exactly_if_the_node_is_infeasible(judge: Judge) -> None:
    for given in map(crowded, range(200)):
        made = question(*given, judge)
        for victims in (frozenset[Pod](), made.jeopardy):
            assert made.feasible(victims) == (made.objections(victims) == ())


def test_pods_elsewhere_are_left_out_only_if_no_definition_depends_on_them() -> None:
    left_out = 0
    for given in map(crowded, range(400)):
        made = question(*given, JUDGES["kubernetes"])
        left_out += len(made.snapshot.pods) < len(given.snapshot.pods)
        for victims in (frozenset[Pod](), made.jeopardy):
            whole = JUDGES["kubernetes"].feasibility(given.pod, given.node, given.snapshot - victims)
            assert made.feasible(victims) == whole
    assert left_out > 5


def objectors(names: str) -> Crowded:
    """Pods with required anti-affinity to the new pod."""
    away = apart(term("kubernetes.io/hostname", selector(app="new")))
    there = [pod(name, 1, "n", priority=1, affinity=away) for name in names.split()]
    new, where = pod("new", 1, priority=2, labels={"app": "new"}), node("n", 9, labels={"kubernetes.io/hostname": "n"})
    return Crowded(new, where, snapshot(new, where, *there, pod("bystander", 1, "n", priority=0)))


def test_an_antitone_rejection_adds_a_clause_that_another_pod_must_be_evicted() -> None:
    found, sets = asked(objectors("p1 p2 p3"), CORRECTED_JUDGE)
    assert sets == {frozenset(found.question.classes[1].members)}
    assert [clause.antitone for clause in found.proof.clauses] == [True] * len(found.proof.clauses)
    assert found.proved


def test_a_proof_is_verified_again_and_a_false_one_is_detected() -> None:
    found = least(question(*objectors("p1 p2"), CORRECTED_JUDGE))
    assert proved(found.proof, found.question, Spent())
    wrong = Clause((1, 2), True, ())
    assert not proved(replace(found.proof, clauses=(*found.proof.clauses, wrong)), found.question, Spent())
    assert not proved(Proof((), found.victims), found.question, Spent())
    assert not proved(replace(found.proof, victims=found.question.jeopardy), found.question, Spent())
    assert not proved(replace(found.proof, victims=None), found.question, Spent())


@pytest.mark.parametrize("effort", [Effort(rounds=1), Effort(seconds=0), Effort(memory=0)])
def test_beyond_a_bound_no_set_is_reported_as_least(effort: Effort) -> None:
    found = least(question(*objectors("p1 p2 p3"), CORRECTED_JUDGE), Spent(effort))
    assert not found.proved
    assert found.stopped.split()[0] in {"limits.rounds", "limits.seconds", "limits.memory"}
    assert least_sets(found, Spent(effort)).stopped
    assert reasons(found) == ()


@pytest.mark.usefixtures("solver_alone")
def test_beyond_a_bound_the_best_set_so_far_is_kept() -> None:
    there = [pod(f"p{size}", size, "n", priority=size) for size in (1, 2, 3, 5, 8)]
    new, where = pod("new", 6, priority=9), node("n", 19)
    asked_of = question(new, where, snapshot(new, where, *there), CORRECTED_JUDGE)
    answers = [least(asked_of, Spent(Effort(rounds=number))) for number in range(1, 20)]
    assert [each for each in answers if not each.proved and each.victims and asked_of.feasible(each.victims)]
    assert answers[-1].proved
    assert answers[0].casualty is not None and answers[-1].casualty is not None
    assert answers[0].casualty > answers[-1].casualty


def test_the_reason_why_no_eviction_helps_is_reported() -> None:
    tiny = node("n", 1, labels={"kubernetes.io/hostname": "n"})
    big = pod("new", 4, priority=2)
    lower = pod("p1", 1, "n", priority=1)
    assert told(big, tiny, lower) == (
        "with all of them gone, Resources still refuses: insufficient cpu (requests 4, 1 left)",
    )
    assert told(big, tiny) == (
        "with no pod of lower priority to evict, Resources still refuses:"
        " insufficient cpu (requests 4, 1 left)",
    )  # fmt: skip


def test_demands_that_only_conflict_together_are_explained() -> None:
    friend = near(term("kubernetes.io/hostname", selector(app="a")))
    new = pod("new", 1, priority=2, affinity=friend)
    where = node("n", 1, labels={"kubernetes.io/hostname": "n"})
    there = pod("p1", 1, "n", priority=1, labels={"app": "a"})
    told_of = told(new, where, there)
    assert told_of == (
        "1 of cpu must be freed",
        "PodAffinity refuses (no pod that the required affinity asks for in the same kubernetes.io/hostname) after one"
        " set of evictions that would do without it",
    )


def told(new: Pod, where: Any, *there: Pod) -> tuple[str, ...]:
    return reasons(least(question(new, where, snapshot(new, where, *there), CORRECTED_JUDGE)))


def test_a_budget_that_allows_disruptions_decides_the_victim() -> None:
    there = [pod(name, 1, "n", priority=1, labels={"app": name}) for name in ("a", "b")]
    new, where = pod("new", 1, priority=2), node("n", 2)
    budget = PodDisruptionBudget("kept", selector=selector(app="a"))
    objects = replace(snapshot(new, where, *there), budgets=(budget,))
    _, sets = asked(Crowded(new, where, objects), JUDGES["kubernetes"])
    assert sets == {frozenset({there[1]})}
    allowing = replace(objects, budgets=(replace(budget, disruptions_allowed=1),))
    _, sets = asked(Crowded(new, where, allowing), JUDGES["kubernetes"])
    assert len(sets) == 2


def test_high_priorities_may_outweigh_an_additional_victim() -> None:
    """Two pods of the lowest priority add less to the shifted sum than one of the highest, so the count does not decide
    first.
    """
    low, high = -(2**31) + 1, 10**9
    there = [
        pod("big", 2, "n", priority=high),
        *(pod(f"small{number}", 1, "n", priority=low) for number in range(2)),
        pod("same", 1, "n", priority=high - 1),
    ]
    new, where = pod("new", 4, priority=2 * 10**9), node("n", 5)
    given = Crowded(new, where, Snapshot.of([new, *there], [where]))
    found, sets = asked(given, JUDGES["kubernetes"])
    assert (found.casualty, sets) == brute_force(given, JUDGES["kubernetes"])


def test_a_proposal_takes_the_first_members_of_each_class() -> None:
    made = question(*packed("p1 p2 p3 p4"), CORRECTED_JUDGE)
    assert sorted(map(str, made.victims((2,)))) == ["p1", "p2"]
    assert made.counts(made.victims((2,))) == (2,)
    assert frozendict(made.limits[1].freed)[made.classes[0].any] == 1000


@pytest.mark.sampled(3)
@every_judge
def test_a_set_fits_exactly_if_the_node_is_feasible_without_it(judge: Judge) -> None:
    fitting: Counter[bool] = Counter()
    for given in map(crowded, range(60)):
        made = question(*given, judge)
        for victims in subsets(made.jeopardy):
            fitting[made.fits(victims)] += 1
            assert made.fits(victims) == judge.feasibility(given.pod, given.node, given.snapshot - victims)
    assert fitting[False] > 100
    assert fitting[True] > 100 or judge is JUDGES["article"]


def test_the_relevant_budgets_are_those_that_protect_a_relevant_pod() -> None:
    """Pods of one namespace with other labels, and of one label in other namespaces, are looked up separately."""
    several = 0
    for given in map(crowded, range(100)):
        others = tuple(replace(each, namespace="other") for each in given.snapshot.pods[::2])
        elsewhere = tuple(replace(each, name=f"{each.name}-o", namespace="other") for each in given.snapshot.budgets)
        things = replace(
            given.snapshot,
            pods=tuple(sorted((*given.snapshot.pods, *others), key=lambda each: each.key)),
            budgets=tuple(sorted((*given.snapshot.budgets, *elsewhere), key=lambda each: each.key)),
        )
        for where in things.nodes:
            there = [each for each in things.pods if where.name in (each.node_name, each.nominated_node_name)]
            expected = [each for each in things.budgets if any(protects(each, other) for other in there)]
            several += len(expected) > 1
            assert list(nearby(where, things).budgets) == expected
    assert several > 50
