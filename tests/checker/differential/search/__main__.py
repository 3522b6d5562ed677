"""Search for differences between the production scheduler and the specification: `make differential`

    python -m tests.checker.differential.search [--seconds 600] [--seed 0] [--jobs 2] [--parts clusters lives]
    python -m tests.checker.differential.search --seconds 3600 --kept .searched [--parts lives 'small lives' …]
    python -m tests.checker.differential.search --cases 100 [--engine ray [--address HOST:PORT]]
    python -m tests.checker.differential.search --again 'clusters 0-1 88'

Each process searches with a seed of its own, and the kinds of search take turns. The first difference ends all. It is
printed with the case, which `--again` tries alone. Without a difference the script prints how many cases were tried. An
interrupt ends the search, and what was counted is printed.

With `--kept FOLDER` the next run with the same seed and the same sources goes on with the next cases, also after a kill.

With `--cases` the number of cases is given instead of the time: so many of a kind with a share of 1. The counts and the
difference are then the same for any number of processes, and on several machines, where Ray does the cases of a lost
worker again. All machines need the same checkout.
"""

import argparse
from collections import Counter
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from typing import Any

from schedcheck.checker.machines.machines import ClusterFailed, Machines
from tests.checker.differential.search.effort import Damaged, kept
from tests.checker.differential.search.parts import PARTS, Found, searched, tried
from tests.checker.differential.search.ranges import counted

SECONDS = 600.0


def job(start: str, seconds: float, parts: tuple[str, ...], stop: Event, answers: Any, folder: str) -> None:
    """Search until the time is over, or another process has found a difference."""
    before = kept(folder, start)
    done, found = searched(start, seconds, parts, stop=stop.is_set, before=before)
    if found is not None:
        stop.set()
    difference = None if found is None else (found.part, found.start, f"{type(found.what).__name__}: {found.what}")
    if difference is None and before.effort.differed:
        part, _, number = before.effort.differed[0].rpartition(f" {start} ")
        difference = part, f"{start} {number}", "differed in an earlier run"
    answers.put((done, difference, before.effort.processor))


def run(
    seconds: float, seed: int, jobs: int, parts: tuple[str, ...], folder: str = ""
) -> tuple[Counter[str], tuple[str, str, str] | None, float]:
    """Search in this number of processes; return the number of cases by part, a difference, and the processor's seconds.

    A difference is its part, its case and its text. With a folder all include those of earlier runs.
    """
    context = get_context("fork")
    stop, answers = context.Event(), context.Queue()
    processes = [
        context.Process(target=job, args=(f"{seed}-{place}", seconds, parts, stop, answers, folder), daemon=True)
        for place in range(jobs)
    ]
    for each in processes:
        each.start()
    told: list[Any] = []
    while len(told) < jobs:
        try:
            told.append(answers.get())
        except KeyboardInterrupt:
            stop.set()
    for each in processes:
        each.join()
    counts: Counter[str] = Counter()
    for done, _, _ in told:
        counts.update(done)
    differences = (found for _, found, _ in told if found is not None)
    return counts, next(differences, None), sum(processor for *_, processor in told)


def main(given: list[str] | None = None) -> int:
    """Search, and return 1 if there is a difference."""
    parser = argparse.ArgumentParser(description="Search for differences between production and specification.")
    parser.add_argument("--seconds", type=float, help=f"how long each process searches ({SECONDS:g})")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--jobs", type=int, help="the number of processes (2), or of cases at once (with ray: one a core)"
    )
    parser.add_argument("--parts", nargs="+", choices=sorted(PARTS), default=list(PARTS), help="the kinds of search")
    parser.add_argument("--again", metavar="CASE", help="try this case alone: a part and its seed, as printed")
    parser.add_argument(
        "--kept", default="", metavar="FOLDER", help="go on after the cases that an earlier run kept here"
    )
    parser.add_argument("--cases", type=int, help="how many cases of a kind with a share of 1, instead of a time")
    parser.add_argument("--engine", choices=("processes", "ray"), default="processes", help="ray: on several machines")
    parser.add_argument("--address", default="", help="the Ray cluster; without it one on this machine")
    arguments = parser.parse_args(given)
    if arguments.again:
        named = [each for each in PARTS if arguments.again.startswith(f"{each} ")]
        part = max(named, key=len, default=None)
        if part is None:
            parser.error(f"--again: a case begins with one of {', '.join(PARTS)}")
        again = tried(part, arguments.again.removeprefix(f"{part} "))
        print(f"{arguments.again}: {'no difference' if again is None else _text(again)}")
        return int(again is not None)
    if arguments.cases is None and arguments.engine == "ray":
        parser.error("--engine ray: expected --cases, the number of cases")
    if arguments.cases is not None and arguments.cases < 1:
        parser.error("--cases: expected 1 or more")
    if arguments.cases is not None and arguments.seconds is not None:
        parser.error("--seconds: not possible with --cases")
    if arguments.kept and arguments.cases is not None:
        parser.error("--kept: not possible with --cases")
    if arguments.address and arguments.engine != "ray":
        parser.error("--address: belongs to --engine ray")
    try:
        counts, found, effort = _done(arguments)
    except (ClusterFailed, Damaged) as reason:
        parser.exit(3, f"{reason}\n")
    for name in arguments.parts:
        print(f"{name}: {counts[name]:,} cases")
    if found is not None:
        print(f"{found[0]} {found[1]}: {found[2]}")
        return 1
    print(f"no difference in {effort}, seed {arguments.seed}")
    return 0


def _done(given: argparse.Namespace) -> tuple[Counter[str], tuple[str, str, str] | None, str]:
    """Search for the time, or through the cases; return counts, a difference, and what it took in words."""
    parts = tuple(given.parts)
    if given.cases is None:
        seconds, jobs = SECONDS if given.seconds is None else given.seconds, given.jobs or 2
        for place in range(jobs):
            kept(given.kept, f"{given.seed}-{place}")  # a process could tell nobody
        counts, found, processor = run(seconds, given.seed, jobs, parts, given.kept)
        whole = f", {processor:,.0f} s of the processor with those of earlier runs" if given.kept else ""
        return counts, found, f"{seconds:g} seconds of {jobs} processes{whole}"
    machines = Machines(given.address, given.jobs or 0) if given.engine == "ray" else None
    counts, found = counted(given.cases, given.seed, parts, given.jobs or 2, machines)
    return counts, found, f"{counts.total():,} cases"


def _text(found: Found) -> str:
    return f"{type(found.what).__name__}: {found.what}"


if __name__ == "__main__":
    raise SystemExit(main())
