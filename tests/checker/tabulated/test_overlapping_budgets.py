"""Two disruption budgets over the same pod, which kube-scheduler 1.37 lists in any order: tables are refused"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.checker.check import NotTabulated, check
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import PodDisruptionBudget
from schedcheck.spec.terms import LabelSelector
from tests.support.building import node, pod, scenario


def of(name: str, key: str, allowed: int) -> PodDisruptionBudget:
    return PodDisruptionBudget(name, selector=LabelSelector(frozendict({key: "yes"})), disruptions_allowed=allowed)


def scene(*budgets: PodDisruptionBudget) -> Scenario:
    """A pod that needs the room of two, or of the one on the other node, by whatever the budgets say."""
    return scenario(
        pod("new", 2, priority=9),
        pod("a", 1, "n1", labels=frozendict({"x": "yes", "y": "yes"})),
        pod("b", 1, "n1", labels=frozendict({"y": "yes"})),
        pod("c", 2, "n2", priority=1, labels=frozendict({"x": "yes"})),
        node("n1", 2),
        node("n2", 2),
        profile="kubernetes",
        budgets=budgets,
    )


OVERLAPPING = scene(of("first", "x", 0), of("second", "y", 1))


def test_overlapping_budgets_are_left_to_the_direct_explorer() -> None:
    with pytest.raises(NotTabulated, match="two disruption budgets protect the same pod"):
        check(OVERLAPPING, engine="tabulated")


def test_budgets_that_do_not_overlap_are_tabulated() -> None:
    apart = replace(OVERLAPPING, budgets=(of("first", "x", 0), of("second", "z", 1)))
    assert check(apart, engine="both").engine == "tabulated"


def test_versions_that_charge_every_budget_are_tabulated() -> None:
    older = replace(OVERLAPPING, profile="kubernetes-1.36")
    assert check(older, engine="both").engine == "tabulated"
