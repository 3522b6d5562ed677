"""Cases that are independent of each other, done on several machines: `in_turn`.

Ray chooses the machine of each case, moves what it needs and what it finds, and does the cases of a lost worker again.
"""

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar

from schedcheck.checker.machines.cluster import cluster, first_line, number_of, with_cores
from schedcheck.checker.machines.machines import ClusterFailed, Machines

Given = TypeVar("Given")
Case = TypeVar("Case")
Found = TypeVar("Found")

LOSSES = 5
"""The number of lost workers of one case after which it is not tried again: it may be the case that ends them."""

PAUSE = 0.02
"""The seconds between two looks at the cases in progress."""

END: Any = object()


def in_turn(
    machines: Machines, do: Callable[[Given, Case], Found], given: Given, cases: Iterable[Case]
) -> Generator[Found]:
    """Yield what `do` finds for each case, in the order of the cases.

    `do` is a function of a module that all machines have, and depends on its arguments alone: a case whose worker is
    lost is done again. `given` is sent to each machine once. Closing the iterator gives up the cases in progress.

    Raises: ClusterFailed; and what `do` raises.
    """
    with cluster(machines):
        import ray

        with_cores(machines)
        task = ray.remote(num_cpus=1, max_retries=LOSSES - 1, scheduling_strategy="SPREAD")(do)
        common, left, most = ray.put(given), iter(cases), number_of(machines)
        waiting: deque[Any] = deque()
        running: list[Any] = []
        try:
            while True:
                while len(running) < most and (case := next(left, END)) is not END:
                    running.append(task.remote(common, case))
                    waiting.append(running[-1])
                if not waiting:
                    return
                if running:
                    running = _running(running)
                while waiting and waiting[0] not in running:
                    yield _found(waiting.popleft())
        finally:
            for each in running:
                ray.cancel(each, force=True)


def _running(begun: list[Any]) -> list[Any]:
    """Wait until a case has ended; return the others."""
    import ray

    while True:
        # While Ray waits, it replaces what a handler of signals raises, such as a limit, by KeyboardInterrupt.
        ended, running = ray.wait(begun, timeout=0)
        if ended:
            return list(running)
        time.sleep(PAUSE)


def _found(answer: Any) -> Any:
    """Return what was found. Raises ClusterFailed, and what the case raised."""
    import ray

    try:
        return ray.get(answer)
    except ray.exceptions.RayTaskError as error:
        # What the case raised; Ray's own error where that cannot be sent, or the function cannot be read there.
        if not isinstance(error.cause, ray.exceptions.RayError):
            raise error.cause from None
        raise ClusterFailed(f"a case was given up: {first_line(error.cause)}") from None
    except ray.exceptions.RayError as error:
        raise ClusterFailed(f"a case was given up, as its worker was lost: {first_line(error)}") from None
