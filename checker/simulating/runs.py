"""Many runs at once, each in a process of its own: `runs`.

The simulation is built once. Each run then begins in a copy of this process, so that the runs share what they do not change.
A run follows from the seed and its number alone, and not from the number of processes, nor from the machine.
"""

import gc
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from errno import EAGAIN, ENOMEM
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from schedcheck.checker.limits.copies import SIGNALS, mortal, started
from schedcheck.checker.limits.cores import cores
from schedcheck.checker.limits.parameters import parameter, spelled
from schedcheck.checker.limits.timer import answer, doing, forget_peak, quiet, reason, resume
from schedcheck.checker.machines.cases import in_turn
from schedcheck.checker.machines.machines import Machines
from schedcheck.checker.simulating.running import Asked, Run, run
from schedcheck.model.simulation.simulation import Simulation
from schedcheck.model.simulation.timeline import Start

PATIENCE = 5.0
"""The seconds that a run has to report what it came to, once it is told to stop."""

Reported = Callable[[Run], None]


class RunFailed(Exception):
    """A run ended without a result; the text says how."""


def runs(
    start: Start, numbers: Sequence[int], asked: Asked, at_once: int | None = None, machines: Machines | None = None
) -> tuple[tuple[Run, ...], str]:
    """Return the runs of these numbers, in their order, and why not all of them reached their end.

    An interrupt stops the runs in progress, which report what they came to if they are on this machine; the others are
    missing.

    Raises: RunFailed; with `machines` ClusterFailed.
    """
    found: list[Run] = []
    why = ""
    try:
        if machines is None:
            _here(start, numbers, asked, at_once, found)
        else:
            _on(machines, start, numbers, asked, found.append)
    except KeyboardInterrupt as end:
        why = reason(end)
    finally:
        gc.unfreeze()
    done = tuple(sorted(found, key=lambda each: each.number))
    return done, why or next((each.stopped for each in done if each.stopped), "")


def _here(start: Start, numbers: Sequence[int], asked: Asked, at_once: int | None, found: list[Run]) -> None:
    """Run all of them in processes of this machine."""
    simulation = Simulation(start)
    if len(numbers) == 1:
        found.append(run(simulation, numbers[0], asked))
        return
    gc.freeze()
    try:
        Team(simulation, asked, at_once or cores()).work(numbers, found.append)
    except OSError as failure:
        if failure.errno not in (ENOMEM, EAGAIN):
            raise
        _one_by_one(start, numbers, asked, found)


def _on(machines: Machines, start: Start, numbers: Sequence[int], asked: Asked, put: Reported) -> None:
    """Run all of them on these machines. Raises: RunFailed, ClusterFailed."""
    doing("starting the workers")
    memory = parameter("limits.memory")
    with closing(in_turn(machines, _elsewhere, (start, asked, memory), numbers)) as told:
        for done, (number, said) in enumerate(zip(numbers, told, strict=True), 1):
            if not isinstance(said, Run):
                raise RunFailed(f"run {number}: {said}")
            put(said)
            doing(f"simulating, {done} of {len(numbers)} runs done")
            if done == len(numbers):
                # No run is missing any more: a limit that is reached while the cluster ends would say otherwise.
                answer()


def _elsewhere(given: tuple[Start, Asked, str], number: int) -> Run | str:
    """Return a run, or the text of an exception. The limit of memory is named as in the process that was started."""
    start, asked, memory = given
    # A worker may have done runs before, as no process of this machine has.
    gc.collect()
    forget_peak()
    try:
        with spelled(lambda name: memory if name == "limits.memory" else name):
            return run(Simulation(start), number, asked)
    except Exception as failure:
        return f"{type(failure).__name__}: {failure}"


def _one_by_one(start: Start, numbers: Sequence[int], asked: Asked, found: list[Run]) -> None:
    """Run those that are missing here, as the system makes no more processes: this one may be too large to be copied."""
    done = {each.number for each in found}
    for number in numbers:
        if number not in done:
            resume()
            found.append(run(Simulation(start), number, asked))
            if found[-1].stopped:
                break


class Team:
    """Processes that run a simulation, at most so many `at_once`."""

    def __init__(self, simulation: Simulation, asked: Asked, at_once: int) -> None:
        self._simulation, self._asked, self._at_once = simulation, asked, at_once
        self._working: dict[Connection, tuple[int, BaseProcess]] = {}

    def work(self, numbers: Sequence[int], put: Reported) -> None:
        """Run all of them. Raises: RunFailed; KeyboardInterrupt once those in progress have been stopped."""
        left = list(reversed(numbers))
        try:
            while left or self._working:
                while left and len(self._working) < self._at_once:
                    self._begin(left.pop())
                doing(f"simulating, {len(numbers) - len(left) - len(self._working)} of {len(numbers)} runs done")
                self._collect(put, None)
        except KeyboardInterrupt:
            self._stop(put)
            raise
        finally:
            with quiet(*SIGNALS):
                for _, process in self._working.values():
                    process.kill()

    def _begin(self, number: int) -> None:
        def note(connection: Connection, process: BaseProcess) -> None:
            self._working[connection] = (number, process)

        started(note, _report, self._simulation, number, self._asked)

    def _collect(self, put: Reported, seconds: float | None) -> None:
        """Take what is reported within these seconds."""
        for connection in wait(list(self._working), seconds):
            assert isinstance(connection, Connection)
            number, process = self._working[connection]
            said = _received(connection)
            del self._working[connection]
            process.join()
            if not isinstance(said, Run):
                raise RunFailed(f"run {number}: {said}")
            put(said)

    def _stop(self, put: Reported) -> None:
        """Let the runs in progress stop and report."""
        for _, process in self._working.values():
            process.terminate()
        end = time.monotonic() + PATIENCE
        while self._working and time.monotonic() < end:
            self._collect(put, max(0.0, end - time.monotonic()))


def _received(connection: Connection) -> object:
    """Return what a process has sent, undisturbed by limits and Ctrl-C."""
    with quiet(signal.SIGINT, signal.SIGALRM):
        try:
            return connection.recv()
        except EOFError:
            return "its process was killed"


def _report(simulation: Simulation, number: int, asked: Asked, out: Connection, other: Connection) -> None:
    """Run in a process of its own, and send the result, or the text of an exception."""
    other.close()
    told: list[str] = []
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: told.append("stopped"))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    mortal()
    try:
        said: object = run(simulation, number, asked, lambda: told[0] if told else "")
    except Exception as failure:
        said = f"{type(failure).__name__}: {failure}"
    out.send(said)
    out.close()
