"""Which tests reach which lines, by test file: `reach`; cached in a folder, and measured again after a change."""

import ast
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from tests.mutants.asked import Asked
from tests.mutants.enumeration import FOLDERS

PATIENCE = 1800.0
"""Seconds by the clock after which a test file is left out."""

AT_ONCE = 20
"""How many test files one process runs, so that they share its start."""

RAN = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)

EVERY = Asked()
"""All tests but the slow ones."""


class FailedError(Exception):
    """No test is left that passes without a mutant."""


@dataclass(frozen=True)
class Witness:
    """A test by its pytest name, with its processor time in seconds while lines are recorded, the lines it reaches, and
    its time by the clock, which is longer if it waits for a process of its own.
    """

    name: str
    seconds: float
    lines: Mapping[str, frozenset[int]]
    clock: float = 0.0

    @property
    def file(self) -> str:
        """The file of the test."""
        return self.name.partition("::")[0]


def test_files(root: Path, among: Sequence[str] = ()) -> list[str]:
    """The test files that may be run, limited to paths with one of the prefixes `among`, if any.

    The tests of this folder judge the mutants, not the scheduler.
    """
    found = sorted(path.relative_to(root).as_posix() for path in (root / "tests").rglob("test_*.py"))
    chosen = [each for each in found if not among or each.startswith(tuple(among))]
    return [each for each in chosen if not each.startswith(("tests/mutants/", "tests/fuzz/"))]


def digest(root: Path, *files: str) -> str:
    """A digest of these files; a missing file counts as empty."""
    summed = hashlib.sha256()
    for file in sorted(files):
        path = root / file
        summed.update(f"{file}\0".encode() + (path.read_bytes() if path.exists() else b"") + b"\0")
    return summed.hexdigest()


def reach(copy: Path, kept: Path, asked: Asked = EVERY, folders: Sequence[str] = FOLDERS) -> list[Witness]:
    """The lines of `folders` that each of the tests that are asked reaches; recorded in a folder of `kept`.

    Each line that is recorded costs time; where most of the work is done in other folders, little is lost.
    A test that fails is left out, as is a file that cannot be run; both are reported.

    Raises:
        FailedError: no test is left.
    """
    folder = kept / asked.records(folders, FOLDERS)
    folder.mkdir(parents=True, exist_ok=True)
    records = {file: folder / (file.replace("/", ".") + ".json") for file in test_files(copy, asked.among)}
    stale = [file for file, record in records.items() if not fresh(record, copy, file)]
    for those in together(stale):
        print(f"which lines are reached [{stale.index(those[0]) + 1}/{len(stale)}] {those[0]}", flush=True)
        measure({file: records[file] for file in those}, copy, asked.marks, folders)
    found: list[Witness] = []
    for record in records.values():
        there = json.loads(record.read_text("utf-8"))
        for name in there["failed"]:
            print(f"left out: {name} fails although nothing was changed", flush=True)
        found += (each for each in tests(there["tests"]) if each.name not in there["failed"])
    if not found:
        raise FailedError(f"no test passes although nothing was changed, of {len(records)} files")
    return found


def tests(record: Mapping[str, Mapping[str, object]]) -> Iterator[Witness]:
    """The tests of one record."""
    for name, each in record.items():
        match each:
            case {"seconds": float(seconds), "clock": float(clock), "lines": dict(lines)}:
                yield Witness(name, seconds, {file: frozenset(those) for file, those in lines.items()}, clock)


def fresh(record: Path, copy: Path, file: str) -> bool:
    """Whether the test file passed, is unchanged, and the statements of all that it reaches are on their lines."""
    if not record.exists():
        return False
    there = json.loads(record.read_text("utf-8"))
    return (
        "failed" in there and there["digest"] == digest(copy, file) and there["shape"] == shape(copy, there["reached"])
    )


def shape(root: Path, files: Sequence[str]) -> str:
    """A digest of the places of the statements in these files."""
    summed = hashlib.sha256()
    for file in files:
        tree = ast.parse((root / file).read_bytes()) if (root / file).exists() else ast.Module()
        places = [(each.lineno, each.end_lineno) for each in ast.walk(tree) if isinstance(each, ast.stmt)]
        summed.update(f"{file}\0{places}\0".encode())
    return summed.hexdigest()


def together(files: Sequence[str]) -> Iterator[list[str]]:
    """The files that are run in one process: a few of one folder."""
    for _, those in groupby(files, key=lambda each: each.rpartition("/")[0]):
        left = list(those)
        while left:
            yield left[:AT_ONCE]
            del left[:AT_ONCE]


def measure(records: Mapping[str, Path], copy: Path, marks: str, folders: Sequence[str]) -> None:
    """Run test files in one process and record what each reaches; by itself again each that fails beside the others.

    A file that cannot be run is recorded to have failed.
    """
    target = next(iter(records.values())).with_suffix(".new")
    told = ran(copy, [*records], marks, folders, target)
    there: dict[str, Any] = {"failed": [*records], "tests": {}}
    if target.exists():
        there = json.loads(target.read_text("utf-8"))
        target.unlink()
    for file, record in records.items():
        failed = [name for name in there["failed"] if name.partition("::")[0] == file]
        if failed and len(records) > 1:
            measure({file: record}, copy, marks, folders)
            continue
        if failed:
            print(told, flush=True)
        own = {name: each for name, each in there["tests"].items() if name.partition("::")[0] == file}
        reached = sorted({each for test in own.values() for each in test["lines"]})
        rests_on = {"digest": digest(copy, file), "shape": shape(copy, reached)}
        written = record.with_suffix(".part")
        written.write_text(json.dumps({**rests_on, "reached": reached, "failed": failed, "tests": own}))
        written.replace(record)


def ran(copy: Path, files: Sequence[str], marks: str, folders: Sequence[str], target: Path) -> str:
    """Run test files and write to `target` what each test reaches, unless they cannot be run; return what was printed."""
    target.unlink(missing_ok=True)
    plugins = ["-p", "tests.mutants.reaching", "-p", "no:cacheprovider"]
    with suppress(subprocess.TimeoutExpired), interruptible():
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *plugins, "-q", "-m", marks, *files],
            cwd=copy,
            env=environment(copy, REACHED_FOLDERS=":".join(folders), REACHED_FILE=str(target)),
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        if done.returncode not in RAN:
            target.unlink(missing_ok=True)
        return done.stdout + done.stderr
    return "it took too long"


@contextmanager
def interruptible() -> Iterator[None]:
    """Let child processes receive interrupts: a background job ignores them, and its children inherit that.

    With a preexec function the child would be forked with all the addresses that this process holds.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def environment(copy: Path, **others: str) -> dict[str, str]:
    """The environment in which the copied tree is imported, and each process has one thread."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "PYTHONPATH": str(copy), "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0", **others}
