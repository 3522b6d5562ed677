"""Try one mutant: `tried`. It is written into a copy of the tree, never into the checkout."""

import fcntl
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from multiprocessing.process import BaseProcess
from pathlib import Path
from zlib import crc32

from tests.mutants import trying
from tests.mutants.reach import Witness, environment, interruptible

HEATS = (2.0, 15.0)
"""Seconds of tests after which their process ends: few mutants survive until the later ones."""

SLACK = 5
"""A test that takes this many times its usual time, plus a few seconds, hangs."""

SPARE = 10.0
PATIENCE = 120.0
"""Seconds by the clock, in addition to the time of the tests, after which a waiting process is ended."""

ATTEMPTS = 3
"""How often tests are run whose process fails outside of any test, as one that has no memory left may."""

MEMORY = 8 * 2**30
IGNORED = (".git", ".venv", ".mutants", "__pycache__", "*.egg-info", ".*_cache", ".hypothesis", "build", "dist")
NO_CONFTEST = "ImportError while loading conftest"
"""The output of pytest before it has run any test."""

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["hypothesis", "networkx", "numpy", "pytest", "rich", "yaml", "z3"])


class Outcome(StrEnum):
    """The fate of a mutant."""

    KILLED = "killed"
    TIMED_OUT = "timed out"
    SURVIVED = "survived"


@dataclass(frozen=True)
class Verdict:
    """The fate of a mutant, and the test that killed it or did not end; empty if there is none."""

    outcome: Outcome
    by: str = ""


class TrialError(Exception):
    """The tests could not be run."""


@contextmanager
def copied(root: Path, files: Sequence[str] = ()) -> Iterator[Path]:
    """A copy of the tree, with all or these test files compiled before anything is changed, and removed afterwards;
    links stay links.

    It is always in the same place: numba keeps compiled loops by the path and the time of their files, and a test that
    has to compile them first would end at its limit, with or without a mutant.

    Raises:
        TrialError: another run uses the copy.
    """
    copy = root.resolve() / ".mutants" / "tree"
    copy.parent.mkdir(exist_ok=True)
    with (copy.parent / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TrialError("another run uses the copy of this tree") from None
        yield from _copy(root, copy, files)


def _copy(root: Path, copy: Path, files: Sequence[str]) -> Iterator[Path]:
    shutil.rmtree(copy, ignore_errors=True)
    try:
        shutil.copytree(root, copy, symlinks=True, ignore=shutil.ignore_patterns(*IGNORED))
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files]
        with interruptible():
            subprocess.run(command, cwd=copy, env=environment(copy), capture_output=True, check=True)
        yield copy
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def tried(copy: Path, file: str, made: str, tests: Sequence[Witness]) -> Verdict:
    """The verdict of the tests on the copy in which `file` is replaced by `made`. The file is restored afterwards."""
    path = copy / file
    there, times = path.read_bytes(), path.stat()
    path.write_text(made, "utf-8")
    # Python reuses a compiled file for a text of the same length that was written in the same second.
    other = times.st_mtime + 2 + crc32(made.encode()) % 10**6
    os.utime(path, (other, other))
    try:
        for heat in heats(tests):
            verdict = asked(copy, heat)
            if verdict.outcome != Outcome.SURVIVED:
                return verdict
        return Verdict(Outcome.SURVIVED)
    finally:
        path.write_bytes(there)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def heats(tests: Sequence[Witness]) -> Iterator[Sequence[Witness]]:
    """The tests in parts, each up to the next number of `HEATS`."""
    ends = list(accumulate(test.seconds for test in tests))
    begin = 0
    for bound in (*HEATS, float("inf")):
        end = sum(1 for each in ends if each <= bound)
        if begin < end:
            yield tests[begin:end]
        begin = end


def asked(copy: Path, tests: Sequence[Witness]) -> Verdict:
    """The verdict of these tests, run in one process; where pytest itself fails, they are run again.

    Raises:
        TrialError: pytest ran no test, or itself failed `ATTEMPTS` times.
    """
    for attempt in range(ATTEMPTS):
        try:
            return asked_once(copy, tests)
        except TrialError as error:
            if attempt == ATTEMPTS - 1:
                raise
            print(f"again, as {str(error).strip().splitlines()[-1]}", flush=True)
    raise AssertionError


def asked_once(copy: Path, tests: Sequence[Witness]) -> Verdict:
    """The verdict of these tests, run in one process.

    Raises:
        TrialError: pytest ran no test, or itself failed.
    """
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        said, output = Path(folder) / "said", Path(folder) / "output"
        limits = {test.name: SLACK * test.seconds + SPARE for test in tests}
        begun = Path(folder) / "begun"
        process = FORKS.Process(target=trying.ask, args=(copy, limits, said, begun, output, MEMORY))
        process.start()
        try:
            process.join(SLACK * sum(max(test.seconds, test.clock) for test in tests) + PATIENCE)
            hangs = process.is_alive()
        finally:
            end(process)
        code, by = process.exitcode, said.read_text() if said.exists() else ""
        last = begun.read_text() if begun.exists() else ""
        told = output.read_text() if output.exists() else ""
    if hangs or code == -signal.SIGPROF:
        return Verdict(Outcome.TIMED_OUT, last)
    if code == 0:
        return Verdict(Outcome.SURVIVED)
    if by or (code is not None and code < 0) or NO_CONFTEST in told:
        return Verdict(Outcome.KILLED, by or last)
    raise TrialError(f"pytest ended with {code}:\n{told}")


def end(process: BaseProcess) -> None:
    """End a process and its children."""
    assert process.pid is not None
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()
