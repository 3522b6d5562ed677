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
from pathlib import Path
from typing import Any

from tests.mutants.enumeration import FOLDERS

PATIENCE = 1800.0
"""Seconds by the clock after which a test file is left out."""


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


def reach(copy: Path, kept: Path, among: Sequence[str] = ()) -> list[Witness]:
    """The lines that each test of the copied tree reaches, in the files with one of the prefixes `among`, or in all.

    Slow tests are left out, as are a test that fails and a file that cannot be run, which is reported.

    Raises:
        FailedError: no test is left.
    """
    kept.mkdir(parents=True, exist_ok=True)
    names = test_files(copy, among)
    found: list[Witness] = []
    for number, file in enumerate(names, 1):
        record = kept / (file.replace("/", ".") + ".json")
        if not fresh(record, copy, file):
            print(f"which lines are reached [{number}/{len(names)}] {file}", flush=True)
            measure(record, copy, file)
        there = json.loads(record.read_text("utf-8"))
        for name in there["failed"]:
            print(f"left out: {name} fails although nothing was changed", flush=True)
        found += (each for each in tests(there["tests"]) if each.name not in there["failed"])
    if not found:
        raise FailedError(f"no test passes although nothing was changed, of {len(names)} files")
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


def measure(record: Path, copy: Path, file: str) -> None:
    """Run one test file and record what it reaches; for a file that cannot be run, record that it failed."""
    target = record.with_suffix(".new")
    told = "it took too long"
    with suppress(subprocess.TimeoutExpired):
        with interruptible():
            ran = subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "pytest",
                    "-p",
                    "tests.mutants.reaching",
                    "-p",
                    "no:cacheprovider",
                    "-q",
                    "-m",
                    "not slow",
                    file,
                ],
                cwd=copy,
                env=environment(copy, REACHED_FOLDERS=":".join(FOLDERS), REACHED_FILE=str(target)),
                capture_output=True,
                text=True,
                check=False,
                timeout=PATIENCE,
            )
        told = ran.stdout + ran.stderr
    there: dict[str, Any] = {"failed": [file], "tests": {}}
    if target.exists():
        there = json.loads(target.read_text("utf-8"))
        target.unlink()
    if there["failed"]:
        print(told, flush=True)
    reached = sorted({each for test in there["tests"].values() for each in test["lines"]})
    made = {"digest": digest(copy, file), "shape": shape(copy, reached), "reached": reached, **there}
    written = record.with_suffix(".part")
    written.write_text(json.dumps(made))
    written.replace(record)


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
