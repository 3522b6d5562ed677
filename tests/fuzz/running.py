"""Run a case in this process and judge its end: `problem`; run cases in a process that may be killed: `problems`"""

import contextlib
import importlib
import io
import multiprocessing
import os
import re
import resource
import signal
import sys
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import NamedTuple

from tests.fuzz.drawing import Case

CPU_SECONDS, WALL_SECONDS = 40.0, 240.0
"""The CPU seconds of a case, and the seconds by the clock on a busy machine."""

GIBIBYTES = 16
ESCAPED = re.compile(r"internal error, please report it: (\w+).*?\(([^()]*:\d+)\)", re.DOTALL)


LARGE = (
    "z3",
    "schedcheck.checker.tabulated.search.engine",
    "schedcheck.checker.differential.exploration",
    "schedcheck.tla_export.formulas",
)
"""Modules that are slow to import."""


class TooLong(BaseException):
    """A case takes too long."""


class Found(NamedTuple):
    """The number of a case and its problem: a short description that identifies it first."""

    number: int
    kind: str
    text: str


def problem(case: Case) -> tuple[str, str] | None:
    """The problem with how the command ends, in short and in full; None if there is none."""
    from schedcheck.cli import main

    out, err, before = io.StringIO(), io.StringIO(), os.getcwd()
    with TemporaryDirectory() as folder:
        for name, content in case.files.items():
            Path(folder, name).write_bytes(content)
        os.chdir(folder)
        stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(case.standard_input))
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _limited():
                code = main(list(case.argv))
        except TooLong as error:
            return f"too long: {error}", f"more than {CPU_SECONDS:g} seconds of CPU, at {error}"
        except BaseException as error:
            return f"escaped: {type(error).__name__}", repr(error)
        finally:
            sys.stdin = stdin
            os.chdir(before)
    return judged(code, out.getvalue(), err.getvalue())


def judged(code: object, out: str, err: str) -> tuple[str, str] | None:
    """The problem with an exit code and an output; None if there is none."""
    if "internal error" in err:
        where = ESCAPED.search(err)
        return f"internal error: {where[1]} {where[2]}" if where else "internal error", err
    if "Traceback" in out + err:
        return "traceback", out + err
    if code not in (0, 1, 2, 3):
        return f"exit code {code}", err
    return ("bad input without a word", out) if code == 3 and not err.strip() else None


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Raise TooLong in the body after this many seconds of CPU."""

    def over(number: int, frame: FrameType | None) -> None:
        where = frame
        while where is not None and "schedcheck" not in where.f_code.co_filename:
            where = where.f_back
        raise TooLong(f"{Path(where.f_code.co_filename).name}:{where.f_code.co_name}" if where else "?")

    previous = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


def _work(connection: Connection, prepared: bool) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (GIBIBYTES << 30, resource.RLIM_INFINITY))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # An import interrupted by a limit does not matter to a process that ends too, but would affect all later cases
    # here.
    for name in (
        "z3",
        "schedcheck.checker.tabulated.search.engine",
        "schedcheck.checker.differential.exploration",
        "schedcheck.tla_export.formulas",
    ):
        importlib.import_module(name)
    while (case := connection.recv()) is not None:
        connection.send(problem(case))


class Worker:
    """A process that runs cases, and is replaced when a case hangs or kills it; `prepared` if it is to run many."""

    def __init__(self, prepared: bool = True) -> None:
        self.prepared = prepared
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("fork")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, self.prepared), daemon=True)
        self.process.start()
        theirs.close()

    def __call__(self, case: Case) -> tuple[str, str] | None:
        """The problem with the case."""
        self.connection.send(case)
        try:
            if self.connection.poll(WALL_SECONDS):
                found: tuple[str, str] | None = self.connection.recv()
                return found
            wrong = "hangs", f"no answer within {WALL_SECONDS:g} seconds"
        except EOFError:
            self.process.join()
            wrong = f"died: {self.process.exitcode}", "the process ended"
        self.renew()
        return wrong

    def renew(self) -> None:
        """Continue in a new process."""
        self.close()
        self._start()

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def problems(cases: Iterable[tuple[int, Case]], worker: Worker) -> Iterator[Found | int]:
    """Yield the number of each case that ends well, or its problem."""
    for number, case in cases:
        wrong = worker(case)
        if wrong is not None:
            # The process had run many cases, some ended by a limit; the result in a new process for this case alone
            # counts.
            print(f"case {number}: {wrong[0]}: once more in a new process", flush=True)
            worker.renew()
            wrong = worker(case)
        yield number if wrong is None else Found(number, *wrong)
