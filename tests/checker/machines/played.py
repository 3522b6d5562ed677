"""Calls of functions on a Ray cluster, played in this process: `Tasks`"""

from random import Random
from types import SimpleNamespace
from typing import Any

from tests.checker.tabulated.distributed.played import RayError, RayTaskError


class Task:
    """A call that is made when somebody waits for it."""

    def __init__(self, do: Any, given: Any, case: Any, retries: int) -> None:
        self.do, self.given, self.case, self.retries = do, given, case, retries
        self.found: Any = None

    def make(self) -> None:
        for _ in range(1 + self.retries):
            try:
                self.found = self.do(self.given, self.case)
                return
            except RayTaskError as error:
                self.found = error
                return
            except RayError as error:
                self.found = error
            except Exception as error:
                self.found = RayTaskError(error)
                return


class Tasks:
    """The module `ray`, whose calls end in an order that chance decides."""

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)

    def __init__(self, seed: int) -> None:
        self.chance, self.most = Random(seed), 0
        self.begun: list[Any] = []
        self.ended: list[Any] = []
        self.cancelled: list[Any] = []
        self.cores = 4.0

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": self.cores} if self.cores else {}

    def is_initialized(self) -> bool:
        return True

    def put(self, value: Any) -> Any:
        return value

    def remote(self, **options: Any) -> Any:
        def begin(do: Any, given: Any, case: Any) -> Task:
            self.begun.append(case)
            return Task(do, given, case, options["max_retries"])

        return lambda do: SimpleNamespace(remote=lambda given, case: begin(do, given, case))

    def wait(self, running: list[Task], timeout: float) -> tuple[list[Task], list[Task]]:
        self.most = max(self.most, len(running))
        if self.chance.random() < 0.3:
            return [], running
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
