"""What is asked, and what a run of a program gives."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple


class Question(StrEnum):
    """A question about the scenario."""

    SAFETY = "safety"
    """Whether a node is overcommitted."""

    SYMMETRY = "symmetry"
    """The same, of one state for each orbit of equal pods."""

    LIVENESS = "liveness"
    """Whether the pod `asked`, once the environment rests, waits forever while some node is feasible for it."""


class Run(NamedTuple):
    """A run: its seconds from start to end, those of exploring, the states, and the verdict; or why there is no answer."""

    seconds: float
    exploring: float = 0.0
    states: int = 0
    verdict: str = ""
    missing: str = ""


class Ended(NamedTuple):
    """An ended process: its seconds, and its lines with the seconds after which each was read."""

    seconds: float
    lines: tuple[tuple[float, str], ...]

    def when(self, part: str) -> float:
        """Return the seconds after which the first line with this part was read. Raises: LookupError: no line has it."""
        for seconds, line in self.lines:
            if part in line:
                return seconds
        raise LookupError(f"no line says {part!r}; the last ones: {self.tail()}")

    def tail(self) -> str:
        """Return the last lines as one."""
        return " | ".join(line for _, line in self.lines[-4:])


class TooLongError(Exception):
    """A process did not end within its patience; the value is in seconds."""


def run(command: Sequence[str], folder: Path, patience: float, environment: Mapping[str, str] | None = None) -> Ended:
    """Run a command in a folder; an interrupt ends it too.

    Raises: TooLongError: it did not end in time, and was killed with its children. OSError: it cannot be run.
    """
    begun = time.perf_counter()
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        late = threading.Event()

        def kill() -> None:
            late.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(patience, kill)
        timer.start()
        try:
            lines = tuple((time.perf_counter() - begun, line.rstrip("\n")) for line in process.stdout or ())
            process.wait()
        finally:
            timer.cancel()
            if process.returncode is None:
                kill()
    if late.is_set():
        raise TooLongError(patience)
    return Ended(time.perf_counter() - begun, lines)
