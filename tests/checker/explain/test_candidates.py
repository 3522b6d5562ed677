"""All allowed nominations are found with less work than in the specification, and are the same"""

from dataclasses import replace

import pytest
from frozendict import frozendict
from hypothesis import HealthCheck, given, settings

from schedcheck.checker.divergences.domains import DOMAINS
from schedcheck.checker.drawing.contests import contests
from schedcheck.checker.explain import candidates
from schedcheck.checker.explain.candidates import allowed, choices
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.preemption.ties import permitted
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.terms import LabelSelector
from tests.checker.divergences.clusters import larger
from tests.support.building import node, pod, snapshot
from tests.support.preempting import dry_run


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(contests(4))
def test_the_allowed_candidates_are_those_of_the_specification(contest: tuple[Pod, Snapshot]) -> None:
    run = dry_run(*contest)
    found = allowed(run)
    assert found.all
    assert set(found.candidates) == permitted(run)
    assert len(found.candidates) == len(set(found.candidates))


def two_budgets(priority: int) -> DryRun:
    """A pod that must empty one of two nodes, the second with a pod of this priority.

    On the first, whether one or two evictions violate a budget depends on which budget is listed first.
    """
    both, front = {"app": "a", "tier": "front"}, {"tier": "front"}
    first = pod("first", 1, on="m", priority=1, labels=both)
    there = snapshot(
        first,
        pod("second", 1, on="m", labels=front),
        pod("third", 1, on="n", priority=priority, labels=both),
        node("m", 2),
        node("n", 2),
    )
    budgets = (
        PodDisruptionBudget("app", selector=LabelSelector(frozendict(app="a"))),
        PodDisruptionBudget("front", selector=LabelSelector(frozendict(front)), disruptions_allowed=1),
    )
    return dry_run(pod("new", 2, priority=9), replace(there, budgets=budgets))


@pytest.mark.parametrize(("priority", "hosts"), [(2, ["m", "n"]), (1, ["n"])])
def test_the_budgets_are_taken_in_every_order(priority: int, hosts: list[str]) -> None:
    run = two_budgets(priority)
    assert [each.node.name for each in allowed(run).candidates] == hosts
    assert set(allowed(run).candidates) == permitted(run)


def test_too_many_orders_of_budgets_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "MOST_ORDERS", 1)
    assert not allowed(two_budgets(2)).all


def test_the_allowed_candidates_under_two_budgets_are_those_of_the_specification() -> None:
    several = 0
    for case in larger(DOMAINS[Departure.LATER_BUDGETS_UNCHARGED], 300):
        run = dry_run(case.pod, replace(case.snapshot, pods=tuple(p for p in case.snapshot.pods if p != case.pod)))
        assert set(allowed(run).candidates) == permitted(run)
        several += len(permitted(run)) > 1
    assert several > 0


def test_either_of_two_equally_important_pods_may_be_the_victim() -> None:
    run = dry_run(pod("new", 1, priority=1), snapshot(pod("a", 1, on="n"), pod("b", 1, on="n"), node("n", 2)))
    assert [[victim.name for victim in each.victims] for each in allowed(run).candidates] == [["a"], ["b"]]


def test_pods_with_different_start_times_leave_no_choice() -> None:
    old, young = pod("a", 1, on="n", start_time=1), pod("b", 1, on="n", start_time=2)
    run = dry_run(pod("new", 1, priority=1), snapshot(old, young, node("n", 2)))
    assert [[victim.name for victim in each.victims] for each in allowed(run).candidates] == [["b"]]


def test_too_many_orders_are_counted_and_represented_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    # Three pods of different sizes have six orders; more than five are too many here.
    there = [pod(name, cpu, on="n") for cpu, name in enumerate("abc", start=1)]
    run = dry_run(pod("new", 1, priority=1), snapshot(*there, node("n", 6)))
    assert choices(tuple(there), ()) == 6
    assert allowed(run).all
    monkeypatch.setattr(candidates, "MOST_ORDERS", 5)
    found = allowed(run)
    assert not found.all
    assert set(found.candidates) <= permitted(run)
    assert len(found.candidates) == 1


def test_the_orders_of_forty_identical_pods_are_not_enumerated() -> None:
    there = [pod(f"p{number:02}", 1, on="n") for number in range(40)]
    assert not allowed(dry_run(pod("new", 20, priority=1), snapshot(*there, node("n", 40)))).all
