"""A case run in this process, and what is wrong with its end: `problem`; cases run in a process that may be killed: `problems`."""

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
"""How long a case may compute, and how long it may take where others compute too."""

GIBIBYTES = 16
ESCAPED = re.compile(r"internal error, please report it: (\w+).*?\(([^()]*:\d+)\)", re.DOTALL)


LARGE = (
    "z3",
    "schedcheck.checker.tabulated.search.engine",
    "schedcheck.checker.differential.exploration",
    "schedcheck.tla_export.formulas",
)
"""What takes long to import."""


class TooLong(BaseException):
    """A case computes for too long."""


class Found(NamedTuple):
    """The number of a case, and what is wrong with it: what tells it from other problems first."""

    number: int
    kind: str
    text: str


def problem(case: Case) -> tuple[str, str] | None:
    """What is wrong with how the command ends, in short and in full; None if nothing is."""
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
    """What is wrong with an exit code and an output; None if nothing is."""
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
    """Raises TooLong in the body after so many seconds of CPU."""

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
    # An import that a limit ends in its midst is no matter to a process that ends too, but to all later cases here.
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
    """A process that runs cases, and is replaced where one hangs or kills it; `prepared` where it is to run many."""

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
        """What is wrong with the case."""
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
        """Go on in a new process."""
        self.close()
        self._start()

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def problems(cases: Iterable[tuple[int, Case]], worker: Worker) -> Iterator[Found | int]:
    """The number of each case that ends well, or what is wrong with it."""
    for number, case in cases:
        wrong = worker(case)
        if wrong is not None:
            # The process had run many cases, some of them ended by a limit: what counts is what a new one does with this alone.
            print(f"case {number}: {wrong[0]}: once more in a new process", flush=True)
            worker.renew()
            wrong = worker(case)
        yield number if wrong is None else Found(number, *wrong)
