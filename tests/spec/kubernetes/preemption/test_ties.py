"""Ties between equally important pods: every order of arrival is allowed, and nothing else"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product
from types import ModuleType

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis.errors import NoSuchExample

import schedcheck.spec.importance as vocabulary
from schedcheck.checker.drawing.contests import contests
from schedcheck.spec.importance import importance, orders
from schedcheck.spec.kubernetes.preemption import ties
from schedcheck.spec.kubernetes.preemption.choice import casualty
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, DryRun, tried
from schedcheck.spec.kubernetes.preemption.potential_victims import potential_victims
from schedcheck.spec.kubernetes.preemption.ties import permitted, possible
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from tests.support.building import node, pod, selector, snapshot
from tests.support.preempting import dry_run, refused

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]
ONE = pod("one", 1, priority=5)
FULL = node("n", 2)


def names(one: Pod, *things: Pod | Node, budgets: tuple[PodDisruptionBudget, ...] = ()) -> set[str]:
    run = dry_run(one, replace(snapshot(*things), budgets=budgets))
    return {f"{each.node}: {' '.join(sorted(map(str, each.victims)))}" for each in permitted(run)}


def test_either_of_two_tied_pods_may_be_the_victim() -> None:
    assert names(ONE, pod("a", 1, on="n"), pod("b", 1, on="n"), FULL) == {"n: a", "n: b"}
    assert names(ONE, pod("a", 1, on="n", start_time=1), pod("b", 1, on="n", start_time=2), FULL) == {"n: b"}


def test_of_two_tied_pods_the_first_is_spared_if_the_preemptor_fits_beside_it() -> None:
    """The pod that is reprieved first stays: the preemptor fits beside either, but not beside both."""
    two = pod("two", 2, priority=5)
    assert names(two, pod("a", 1, on="n"), pod("b", 2, on="n"), node("n", 4)) == {"n: a", "n: b"}
    assert names(two, pod("a", 1, on="n"), pod("b", 2, on="n"), node("n", 3)) == {"n: b"}


def test_the_first_of_two_tied_pods_uses_up_the_budget() -> None:
    web = {"app": "web"}
    budget = PodDisruptionBudget("web", selector=selector(app="web"), disruptions_allowed=1)
    there = (pod("a", 1, on="n", labels=web), pod("b", 1, on="n", labels=web))
    assert names(ONE, *there, FULL, budgets=(budget,)) == {"n: a", "n: b"}
    assert names(ONE, *there, FULL, budgets=(replace(budget, disrupted=frozenset({"a"})),)) == {"n: a", "n: b"}


def test_a_candidate_is_permitted_if_it_is_best_in_some_order_of_every_node() -> None:
    """On m, c is the victim if it is reprieved last; otherwise d and e are."""
    two = pod("two", 2, priority=5)
    m = [pod("c", 2, on="m"), pod("d", 1, on="m"), pod("e", 1, on="m"), node("m", 4)]
    assert names(two, *m) == {"m: c", "m: d e"}
    assert names(two, *m, pod("a", 1, on="n"), pod("b", 1, on="n"), FULL) == {"m: c", "m: d e", "n: a b"}
    assert names(two, *m, pod("a", 2, on="n"), FULL) == {"m: c", "n: a"}


def test_many_identical_pods_count_as_one_order() -> None:
    pods = [pod(f"p{number}", 1, on="n") for number in range(40)]
    assert len(list(orders(pods, ()))) == 1
    assert len(names(ONE, *pods, node("n", 40))) == 40


def every_order(pods: tuple[Pod, ...]) -> Iterator[tuple[Pod, ...]]:
    return (each for each in permutations(pods) if list(map(importance, each)) == sorted(map(importance, each)))


def tried_in_every_order(run: DryRun) -> list[set[Candidate]]:
    found = (
        {tried(run.cycle, info, order) for order in every_order(potential_victims(run.cycle.pod, info))}
        for info in run.potential_nodes
    )
    return [{each for each in outcomes if isinstance(each, Candidate)} for outcomes in found]


def sets(candidates: frozenset[Candidate] | set[Candidate]) -> set[tuple[str, frozenset[Pod], int]]:
    return {(each.node.name, frozenset(each.victims), each.violations) for each in candidates}


def chosen_in_some_order(run: DryRun) -> set[tuple[str, frozenset[Pod], int]]:
    """The best candidates over every choice of one order per node."""
    by_node = [found for found in tried_in_every_order(run) if found]
    best = set()
    for each in product(*by_node):
        least = min(map(casualty, each), default=None)
        best |= {one for one in each if casualty(one) == least}
    return sets(best)


def all_orders(contest: tuple[Pod, Snapshot]) -> bool:
    if not refused(*contest):
        return True
    run = dry_run(*contest)
    there = [sets(possible(run, info)) for info in run.potential_nodes]
    return there == list(map(sets, tried_in_every_order(run))) and sets(permitted(run)) == chosen_in_some_order(run)


@pytest.mark.medium
@settings(max_examples=300, suppress_health_check=SLOW)
@given(contests(4))
def test_the_candidates_are_those_of_every_order(contest: tuple[Pod, Snapshot]) -> None:
    assert all_orders(contest)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("where", "operator", "broken"),
    [
        (vocabulary, "sequences", lambda kinds: [tuple(kinds.elements())]),
        (ties, "renamed", lambda victims, pods, budgets: [victims]),
    ],
    ids=["sequences", "renamed"],
)
def test_a_missing_order_or_name_is_detected(
    where: ModuleType, operator: str, broken: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(where, operator, broken)
    limits = settings(max_examples=3000, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    try:
        find(contests(4), lambda contest: not all_orders(contest), settings=limits)
    except NoSuchExample:
        pytest.fail("nothing was noticed")
