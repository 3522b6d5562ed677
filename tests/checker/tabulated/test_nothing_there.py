"""Both explorers agree on clusters without pods, without nodes, or without both"""

from pathlib import Path

import pytest

from schedcheck.checker.check import check
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import PodDisruptionBudget
from schedcheck.spec.schedulers import NAMES
from schedcheck.spec.terms import LabelSelector
from tests.support.building import node, on_pods, pod, scenario

BUDGET = PodDisruptionBudget("b", selector=LabelSelector(), min_available=1)


def told(scene: Scenario) -> tuple[int, int, int, int]:
    """The distinct states, the levels, and the numbers of done and stuck states, on which both explorers agree."""
    checked = check(scene, engine="both")
    assert checked.engine == "tabulated"
    result = checked.result
    return result.distinct, result.depth, result.done, result.stuck


@pytest.mark.parametrize("profile", NAMES)
def test_nodes_without_pods_have_one_state_which_is_done(profile: str) -> None:
    assert told(scenario(node("n1"), node("n2"), profile=profile)) == (1, 1, 1, 0)


@pytest.mark.parametrize("profile", NAMES)
def test_a_cluster_without_objects_has_one_state_which_is_done(profile: str) -> None:
    assert told(scenario(profile=profile)) == (1, 1, 1, 0)


@pytest.mark.parametrize("profile", NAMES)
def test_pods_without_nodes_are_stuck(profile: str) -> None:
    assert told(scenario(pod("p"), pod("q"), profile=profile)) == (1, 1, 0, 1)


@pytest.mark.parametrize("profile", NAMES)
def test_a_pod_that_arrives_without_nodes_is_stuck(profile: str) -> None:
    arriving = scenario(pod("p"), profile=profile, absent="p", rules=[on_pods("arrive", "p")])
    distinct, depth, _, stuck = told(arriving)
    assert (distinct, depth, stuck) == (2, 2, 1)


@pytest.mark.parametrize("profile", NAMES)
def test_a_budget_without_pods_changes_nothing(profile: str) -> None:
    controllers = frozenset({"owners", "disruption", "lifecycle", "kubelet"})
    scene = scenario(node("n1"), profile=profile, budgets=(BUDGET,), controllers=controllers)
    assert told(scene)[0] == 1


def test_an_empty_cluster_is_checkpointed_and_resumed(tmp_path: Path) -> None:
    scene = scenario(profile="kubernetes")
    first = check(scene, engine="tabulated", checkpoint=tmp_path).result
    assert check(scene, engine="tabulated", checkpoint=tmp_path).result.distinct == first.distinct == 1
