"""Cases done elsewhere are found in their order, whichever ends first; Ray is played"""

import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from schedcheck.checker.machines import cluster
from schedcheck.checker.machines.cases import in_turn
from schedcheck.checker.machines.machines import ClusterFailed, Machines
from tests.checker.tabulated.distributed.played import RayError, RayTaskError

WORKERS = 3


class Task:
    """A call that is made when somebody waits for it."""

    def __init__(self, do: Any, given: Any, case: Any) -> None:
        self.do, self.given, self.case = do, given, case
        self.found: Any = None

    def make(self) -> None:
        try:
            self.found = self.do(self.given, self.case)
        except RayError as error:
            self.found = error
        except Exception as error:
            self.found = RayTaskError(error)


class Tasks:
    """The module `ray`, whose calls end in an order that chance decides."""

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)

    def __init__(self, seed: int) -> None:
        self.chance, self.most = Random(seed), 0
        self.begun: list[Any] = []
        self.ended: list[Any] = []
        self.cancelled: list[Any] = []

    def is_initialized(self) -> bool:
        return True

    def put(self, value: Any) -> Any:
        return value

    def remote(self, **options: Any) -> Any:
        def begin(do: Any, given: Any, case: Any) -> Task:
            self.begun.append(case)
            return Task(do, given, case)

        return lambda do: SimpleNamespace(remote=lambda given, case: begin(do, given, case))

    def wait(self, running: list[Task]) -> tuple[list[Task], list[Task]]:
        self.most = max(self.most, len(running))
        done = self.chance.choice(running)
        done.make()
        self.ended.append(done.case)
        return [done], [each for each in running if each is not done]

    def get(self, task: Task) -> Any:
        if isinstance(task.found, RayError):
            raise task.found
        return task.found

    def cancel(self, task: Task, force: bool) -> None:
        self.cancelled.append(task.case)


@pytest.fixture(params=range(4))
def tasks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Tasks:
    made = Tasks(request.param)
    monkeypatch.setitem(sys.modules, "ray", made)
    monkeypatch.setattr(cluster, "find_spec", lambda name: ModuleSpec(name, None))
    return made


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


def test_what_a_case_raises_is_raised_and_ends_the_others(tasks: Tasks) -> None:
    def do(given: int, case: int) -> int:
        if case == 5:
            raise KeyError("five")
        return case

    told = found(do, range(20))
    assert [next(told) for _ in range(5)] == list(range(5))
    with pytest.raises(KeyError, match="five"):
        next(told)
    assert set(tasks.begun) == set(tasks.ended) | set(tasks.cancelled)
    assert len(tasks.begun) < 20


def test_a_case_whose_workers_are_all_lost_is_one_line(tasks: Tasks) -> None:
    def do(given: int, case: int) -> int:
        raise RayError("The worker died unexpectedly.\nwith details")

    with pytest.raises(ClusterFailed) as told:
        list(found(do, range(4)))
    assert str(told.value) == "a case was given up, as its worker was lost: The worker died unexpectedly."


def test_results_that_are_not_taken_any_more_give_up_the_cases_in_progress(tasks: Tasks) -> None:
    told = in_turn(Machines(workers=WORKERS), lambda given, case: case, 0, range(1000))
    assert next(told) == 0
    told.close()
    assert set(tasks.begun) == set(tasks.ended) | set(tasks.cancelled)
    assert len(tasks.begun) < 1000
