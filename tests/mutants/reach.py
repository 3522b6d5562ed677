"""Which tests reach which lines, test file by test file: `reach`; kept in a folder, and measured again where a text has changed."""

import ast
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.enumeration import FOLDERS


class FailedError(Exception):
    """Tests fail although nothing was changed."""


@dataclass(frozen=True)
class Witness:
    """A test, by pytest's name; how many seconds of processor time it takes while lines are noted; the lines it reaches."""

    name: str
    seconds: float
    lines: Mapping[str, frozenset[int]]

    @property
    def file(self) -> str:
        """The file that it is in."""
        return self.name.partition("::")[0]


def test_files(root: Path) -> list[str]:
    """The files whose tests may be asked; those of this folder judge the mutants, not the scheduler."""
    found = sorted(path.relative_to(root).as_posix() for path in (root / "tests").rglob("test_*.py"))
    return [each for each in found if not each.startswith("tests/mutants/")]


def digest(root: Path, *files: str) -> str:
    """A digest of these files; one that is missing counts as empty."""
    summed = hashlib.sha256()
    for file in sorted(files):
        path = root / file
        summed.update(f"{file}\0".encode() + (path.read_bytes() if path.exists() else b"") + b"\0")
    return summed.hexdigest()


def reach(copy: Path, kept: Path) -> list[Witness]:
    """What each test of the copied tree reaches.

    Raises:
        FailedError: a test fails.
    """
    kept.mkdir(parents=True, exist_ok=True)
    names = test_files(copy)
    found: list[Witness] = []
    for number, file in enumerate(names, 1):
        record = kept / (file.replace("/", ".") + ".json")
        if not fresh(record, copy, file):
            print(f"which lines are reached [{number}/{len(names)}] {file}", flush=True)
            measure(record, copy, file)
        found += tests(json.loads(record.read_text("utf-8"))["tests"])
    return found


def tests(record: Mapping[str, Mapping[str, object]]) -> Iterator[Witness]:
    """The tests of one record."""
    for name, each in record.items():
        match each:
            case {"seconds": float(seconds), "lines": dict(lines)}:
                yield Witness(name, seconds, {file: frozenset(those) for file, those in lines.items()})


def fresh(record: Path, copy: Path, file: str) -> bool:
    """Whether the test file is as it was, and the statements of all that it reaches are on their lines."""
    if not record.exists():
        return False
    there = json.loads(record.read_text("utf-8"))
    return there["digest"] == digest(copy, file) and there["shape"] == shape(copy, there["reached"])


def shape(root: Path, files: Sequence[str]) -> str:
    """A digest of where the statements of these files are."""
    summed = hashlib.sha256()
    for file in files:
        tree = ast.parse((root / file).read_bytes()) if (root / file).exists() else ast.Module()
        places = [(each.lineno, each.end_lineno) for each in ast.walk(tree) if isinstance(each, ast.stmt)]
        summed.update(f"{file}\0{places}\0".encode())
    return summed.hexdigest()


def measure(record: Path, copy: Path, file: str) -> None:
    """Run one test file and write down what it reaches."""
    target = record.with_suffix(".new")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.mutants.reaching", "-p", "no:cacheprovider", "-q", file],
        cwd=copy,
        env=environment(copy, REACHED_FOLDERS=":".join(FOLDERS), REACHED_FILE=str(target)),
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode != 0:
        raise FailedError(f"{file} fails although nothing was changed:\n{ran.stdout}{ran.stderr}")
    there = json.loads(target.read_text("utf-8"))
    reached = sorted({each for test in there["tests"].values() for each in test["lines"]})
    made = {"digest": digest(copy, file), "shape": shape(copy, reached), "reached": reached, "tests": there["tests"]}
    record.write_text(json.dumps(made))
    target.unlink()


def environment(copy: Path, **others: str) -> dict[str, str]:
    """The environment in which the copied tree is what is imported, and one process is one thread."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "PYTHONPATH": str(copy), "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0", **others}
