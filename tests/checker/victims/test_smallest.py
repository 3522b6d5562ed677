"""The smallest cluster on which reprieve does worse than necessary"""

import pytest

from schedcheck.checker.victims.judges import of_model
from schedcheck.checker.victims.kubernetes_judge import of_kubernetes
from schedcheck.checker.victims.least import least
from schedcheck.checker.victims.problem import question
from schedcheck.checker.victims.smallest import Worse, clusters, smallest, worse
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.profiles import CORRECTED

MODEL, SCHEDULER = of_model(CORRECTED), of_kubernetes(DEFAULT_PLUGINS)


def told(found: Worse | None) -> tuple[list[str], list[str]]:
    assert found is not None
    return sorted(map(str, found.reprieved)), sorted(map(str, found.least))


def test_reprieve_evicts_two_pods_where_one_would_be_enough() -> None:
    found = smallest(MODEL)
    assert told(found) == (["p2", "p3"], ["p1"])
    assert found is not None
    assert found.casualties == ((0, 0, 2), (0, 0, 1))
    assert found.cluster.snapshot.budgets == ()


def test_a_budget_charged_for_spared_pods_makes_reprieve_evict_a_more_important_one() -> None:
    found = smallest(SCHEDULER)
    assert told(found) == (["p2"], ["p1"])
    assert found is not None
    assert [pod.priority for pod in found.cluster.snapshot.pods if pod.node_name] == [0, 1]
    assert len(found.cluster.snapshot.budgets) == 1


def test_without_budgets_kube_scheduler_has_the_same_smallest_cluster() -> None:
    assert told(smallest(SCHEDULER, budget=False)) == (["p2", "p3"], ["p1"])
    assert all(each.snapshot.budgets == () for each in clusters(5, 6, budget=False))


@pytest.mark.medium
def test_the_found_cluster_is_least_for_z3_too_and_no_smaller_one_is_worse() -> None:
    for judge, least_number in ((MODEL, 200), (SCHEDULER, 20)):
        found = smallest(judge)
        assert found is not None
        cluster = found.cluster
        answer = least(question(cluster.pod, cluster.node, cluster.snapshot, judge))
        assert (answer.casualty, answer.proved) == (found.casualties[1], True)
        before = []
        for each in clusters(5, 12):
            if each == cluster:
                break
            before.append(each)
        assert len(before) > least_number
        assert all(worse(each, judge) is None for each in before)


def test_clusters_are_enumerated_once_in_order_of_size() -> None:
    found = list(clusters(5, 8))
    sizes = [
        len(each.snapshot.pods) + len(each.snapshot.nodes) + len(each.snapshot.budgets) for each in found
    ]  # fmt: skip
    assert sizes == sorted(sizes)
    assert set(sizes) == {3, 4, 5}
    totals = [
        sum(pod.priority + pod.containers[0].requests.get("cpu", 0) // 10**9 for pod in each.snapshot.pods)
        + each.node.allocatable["cpu"] // 1000
        + sum(budget.disruptions_allowed for budget in each.snapshot.budgets)
        for each in found
    ]
    assert list(zip(sizes, totals, strict=True)) == sorted(zip(sizes, totals, strict=True))
    assert len(set(found)) == len(found)


def test_in_every_cluster_there_is_no_room_but_evictions_make_some() -> None:
    for each in clusters(5, 8):
        asked = question(each.pod, each.node, each.snapshot, MODEL)
        assert not asked.feasible(frozenset())
        assert asked.feasible(asked.jeopardy)


def test_within_smaller_bounds_there_is_no_such_cluster() -> None:
    assert smallest(MODEL, objects=4, total=8) is None
    assert smallest(SCHEDULER, objects=4, total=8) is None
