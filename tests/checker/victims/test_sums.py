"""Proofs about victim sets by sums, compared with brute force over every subset, and twins that prove too much"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import accumulate
from typing import Any

import pytest

from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.checker.victims import casualty, sums
from schedcheck.checker.victims import least as search
from schedcheck.checker.victims.classic_judge import of_classic
from schedcheck.checker.victims.judges import of_model
from schedcheck.checker.victims.kubernetes_judge import of_kubernetes
from schedcheck.checker.victims.least import Disagreement, least
from schedcheck.checker.victims.problem import Question, question
from schedcheck.checker.victims.proof import BY_PROGRAMS, BY_REFUSAL, BY_SOLVER, BY_SUMS
from schedcheck.checker.victims.sums import Demand, Group, cheapest, none_less, proposal
from schedcheck.spec.classic.policy import DEFAULT
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, PodDisruptionBudget
from schedcheck.spec.profiles import CORRECTED
from schedcheck.spec.published.preemption import subsets
from schedcheck.spec.terms import NO_AFFINITY
from tests.checker.crowded import Crowded, crowded
from tests.support.building import node, pod, selector, snapshot

JUDGES = {
    "corrected": of_model(CORRECTED),
    "classic": of_classic(DEFAULT),
    "kubernetes": of_kubernetes(DEFAULT_PLUGINS),
}
every_judge = pytest.mark.parametrize("name", JUDGES)
Fitting = dict[frozenset[Pod], tuple[Any, ...]]


def plain(seed: int, most: int) -> Crowded:
    """A crowded node where only room matters: no affinity, no spread constraints."""
    given = crowded(seed, most)
    pods = tuple(replace(each, affinity=NO_AFFINITY, spread=()) for each in given.snapshot.pods)
    own = next(each for each in pods if each.key == given.pod.key)
    return Crowded(own, given.node, replace(given.snapshot, pods=pods))


@cache
def asked(name: str) -> tuple[tuple[Question, Fitting], ...]:
    """Questions with every set that leaves room and its casualty, by the definitions alone."""
    judge = JUDGES[name]
    found = []
    for seed in range(100):
        given = plain(seed, 6) if seed % 3 else crowded(seed, 6)
        fitting = {
            victims: judge.casualty(victims, given.snapshot)
            for victims in subsets(judge.jeopardy(*given))
            if judge.feasibility(given.pod, given.node, given.snapshot - victims)
        }
        found.append((question(*given, judge), fitting))
    return tuple(found)


def claims(name: str) -> Iterator[tuple[bool, bool]]:
    """For every set that leaves room: whether sums claim that none is less, and whether that is true."""
    for made, fitting in asked(name):
        for victims, damage in fitting.items():
            yield none_less(made, victims), damage == min(fitting.values())


def unsound(name: str) -> int:
    """The number of sets wrongly claimed to be least."""
    return sum(said and not true for said, true in claims(name))


@every_judge
def test_no_set_is_wrongly_proved_least(name: str) -> None:
    seen = Counter(claims(name))
    assert seen[True, False] == 0
    assert seen[True, True] > 50
    assert seen[False, False] > 100


Demanding = Callable[[tuple[Pod, ...], Any, frozenset[Pod], bool], Demand]


def changed(name: str, words: str, twin: Callable[[Demanding], Demanding]) -> int:
    """The number of sets wrongly proved least if this criterion has the demand of the twin."""
    judge = JUDGES[name]
    twins = tuple(replace(each, demand=twin(each.demand)) if words in each.words else each for each in judge.criteria)
    assert twins != judge.criteria
    return sum(
        none_less(replace(made, judge=replace(judge, criteria=twins)), victims) and damage != min(fitting.values())
        for made, fitting in asked(name)
        for victims, damage in fitting.items()
    )


def sparing_too_many(demand: Demanding) -> Demanding:
    """The twin spares a pod that is no worse."""
    return lambda pods, there, victims, _: demand(pods, there, victims, True)


def allowing_too_little(demand: Demanding) -> Demanding:
    """The twin demands a smaller sum than necessary."""

    def twin(pods: tuple[Pod, ...], there: Any, victims: frozenset[Pod], better: bool) -> Demand:
        made = demand(pods, there, victims, better)
        return replace(made, most=made.most - 1)

    return twin


def charging_every_budget(demand: Demanding) -> Demanding:
    """The twin counts a violation for every pod that a budget guards, even if the budget allows disruptions."""

    def twin(pods: tuple[Pod, ...], there: Any, victims: frozenset[Pod], better: bool) -> Demand:
        closed = tuple(replace(each, disruptions_allowed=0) for each in there.budgets)
        return replace(
            demand(pods, there, victims, better),
            weights=demand(pods, replace(there, budgets=closed), victims, better).weights,
        )

    return twin


def sparing_every_early_one(pods: tuple[Pod, ...], there: Any, victims: frozenset[Pod], better: bool) -> Demand:
    """The twin also spares pods of lower priority if they started early."""
    start = casualty.earliest_start(victims)
    return Demand(frozenset(pod for pod in pods if casualty._start(pod) >= start))


@pytest.mark.parametrize(
    ("name", "words", "twin"),
    [
        ("kubernetes", "violations", charging_every_budget),
        ("kubernetes", "violations", allowing_too_little),
        ("kubernetes", "highest priority", sparing_too_many),
        ("kubernetes", "2^31", allowing_too_little),
        ("corrected", "highest priority", sparing_too_many),
        ("corrected", "sum of priorities", allowing_too_little),
        ("corrected", "count", allowing_too_little),
    ],
)
def test_a_criterion_that_demands_too_much_is_detected(name: str, words: str, twin: Any) -> None:
    assert changed(name, words, twin)


def test_sparing_early_pods_of_low_priority_is_detected() -> None:
    """Of the two sets that leave room the better one contains the early pod of low priority too."""
    low, *high = (pod(f"p{at}", 1, "n", priority=1 + (at > 0), start_time=at) for at in range(3))
    keeping = pod("kept", 2, "n", priority=9)
    new, where = pod("new", 2, priority=9), node("n", 5)
    judge = JUDGES["kubernetes"]
    made = question(new, where, snapshot(new, where, keeping, low, *high), judge)
    worse, better = (frozenset({low, each}) for each in high)
    assert made.casualty(better) < made.casualty(worse)
    assert (none_less(made, better), none_less(made, worse)) == (True, False)
    twins = (*judge.criteria[:-1], replace(judge.criteria[-1], demand=sparing_every_early_one))
    assert none_less(replace(made, judge=replace(judge, criteria=twins)), worse)


def test_sums_that_free_too_little_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin counts from each group the pods that free least."""
    monkeypatch.setattr(
        sums,
        "_most",
        lambda pods, limit: tuple(accumulate(sorted(limit.freed.get(pod, 0) for pod in pods), initial=0)),
    )
    assert unsound("kubernetes") and unsound("corrected")


def test_a_choice_that_stops_at_the_first_numbers_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin takes victims only from the last group, the lightest."""

    def narrow(groups: Any, limits: Any, most: Any) -> Any:
        found = cheapest(groups[-1:], limits, most)
        return found if found is None else (*(0 for _ in groups[1:]), *found)

    monkeypatch.setattr(sums, "cheapest", narrow)
    assert unsound("kubernetes")


@every_judge
def test_a_proposal_meets_the_limits_and_is_usually_least(name: str) -> None:
    proposed: Counter[bool] = Counter()
    for made, fitting in asked(name):
        victims = proposal(made)
        if victims is not None:
            assert all(limit.met(victims) for limit in made.limits)
            assert victims <= made.jeopardy
            if victims in fitting:
                proposed[fitting[victims] == min(fitting.values())] += 1
    assert proposed[True] > 25
    assert proposed[True] > 5 * proposed[False]


@every_judge
def test_all_means_of_proof_occur(name: str) -> None:
    seen: Counter[str] = Counter()
    for made, fitting in asked(name):
        found = least(made)
        assert found.proved and found.casualty == min(fitting.values(), default=None)
        assert found.victims is None or fitting[found.victims] == found.casualty
        seen[found.proof.by] += 1
    assert min(seen[each] for each in (BY_SUMS, BY_SOLVER)) > 2
    assert seen[BY_REFUSAL] > 0 or name == "classic"


@every_judge
def test_after_a_final_rejection_no_set_leaves_room(name: str) -> None:
    final = [fitting for made, fitting in asked(name) if made.final]
    assert final and not any(final)


def test_treating_a_rejection_as_final_too_early_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin treats every rejection of the emptied node as final, although the pod may only lack a pod for its
    affinity.
    """
    monkeypatch.setattr(Question, "final", property(lambda made: made.objections(made.jeopardy)))
    assert any(fitting and made.final for made, fitting in asked("kubernetes"))


def test_the_chosen_numbers_are_the_least_of_all_choices() -> None:
    """`cheapest` is compared with every choice of numbers."""
    tried = 0
    for made, _ in asked("kubernetes"):
        weighed = sums._weighing(made, made.judge.criteria)
        groups = sums.grouped(made.ordered, made.needed, weighed)
        everything = [sum(each.weights.values()) for each in weighed]
        if made.needed and len(groups) > 1:
            tried += 1
            found = cheapest(groups, made.needed, everything)
            possible = [(weights(each, groups), each) for each in choices(groups) if enough(each, groups, made)]
            expected = min(possible, default=None)
            assert (None if found is None else weights(found, groups)) == (expected and expected[0])
            assert found is None or enough(found, groups, made)
    assert tried > 20


def choices(groups: list[Group]) -> Iterator[tuple[int, ...]]:
    if not groups:
        yield ()
    else:
        for rest in choices(groups[1:]):
            yield from ((number, *rest) for number in range(len(groups[0].pods) + 1))


def weights(numbers: tuple[int, ...], groups: list[Group]) -> tuple[int, ...]:
    pairs = list(zip(numbers, groups, strict=True))
    return tuple(
        sum(number * group.weights[place] for number, group in pairs) for place in range(len(groups[0].weights))
    )


def enough(numbers: tuple[int, ...], groups: list[Group], made: Question) -> bool:
    pairs = list(zip(numbers, groups, strict=True))
    return all(
        sum(group.freed[place][number] for number, group in pairs) >= limit.needed
        for place, limit in enumerate(made.needed)
    )


def test_beyond_the_maximum_of_choices_sums_make_no_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    there = [pod(f"p{number}", 1, "n", priority=number) for number in range(1, 9)]
    new, where = pod("new", 3, priority=9), node("n", 8)
    made = question(new, where, snapshot(new, where, *there), JUDGES["corrected"])
    found = least(made)
    assert (found.proof.by, found.casualty) == (BY_SUMS, (3, 6, 3))
    monkeypatch.setattr(sums, "MOST_CHOICES", 2)
    assert found.victims is not None and not none_less(made, found.victims)
    assert proposal(made) is None
    again = least(made)
    assert (again.proof.by, again.casualty, again.proved) == (BY_PROGRAMS, (3, 6, 3), True)


def test_of_equally_important_pods_the_latest_are_evicted() -> None:
    there = [pod(f"p{number}", 1, "n", priority=1, start_time=number) for number in range(1, 9)]
    new, where = pod("new", 3, priority=9), node("n", 8)
    found = least(question(new, where, snapshot(new, where, *there), JUDGES["kubernetes"]))
    assert found.proof.by == BY_SUMS
    assert found.victims == frozenset(there[-3:])


def test_an_exhausted_budget_spares_its_pods_if_others_are_enough() -> None:
    there = [pod(f"p{number}", 1, "n", priority=number, labels={"app": "ab"[number % 2]}) for number in range(4)]
    new, where = pod("new", 2, priority=9), node("n", 4)
    budget = PodDisruptionBudget("kept", selector=selector(app="a"))
    things = replace(snapshot(new, where, *there), budgets=(budget,))
    found = least(question(new, where, things, JUDGES["kubernetes"]))
    assert found.proof.by == BY_SUMS
    assert found.victims == frozenset({there[1], there[3]})


@pytest.mark.parametrize("effort", [Effort(seconds=0), Effort(memory=0)])
def test_beyond_a_bound_sums_prove_nothing(effort: Effort) -> None:
    new, where = pod("new", 1, priority=9), node("n", 1)
    made = question(new, where, snapshot(new, where, pod("p", 1, "n")), JUDGES["corrected"])
    assert least(made).proof.by == BY_SUMS
    assert not least(made, Spent(effort)).proved


def test_sums_refuse_criteria_that_disagree_with_the_casualty(monkeypatch: pytest.MonkeyPatch) -> None:
    new, where = pod("new", 1, priority=9), node("n", 1)
    other = replace(JUDGES["corrected"], casualty=lambda victims, _: (0, 0, len(victims)))
    monkeypatch.setattr(search, "_Search", None)
    with pytest.raises(Disagreement):
        least(question(new, where, snapshot(new, where, pod("p", 1, "n", priority=1)), other))
