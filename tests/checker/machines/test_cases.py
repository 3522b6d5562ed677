"""Cases done elsewhere are found in their order, whichever ends first; Ray is played"""

from collections.abc import Iterator
from typing import Any

import pytest

from schedcheck.checker.machines.cases import LOSSES, in_turn
from schedcheck.checker.machines.machines import ClusterFailed, Machines
from tests.checker.machines.played import Tasks
from tests.checker.tabulated.distributed.played import RayError, RayTaskError

WORKERS = 3
pytestmark = pytest.mark.parametrize("tasks", range(4), indirect=True)


def found(do: Any, cases: Any) -> Iterator[Any]:
    """The results of three workers."""
    return in_turn(Machines(workers=WORKERS), do, 100, cases)


def test_results_are_in_the_order_of_the_cases(tasks: Tasks) -> None:
    assert list(found(lambda given, case: given + case, range(20))) == list(range(100, 120))
    assert tasks.ended != sorted(tasks.ended) and sorted(tasks.ended) == list(range(20)), "others ended first"
    assert tasks.most == WORKERS
    assert tasks.cancelled == []


def test_no_case_has_no_result(tasks: Tasks) -> None:
    assert list(found(lambda given, case: case, ())) == [] == tasks.begun


def test_a_cluster_without_cores_is_refused(tasks: Tasks) -> None:
    tasks.cores = 0
    with pytest.raises(ClusterFailed, match=r"^no machine of the Ray cluster at auto offers a core$"):
        list(in_turn(Machines("auto", WORKERS), lambda given, case: case, 0, range(3)))


def test_what_a_case_raises_is_raised_and_ends_the_others(tasks: Tasks) -> None:
    def do(given: int, case: int) -> int:
        if case == 5:
            raise KeyError("five")
        return case

    told = found(do, range(1000))
    assert [next(told) for _ in range(5)] == list(range(5))
    with pytest.raises(KeyError, match="five"):
        next(told)
    assert set(tasks.begun) == set(tasks.ended) | set(tasks.cancelled)
    assert len(tasks.begun) < 1000


def test_a_case_whose_workers_are_all_lost_is_one_line(tasks: Tasks) -> None:
    done = []

    def do(given: int, case: int) -> int:
        done.append(case)
        raise RayError("The worker died unexpectedly.\nwith details")

    with pytest.raises(ClusterFailed) as told:
        list(found(do, range(4)))
    assert str(told.value) == "a case was given up, as its worker was lost: The worker died unexpectedly."
    assert done.count(0) == LOSSES


@pytest.mark.usefixtures("tasks")
@pytest.mark.parametrize(
    ("error", "told"),
    [
        (RayError(""), "a case was given up, as its worker was lost: RayError"),
        (
            RayTaskError(RayError("\nThe function cannot be read.\nwith details")),
            "given up: The function cannot be read.",
        ),
    ],
)
def test_errors_of_ray_itself_are_one_line(error: RayError, told: str) -> None:
    def do(given: int, case: int) -> int:
        raise error

    with pytest.raises(ClusterFailed, match=f"{told}$"):
        list(found(do, range(1)))


def test_results_that_are_not_taken_any_more_give_up_the_cases_in_progress(tasks: Tasks) -> None:
    told = in_turn(Machines(workers=WORKERS), lambda given, case: case, 0, range(1000))
    assert next(told) == 0
    told.close()
    assert set(tasks.begun) == set(tasks.ended) | set(tasks.cancelled)
    assert len(tasks.begun) < 1000
