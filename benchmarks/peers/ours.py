"""schedcheck itself: `check` on files."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.kivi import COMPILED
from benchmarks.peers.asking import Ended, Question, Run, run
from benchmarks.peers.space import Space, write

ROOT = Path(__file__).resolve().parents[2]
STATES = re.compile(r"^States +([0-9,]+) distinct", re.MULTILINE)
TIME = re.compile(r"^Time +([0-9.]+) s", re.MULTILINE)


@contextmanager
def prepared(space: Space, question: Question, kept: Path | None) -> Iterator[tuple[Path, dict[str, str]]]:
    """Give the files of the scenario, and an environment whose tables begin empty; or those in `kept`, with its tables."""
    asked = f"bound_once_feasible(p{space.asked})" if question is Question.LIVENESS else "no_overcommit"
    with TemporaryDirectory() as empty:
        folder = kept or Path(empty)
        files = folder / "files"
        if not files.exists():
            files.mkdir()
            write(space, asked, files)
        yield files, COMPILED | {"SCHEDCHECK_TABLES": str(folder / "tables")}


def ours(space: Space, question: Question, patience: float, kept: Path | None = None) -> Run:
    """Ask schedcheck. Exploring is what it gives as its time: all but its start, the questions of tables included."""
    command = [sys.executable, "-m", "schedcheck", "check", "--quiet"]
    command += [] if question is Question.SYMMETRY else ["--no-symmetry"]
    with prepared(space, question, kept) as (files, environment):
        return told(run([*command, str(files)], ROOT, patience, environment))


def told(ended: Ended) -> Run:
    """Return what a run of schedcheck gave."""
    text = "\n".join(line for _, line in ended.lines)
    states, time = STATES.search(text), TIME.search(text)
    if states is None or time is None:
        return Run(ended.seconds, missing=f"no counts: {ended.tail()}")
    verdict = "holds" if "\nHOLDS\n" in text else "violated" if "\nVIOLATED\n" in text else "unknown"
    return Run(ended.seconds, float(time[1]), int(states[1].replace(",", "")), verdict)
