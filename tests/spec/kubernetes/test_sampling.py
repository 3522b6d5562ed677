"""The number of feasible nodes that are enough, and which nodes may then be chosen"""

from dataclasses import replace

import pytest

from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import feasible
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.sampling import enough, sampled_hosts
from schedcheck.spec.kubernetes.select_host import choice
from tests.support.building import node, pod, snapshot

ASKED = pod("asked", 1)


@pytest.mark.parametrize(
    ("nodes", "percentage", "wanted"),
    [
        (1, 0, 1), (99, 0, 99), (99, 1, 99), (100, 0, 100), (101, 0, 100), (101, 100, 101), (250, 0, 120),
        (5000, 0, 500), (5625, 0, 281), (6000, 0, 300), (6000, 50, 3000), (200, 10, 100),
    ],
)  # fmt: skip
def test_percentage_of_nodes_to_score_determines_how_many_are_enough(nodes: int, percentage: int, wanted: int) -> None:
    assert enough(nodes, replace(DEFAULT_PLUGINS, percentage_of_nodes_to_score=percentage)) == wanted


def of(cpus: list[int]) -> Cycle:
    there = snapshot(ASKED, *(node(f"n{number:03}", cpu) for number, cpu in enumerate(cpus)))
    return taken_up(ASKED, there, DEFAULT_PLUGINS)


def test_in_a_small_cluster_every_node_is_examined() -> None:
    made = of([1, 2, 2])
    assert sampled_hosts(made) == set(choice(made).hosts) == {"n001", "n002"}


def test_a_single_best_node_may_be_the_one_not_examined() -> None:
    made = of([1] * 100 + [2])
    assert choice(made).hosts == ("n100",)
    assert sampled_hosts(made) == set(feasible(made))


def test_one_of_two_best_nodes_is_always_examined() -> None:
    made = of([1] * 99 + [2] * 2)
    assert sampled_hosts(made) == {"n099", "n100"}


def test_if_few_nodes_are_feasible_all_of_them_are_found() -> None:
    made = of([0] * 2 + [1] * 98 + [2])
    assert sampled_hosts(made) == {"n100"}


def test_a_nominated_node_is_tried_first() -> None:
    nominated = replace(ASKED, nominated_node_name="n007")
    there = snapshot(nominated, *(node(f"n{number:03}", 1) for number in range(101)))
    assert sampled_hosts(taken_up(nominated, there, DEFAULT_PLUGINS)) == {"n007"}
