"""RequestedToCapacityRatioPriority: its shape, its resources, and rounding"""

import pytest
from frozendict import frozendict

from schedcheck.spec.classic.policy import Ratio, Shape
from schedcheck.spec.classic.priorities.requested_to_capacity_ratio import demand, height, quotient, score, utilization
from schedcheck.spec.objects import Container, Node
from tests.support.building import container, node, pod, snapshot

LEAST: Shape = ((0, 10), (100, 0))
MOST: Shape = ((0, 0), (100, 10))
GIBI = 2**30


@pytest.mark.parametrize(("number", "divisor", "expected"), [(7, 2, 3), (-7, 2, -3), (6, 3, 2), (-6, 3, -2), (0, 5, 0)])
def test_quotients_are_truncated_towards_zero(number: int, divisor: int, expected: int) -> None:
    assert quotient(number, divisor) == expected


@pytest.mark.parametrize(
    ("shape", "heights"),
    [
        (LEAST, {0: 10, 1: 10, 10: 9, 11: 9, 19: 9, 20: 8, 99: 1, 100: 0}),
        (MOST, {0: 0, 9: 0, 10: 1, 99: 9, 100: 10}),
        (((20, 3),), {0: 3, 20: 3, 100: 3}),
        (((20, 2), (50, 8), (80, 5)), {0: 2, 20: 2, 35: 5, 50: 8, 51: 8, 60: 7, 80: 5, 81: 5, 100: 5}),
    ],
)
def test_the_shape_is_a_broken_line_level_at_its_ends(shape: Shape, heights: dict[int, int]) -> None:
    assert {at: height(shape, at) for at in heights} == heights


@pytest.mark.parametrize(
    ("asked", "capacity", "percent"), [(0, 4, 0), (1, 4, 25), (1, 3, 34), (4, 4, 100), (5, 4, 100), (0, 0, 100)]
)
def test_utilization_is_rounded_up_and_at_most_100(asked: int, capacity: int, percent: int) -> None:
    assert utilization(asked, capacity) == percent


def there(cpu: int = 4, memory: int = 4, **more: int) -> Node:
    amounts = {"cpu": cpu * 1000, "memory": memory * GIBI, "pods": 10, **more}
    return node("n", labels={}, allocatable=frozendict(amounts))


def rated(where: Node, shape: Shape = MOST, *resources: tuple[str, int], running: float = 0, init: float = 0) -> int:
    one = pod(
        "p", containers=(container(1, memory=GIBI),), init_containers=(container(init, memory=GIBI),) if init else ()
    )
    ratio = Ratio(shape, resources) if resources else Ratio(shape)
    others = [pod("there", running, "n")] if running else []
    return score(one, where, snapshot(one, where, *others), ratio, by_allocatable=False)


def test_cpu_and_memory_count_alike_by_default_and_the_mean_is_rounded() -> None:
    """25 % of both give 2; 50 % of the cpu give 5, and the mean 3.5 is rounded to 4. Falling, 8 and 5 make 6.5, then 7."""
    assert rated(there()) == 2
    assert rated(there(cpu=2)) == 4
    assert rated(there(cpu=2), LEAST) == 7


def test_weights_of_resources_count_and_a_resource_that_scores_0_does_not() -> None:
    """A node with 100 cpus is used to 1 %, which scores 0, so that memory alone counts."""
    assert rated(there(cpu=2), MOST, ("cpu", 3), ("memory", 1)) == 4
    assert rated(there(cpu=1), MOST, ("cpu", 3), ("memory", 1)) == 8
    assert rated(there(cpu=100), MOST, ("cpu", 3), ("memory", 1)) == 2
    assert rated(there(cpu=100, memory=400)) == 0


def test_pods_on_the_node_count_with_the_default_memory_and_an_init_container_if_it_is_larger() -> None:
    """With 200 MiB for a pod without a memory request the memory is used to 30 %."""
    assert rated(there(), MOST, ("cpu", 1), running=2) == 7
    assert rated(there(), MOST, ("memory", 1), running=2) == 3
    assert rated(there(), MOST, ("cpu", 1), init=3) == 7
    assert rated(there(), MOST, ("cpu", 1), init=1) == 2


def test_an_explicit_request_of_nothing_demands_nothing() -> None:
    one = pod("p", containers=(Container(frozendict({"cpu": 0, "memory": 0})),))
    assert demand(one, there(), snapshot(one, there()), "cpu") == 0
    assert demand(one, there(), snapshot(one, there()), "memory") == 0


def test_an_extended_resource_is_compared_and_one_that_no_scheduler_counts_is_full() -> None:
    gpu = "example.com/gpu"
    assert rated(there(**{gpu: 2}), MOST, (gpu, 1)) == 0
    assert rated(there(**{gpu: 2}), LEAST, (gpu, 1)) == 10
    assert rated(there(), MOST, (gpu, 1)) == 10
    assert rated(there(), MOST, ("pods", 1)) == 10
