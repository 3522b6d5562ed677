"""Preemption by a pod without a group where the pods of a PodGroup are evicted all or none, on nodes of one cpu

The expectations are worked out by hand from the amounts on the nodes.
"""

from dataclasses import replace
from typing import Any

import pytest

from schedcheck.spec.objects import PodDisruptionBudget, SpreadConstraint
from schedcheck.spec.storage import ClaimSource, Volume
from schedcheck.spec.values import Labels
from tests.checker.differential.test_group_preemption import done
from tests.model.production.plugins.test_nominated import DISK, STORAGE
from tests.spec.kubernetes.preemption.test_of_units import HIGH, PAIR, WHOLE, ZONE, on, seen
from tests.support.building import apart, near, node, pod, selector, term
from tests.support.gangs import rooms
from tests.support.pod_groups import group, one_of

BOTH, FIRST, SECOND = ("low-1", "low-2"), ("low-1",), ("low-2",)
X = Labels({"app": "x"})
TWO = (on("n1", "z"), on("n2", "z", 2))
KEPT = pod("k", 1, "n2", priority=9)


def decided(*pods: Any, **fields: Any) -> tuple[str, tuple[str, ...]]:
    """The node to which the pod is nominated, empty for none, and what is evicted for it."""
    placed, nominated, evicted = done(seen(*pods, **fields))
    assert not placed
    return dict(nominated).get("p", ""), evicted


@pytest.mark.parametrize(
    ("groups", "allowed"),
    [
        ((WHOLE,), {("n1", BOTH), ("n2", BOTH)}),
        ((group("low"),), {("n1", FIRST), ("n2", SECOND)}),
        ((), {("n1", FIRST), ("n2", SECOND)}),
        ((replace(WHOLE, priority=5),), {("", ())}),
        ((replace(WHOLE, priority=4),), {("n1", BOTH), ("n2", BOTH)}),
    ],
)
def test_a_group_that_is_disrupted_together_is_evicted_wherever_its_pods_are(groups: Any, allowed: Any) -> None:
    assert decided(*PAIR, groups=groups) in allowed


def test_a_node_whose_victims_are_fewer_is_better_than_one_with_a_group() -> None:
    assert decided(*PAIR, pod("v", 1, "n3"), nodes=rooms(3)) == ("n3", ("v",))


@pytest.mark.parametrize(("allowed", "found"), [(1, ("v",)), (2, BOTH)])
def test_a_unit_with_a_pod_that_violates_a_budget_is_put_back_first(allowed: int, found: tuple[str, ...]) -> None:
    """Of lower priority than the other pod, the unit goes first unless one of its two pods violates the budget."""
    pods = (*(replace(each, labels=X) for each in PAIR), pod("v", 1, "n1"), KEPT)
    budget = PodDisruptionBudget("b", selector=selector(app="x"), disruptions_allowed=allowed)
    nodes = (node("n1", 2), node("n2", 1))
    assert decided(*pods, nodes=nodes, groups=(replace(WHOLE, priority=-1),), budgets=(budget,)) == ("n1", found)


@pytest.mark.parametrize(
    ("groups", "allowed"),
    [((WHOLE,), {("n2", BOTH)}), ((group("low"),), {("n1", FIRST), ("n2", SECOND)})],
)
@pytest.mark.parametrize("others", [0, 1, 2])
def test_a_pod_elsewhere_that_goes_too_no_longer_counts_for_the_spread(groups: Any, allowed: Any, others: int) -> None:
    """With both gone, a second pod in y is one too many while there is none in z; pods without the label do not count."""
    high = replace(HIGH, labels=X, spread=(SpreadConstraint(1, ZONE, True, selector(app="x")),))
    pods = (one_of("low", 1, "n1", labels=X), one_of("low", 2, "n2", labels=X), pod("k", 0, "n1", labels=X, priority=9))
    apart_from = [pod(f"o{number}", 0, "n2", priority=9) for number in range(others)]
    nodes = (on("n1", "y"), on("n2", "z"))
    assert decided(*pods, *apart_from, high=high, nodes=nodes, groups=groups) in allowed


@pytest.mark.parametrize(
    ("groups", "allowed"), [((WHOLE,), {("n1", BOTH), ("n2", BOTH)}), ((group("low"),), {("n2", SECOND)})]
)
def test_a_pod_elsewhere_that_goes_too_no_longer_refuses_the_pod(groups: Any, allowed: Any) -> None:
    high = replace(HIGH, labels=Labels({"app": "p"}))
    averse = one_of("low", 2, "n2", affinity=apart(term(ZONE, selector(app="p"))))
    assert decided(PAIR[0], averse, KEPT, high=high, nodes=TWO, groups=groups) in allowed


@pytest.mark.parametrize(("groups", "found"), [((WHOLE,), ("", ())), ((group("low"),), ("n1", FIRST))])
def test_a_pod_elsewhere_that_goes_too_is_no_longer_company(groups: Any, found: Any) -> None:
    high = replace(HIGH, affinity=near(term(ZONE, selector(app="x"))))
    wanted = one_of("low", 2, "n2", labels=X)
    assert decided(PAIR[0], wanted, KEPT, high=high, nodes=TWO, groups=groups) == found


def test_more_victims_without_a_violation_are_better_than_one_of_higher_priority() -> None:
    pair = (one_of("low", 1, "n1"), one_of("low", 2, "n1"))
    nodes = (node("n1", 2), node("n2", 1))
    assert decided(*pair, pod("v", 1, "n2", priority=3), nodes=nodes) == ("n1", BOTH)


@pytest.mark.parametrize(("used_by", "found"), [("k", {("", ())}), ("low-2", {("n1", BOTH), ("n2", BOTH)})])
def test_a_claim_for_one_pod_is_free_only_once_the_pod_elsewhere_that_uses_it_goes(used_by: str, found: Any) -> None:
    volumes = (Volume("data", ClaimSource("data")), DISK)
    pods = [PAIR[0], one_of("low", 2, "n2"), KEPT]
    users = [replace(each, volumes=volumes[:1]) if each.name == used_by else each for each in pods]
    there = seen(*users, high=replace(HIGH, volumes=volumes), nodes=(node("n1", 1), node("n2", 2)))
    placed, nominated, evicted = done(replace(there, storage=STORAGE))
    assert not placed and (dict(nominated).get("p", ""), evicted) in found
