"""Cost of filling tables with the specification's answers: `python -m benchmarks.filling [SCENE …] [--more PODS]`.

Each run is a process of its own that explores a scene with empty tables. With `--against CHECKOUT` the runs alternate
between this checkout and another one, which must find the same states and ask the same questions. The figures are the
medians of the processor time in which questions were answered, by this process alone. With `--workers 2` helpers answer
a part of large batches, so that the figures bound the time that passes on free cores. `--profile` shows where the time
goes, once a scene.

`disks` and `waiting` are answered by whole cycles: their pods have volumes, or a property reads all waiting pods.
"""

import argparse
import cProfile
import os
import pstats
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks import explore, kubernetes
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.arrays import Buffers
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import PodDisruptionBudget, SpreadConstraint
from schedcheck.spec.storage import GCEPersistentDisk, Volume
from tests.support.building import near, node, pod, preferring, selector, term

ROOT = Path(__file__).resolve().parent.parent
HOSTNAME, ZONE = "kubernetes.io/hostname", kubernetes.ZONE
REFERENCE = "reference"


def mixed(more: int = 0) -> Scenario:
    """Return pods with spread constraints, affinity, priorities and a budget, each of which matters to some."""
    evenly = SpreadConstraint(1, ZONE, selector=selector(app="web"))
    softly = SpreadConstraint(1, HOSTNAME, required=False, selector=selector(app="web"))
    web = [
        pod(f"web-{number}", 1, priority=10, labels={"app": "web"}, spread=(evenly, softly))
        for number in range(1, 3 + more)
    ]
    beside = preferring(50, term(HOSTNAME, selector(app="web")))
    caches = [pod(f"cache-{number}", 1, labels={"app": "cache"}, affinity=beside) for number in (1, 2)]
    urgent = [pod("urgent-1", 2, priority=100), pod("urgent-2", 3, priority=1000)]
    protecting = PodDisruptionBudget("web", selector=selector(app="web"), min_available=1)
    nodes = [node(f"n{number}", 3, labels={HOSTNAME: f"n{number}", ZONE: "ab"[number % 2]}) for number in range(1, 4)]
    return kubernetes.moving([*web, *caches, *urgent], nodes, budgets=(protecting,))


def company(more: int = 0) -> Scenario:
    """Return pods that must be near a database of their zone, and others that would rather be elsewhere."""
    db = [pod(f"db-{number}", 1, labels={"app": "db"}) for number in (1, 2)]
    web = [
        pod(f"web-{number}", 1, labels={"app": "web"}, affinity=near(term(ZONE, selector(app="db"))))
        for number in range(1, 4 + more)
    ]
    job = [
        pod(f"job-{number}", 2, affinity=preferring(10, term(ZONE, selector(app="web")), anti=True))
        for number in (1, 2)
    ]
    return kubernetes.moving([*db, *web, *job], kubernetes.in_zones(4))


def disks(more: int = 0) -> Scenario:
    """Return pods of which two use one disk, and others that take room."""
    web = [
        pod(f"web-{number}", 1, priority=10 * number, volumes=(Volume("disk", GCEPersistentDisk("disk", number == 1)),))
        for number in (1, 2)
    ]
    return kubernetes.moving(
        [*web, *(pod(f"job-{number}", 2) for number in range(1, 4 + more))], kubernetes.in_zones(4)
    )


def waiting(more: int = 0) -> Scenario:
    """Return pods of four priorities, with a property of all pods that wait for a node."""
    return replace(kubernetes.preemption(more - 1), properties=("room_left_to_the_nominated",))


SCENES: Mapping[str, Callable[[int], Scenario]] = {
    **kubernetes.SCENES,
    "mixed": mixed,
    "company": company,
    "disks": disks,
    "waiting": waiting,
}


def explorer_of(scene: str, more: int, workers: int) -> Explorer:
    """Return the explorer of a scene, with empty tables."""
    if scene == REFERENCE:
        return explore.explorer_of(explore.grown(9 + more), workers)
    return kubernetes.explorer_of(SCENES[scene](more), workers)


def alone(scene: str, more: int, workers: int, profile: bool) -> None:
    """Print the counts of a scene, and the processor time in which its questions were answered."""
    explorer = explorer_of(scene, more, workers)
    watched, answer, took = cProfile.Profile(), explorer.answer, 0.0

    def answered(level: Words, buffers: Buffers, missing: int) -> None:
        nonlocal took
        before = time.process_time()
        if profile:
            watched.runcall(answer, level, buffers, missing)
        else:
            answer(level, buffers, missing)
        took += time.process_time() - before

    explorer.answer = answered  # type: ignore[method-assign]
    explorer.run()
    if profile:
        pstats.Stats(watched).sort_stats("cumtime").print_stats(60)
    progress = explorer.progress()
    print(progress.distinct, progress.generated, *explorer.oracle.asked, took)


def ran(checkout: Path, scene: str, more: int, workers: int) -> tuple[tuple[int, ...], float]:
    """Return the counts of a scene and the seconds of answering, in a process with the schedcheck of a checkout."""
    script = f"import sys; sys.path.insert(0, {str(checkout)!r}); sys.argv = sys.argv[1:]; " + (
        "import runpy; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    command = [sys.executable, "-P", "-c", script, __file__, "--alone", scene, "--more", str(more)]
    command += ["--workers", str(workers)]
    said = subprocess.run(command, cwd=checkout, check=True, capture_output=True, text=True).stdout.split()
    return tuple(map(int, said[:-1])), float(said[-1])


def measured(scene: str, more: int, workers: int, runs: int, against: Path | None) -> None:
    """Print the medians of a scene."""
    checkouts = [ROOT] if against is None else [ROOT, against]
    found = [[ran(each, scene, more, workers) for each in checkouts] for _ in range(runs)]
    ((distinct, _, *asked),) = {counts for each in found for counts, _ in each}
    here, *there = (statistics.median(each[place][1] for each in found) for place in range(len(checkouts)))
    compared = "".join(f", before {each:.2f} s, {each / here:.1f} times" for each in there)
    print(
        f"{scene}: {distinct:,} states, {sum(asked):,} questions ({' '.join(map(str, asked))}): {here:.2f} s{compared}"
    )


def main(arguments: Sequence[str] = ()) -> None:
    """Measure the scenes named in the arguments."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.filling")
    parser.add_argument("scenes", nargs="*", default=[*SCENES, REFERENCE])
    parser.add_argument("--more", type=int, default=0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    parser.add_argument("--profile", action="store_true")
    asked = parser.parse_args(arguments)
    if asked.alone:
        alone(asked.alone, asked.more, asked.workers, asked.profile)
        return
    print(f"load {os.getloadavg()[0]:.1f}")
    for scene in asked.scenes:
        if asked.profile:
            alone(scene, asked.more, asked.workers, True)
        else:
            measured(scene, asked.more, asked.workers, asked.runs, asked.against and asked.against.resolve())


if __name__ == "__main__":
    main(sys.argv[1:])
