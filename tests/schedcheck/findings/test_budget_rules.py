"""Budgets: those that never allow a disruption, those that allow none now, and those that protect nothing"""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from schedcheck.findings.budgets import BLOCKS, EXHAUSTED, NOTHING, SHARED, of_budgets
from schedcheck.findings.finding import Severity
from schedcheck.manifests import Cluster
from schedcheck.spec.budgets import spared
from schedcheck.spec.objects import PodDisruptionBudget
from schedcheck.spec.terms import LabelSelector
from tests.support.building import node, pod, snapshot
from tests.support.linting import deployment, found, guard, host


@pytest.mark.parametrize("demand", [{"minAvailable": 2}, {"minAvailable": "100%"}, {"maxUnavailable": 0}, {"minAvailable": "51%"}])  # fmt: skip
def test_a_budget_that_can_spare_no_pod_is_an_error(demand: dict[str, Any], tmp_path: Path) -> None:
    (one,) = found(tmp_path, deployment(replicas=2), guard(**demand), host("a"))[BLOCKS]
    assert (one.severity, str(one.thing)) == (Severity.ERROR, "PodDisruptionBudget default/guard")
    assert one.field == f"spec.{next(iter(demand))}"
    assert one.sentence.startswith("2 of 2 pods must stay healthy")


@pytest.mark.parametrize("demand", [{"minAvailable": 1}, {"minAvailable": "50%"}, {"maxUnavailable": 1}, {"maxUnavailable": "1%"}])  # fmt: skip
def test_a_budget_that_can_spare_one_pod_is_no_finding(demand: dict[str, Any], tmp_path: Path) -> None:
    assert found(tmp_path, deployment(replicas=2), guard(**demand), host("a")) == {}


def test_a_budget_without_healthy_pods_to_spare_is_a_warning_of_its_own(tmp_path: Path) -> None:
    budget = guard(minAvailable=1) | {"status": {"disruptionsAllowed": 0, "expectedPods": 2}}
    pods = [bound("a"), bound("b")]
    (one,) = found(tmp_path, *pods, budget, host("node-1"))[EXHAUSTED]
    assert one.severity is Severity.WARNING
    assert "with all 2 pods healthy, 1 would be" in one.sentence
    spare = budget | {"status": {"disruptionsAllowed": 1, "expectedPods": 2}}
    assert found(tmp_path, *pods, spare, host("node-1")) == {}


def bound(name: str) -> dict[str, Any]:
    container = {"name": "main", "image": "i"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {"nodeName": "node-1", "containers": [container]},
        "status": {"phase": "Running"},
    }


def test_a_budget_that_selects_no_pod_and_no_template_is_a_warning(tmp_path: Path) -> None:
    (one,) = found(tmp_path, deployment(), guard(app="wbe", minAvailable=1), host("a"))[NOTHING]
    assert (one.severity, one.field) == (Severity.WARNING, "spec.selector")
    assert found(tmp_path, deployment(replicas=0), guard(minAvailable=1), host("a")) == {}


def test_pods_that_two_budgets_protect_are_an_error_at_the_first_of_them(tmp_path: Path) -> None:
    second = guard(minAvailable=1) | {"metadata": {"name": "second"}}
    (one,) = found(tmp_path, bound("a"), bound("b"), guard(minAvailable=1), second, host("node-1"))[SHARED]
    assert (one.severity, str(one.thing), one.field) == (
        Severity.ERROR,
        "PodDisruptionBudget default/guard",
        "spec.selector",
    )
    assert one.sentence.startswith("It protects 2 pods that second protects too: the API evicts no pod")
    assert one.witness == ("these pods: a, b",)


def test_three_budgets_of_the_same_pods_are_one_finding(tmp_path: Path) -> None:
    more = [guard(minAvailable=1) | {"metadata": {"name": name}} for name in ("second", "third")]
    (one,) = found(tmp_path, bound("a"), guard(minAvailable=1), *more, host("node-1"))[SHARED]
    assert "1 pod that second and third protect too:" in one.sentence


def test_budgets_of_other_pods_or_namespaces_share_none(tmp_path: Path) -> None:
    elsewhere = guard(minAvailable=1) | {"metadata": {"name": "second", "namespace": "shop"}}
    other = guard(app="other", minAvailable=1) | {"metadata": {"name": "third"}}
    done = bound("a") | {"status": {"phase": "Succeeded"}}
    twin = guard(minAvailable=1) | {"metadata": {"name": "second"}}
    assert SHARED not in found(tmp_path, bound("a"), guard(minAvailable=1), elsewhere, other, host("node-1"))
    assert SHARED not in found(tmp_path, done, guard(minAvailable=1), twin, host("node-1"))


def test_a_budget_whose_status_speaks_of_pods_is_no_finding(tmp_path: Path) -> None:
    elsewhere = guard(app="other", minAvailable=1) | {"status": {"disruptionsAllowed": 1, "expectedPods": 2}}
    assert found(tmp_path, deployment(), elsewhere, host("a")) == {}


DEMANDS: list[dict[str, Any]] = [
    *({"min_available": each} for each in (0, 1, 2, 3, "0%", "1%", "50%", "67%", "100%")),
    *({"max_unavailable": each} for each in (0, 1, 2, "0%", "1%", "33%", "34%", "100%")),
]


@pytest.mark.parametrize("demand", DEMANDS, ids=str)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_budget_is_an_error_exactly_if_it_spares_no_pod_whichever_are_healthy(
    demand: dict[str, Any], number: int
) -> None:
    pods = [pod(f"p{i}", on="n", labels={"app": "web"}) for i in range(number)]
    budget = PodDisruptionBudget("guard", selector=LabelSelector(), expected=number, **demand)
    healthy_sets = [each for size in range(number + 1) for each in combinations(pods, size)]
    can = any(
        spared(budget, frozenset({one}), snapshot(node("n", 9), *some), kubelet=False)
        for some in healthy_sets
        for one in some
    )
    told = [each.rule for each in of_budgets(Cluster(pods=tuple(pods), nodes=(node("n", 9),), budgets=(budget,)))]
    assert (BLOCKS in told) == (not can)
