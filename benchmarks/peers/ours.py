"""schedcheck itself: `check` on files."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.peers.asking import Question, Run, run
from benchmarks.peers.space import Space, write

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def prepared(space: Space, question: Question, tables: Path | None) -> Iterator[tuple[Path, dict[str, str]]]:
    """Give the files of the scenario, and an environment whose tables are kept in `tables`, or begin empty."""
    asked = f"bound_once_feasible(p{space.asked})" if question is Question.LIVENESS else "no_overcommit"
    # Python keeps the bytecode of schedcheck, as it does once it is installed.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with TemporaryDirectory() as folder, TemporaryDirectory() as empty:
        write(space, asked, Path(folder))
        yield Path(folder), kept | {"SCHEDCHECK_TABLES": str(tables or empty)}


def ours(space: Space, question: Question, patience: float, tables: Path | None = None) -> Run:
    """Ask schedcheck. Exploring is what it gives as its seconds: all but its start, the questions of tables included."""
    command = [sys.executable, "-m", "schedcheck", "check", "--format", "json", "--quiet"]
    command += [] if question is Question.SYMMETRY else ["--no-symmetry"]
    with prepared(space, question, tables) as (folder, environment):
        ended = run([*command, str(folder)], ROOT, patience, environment)
    answer = json.loads("\n".join(line for _, line in ended.lines))
    counts = answer["counts"]
    return Run(ended.seconds, counts["seconds"], counts["distinct"], answer["verdict"])
