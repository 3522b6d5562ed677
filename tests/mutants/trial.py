"""What becomes of one mutant: `tried`. It is written into a copy of the tree, never into the checkout."""

import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from pathlib import Path

from tests.mutants.reach import Witness, environment, pytest

HEATS = (2.0, 15.0)
"""Seconds of tests after which the process that asks them ends: few mutants live to see the later ones."""

SLACK = 10
"""A test that takes so many times as long as it did, and a few seconds, hangs."""

SPARE = 10.0
MEMORY = 8 * 2**30
IGNORED = (".git", ".venv", ".mutants", "__pycache__", "*.egg-info", ".*_cache", ".hypothesis", "build", "dist")
KILLED = (1, 2)
"""pytest's exit codes when a test fails, and when a test file cannot be imported."""


class Outcome(StrEnum):
    """What becomes of a mutant."""

    KILLED = "killed"
    TIMED_OUT = "timed out"
    SURVIVED = "survived"


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant, and which test killed it; empty for what ended the whole process, or nothing did."""

    outcome: Outcome
    by: str = ""


class TrialError(Exception):
    """The tests could not be run."""


@contextmanager
def copied(root: Path) -> Iterator[Path]:
    """A copy of the tree, gone afterwards; links stay links."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder).resolve() / "tree"
        shutil.copytree(root, copy, symlinks=True, ignore=shutil.ignore_patterns(*IGNORED))
        yield copy


def tried(copy: Path, file: str, made: str, tests: Sequence[Witness]) -> Verdict:
    """What the tests say of the copy in which `file` reads `made`. The file is as it was afterwards."""
    path = copy / file
    there = path.read_bytes()
    path.write_text(made, "utf-8")
    try:
        for heat in heats(tests):
            verdict = asked(copy, heat)
            if verdict.outcome != Outcome.SURVIVED:
                return verdict
        return Verdict(Outcome.SURVIVED)
    finally:
        path.write_bytes(there)


def heats(tests: Sequence[Witness]) -> Iterator[Sequence[Witness]]:
    """The tests in parts, each with those up to one more of `HEATS`."""
    ends = list(accumulate(test.seconds for test in tests))
    begin = 0
    for bound in (*HEATS, float("inf")):
        end = sum(1 for each in ends if each <= bound)
        if begin < end:
            yield tests[begin:end]
        begin = end


def asked(copy: Path, tests: Sequence[Witness]) -> Verdict:
    """What these tests say, in one process.

    Raises:
        TrialError: pytest ran no test, or itself went wrong.
    """
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        said, tried = Path(folder) / "said", Path(folder) / "tried.json"
        limits = [[test.name, SLACK * test.seconds + SPARE] for test in tests]
        tried.write_text(json.dumps({"tests": limits, "said": str(said)}))
        code, output = run(
            [*pytest("tests.mutants.trying", *sorted({test.file for test in tests})), "-x", "--tb=no"],
            copy,
            environment(copy, TRIED_FILE=str(tried), PYTHONDONTWRITEBYTECODE="1"),
            sum(limit for _, limit in ((test.name, 3 * test.seconds) for test in tests)) + 120,
        )
        by = said.read_text() if said.exists() else ""
    match code:
        case 0:
            return Verdict(Outcome.SURVIVED)
        case None:
            return Verdict(Outcome.TIMED_OUT)
        case signalled if signalled == -signal.SIGPROF:
            return Verdict(Outcome.TIMED_OUT)
        case failed if failed in KILLED or failed < 0:
            return Verdict(Outcome.KILLED, by)
    raise TrialError(f"pytest ended with {code}:\n{output}")


def run(command: Sequence[str], folder: Path, variables: dict[str, str], seconds: float) -> tuple[int | None, str]:
    """The exit code, None if it takes longer than `seconds`, and what was said. Nothing it started is left."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=variables,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        resource.prlimit(process.pid, resource.RLIMIT_AS, (MEMORY, MEMORY))
        try:
            code: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            end(process)
        output.seek(0)
        return code, output.read()


def end(process: subprocess.Popen[bytes]) -> None:
    """End the process and whatever it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
