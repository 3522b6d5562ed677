"""Runs that are killed at many moments and resumed: `python -m tests.checker.tabulated.kills [SCENE] [MOMENTS]`

Half of the moments are calls, spread evenly over all that there are (questions answered, pieces expanded, states moved
to disk, files written, synchronised and renamed), and half are times. Each killed run is resumed, killed again on the
way at every third moment, and must end with the same counts, verdict and trace, and leave the same files. The script
prints the differences, and how many moments there were of each kind. Runs of the large scenes share their tables, so that
moments are not lost on answers.
"""

import os
import random
import signal
import sys
import tempfile
import time
from ast import literal_eval
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from typing import Any

from benchmarks.explore import OF_EACH
from schedcheck.checker.limits import durable
from schedcheck.checker.tabulated.answers.oracle import Oracle
from schedcheck.checker.tabulated.answers.tables import Tables
from schedcheck.checker.tabulated.search.disk import Disk
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.model.scenario import Scenario
from tests.checker.tabulated.resumed import kept, spilling
from tests.support.apart import apart
from tests.support.building import five_pods, reference, seven_pods


def more_pods(more: int, middle: int = 5, tolerant: tuple[int, ...] = ()) -> Scenario:
    """The seven pods, slightly changed, and more pods, some with tolerations; the second node has this many CPUs."""
    return reference(
        [1, 1, 1, 2, 2, 3, 3, *[3, 4, 4][:more]],
        [1, 1, 1, 2, 2, 3, 4, *[1] * more],
        [5, middle, 6],
        want_ssd=[7],
        tolerate_gpu=[4, 5, 6, *tolerant],
        have_ssd=[2, 3],
        have_gpu=[3],
    )


SCENES: dict[str, tuple[Callable[[], Scenario], int]] = {
    "five": (five_pods, 50),
    "seven": (seven_pods, 3000),
    "stranded": (lambda: replace(seven_pods(), properties=("pod_can_still_be_bound(p1)",)), 3000),
    "cut": (
        lambda: replace(
            seven_pods(), constraints=("at_most_bound(4)",), properties=("pod_can_still_be_bound(p1)", "no_overcommit")
        ),
        1500,
    ),
    "nine": (lambda: more_pods(2), 100_000),
    "ten": (lambda: replace(more_pods(3, 6, (8,)), properties=OF_EACH), 1_000_000),
}
"""The scenes, with 2 thousand to 10,681,680 states, and the number of states that the set in memory has room for."""
SHARED = 100_000
"""From this room on, the runs of a scene share their tables."""

CALLS: list[tuple[Any, str]] = [
    (Oracle, "answer"),
    (Explorer, "_expand"),
    (Disk, "put_away"),
    *((durable, name) for name in ("write", "sync", "sync_folder", "rename")),
]


def watched(moment: int | None) -> Counter[str]:
    """Count the calls, and kill this process at the call with this number."""
    calls: Counter[str] = Counter()

    def counting(name: str, do: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(do)
        def call(*given: Any, **named: Any) -> Any:
            if calls.total() == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            calls[name] += 1
            return do(*given, **named)

        return call

    for owner, name in CALLS:
        setattr(owner, name, counting(name, getattr(owner, name)))
    return calls


def files(folder: Path) -> dict[str, bytes]:
    """The files of the folder with their content."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def main(scene: str = "seven", moments: int = 50) -> int:
    """Kill runs of the scene at this many moments; return how many did not end like an undisturbed run."""
    (made, room), chance = SCENES[scene], random.Random(7)
    given = made()
    spilling(setattr, room, max(4096, room // 4), max(512, room // 32))

    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        tables = Tables(root / "tables", print) if room >= SHARED else None

        def run(folder: Path, moment: int | None = None) -> str:
            calls = watched(moment)
            return f"{kept(given, folder, answers=tables)}\n{sorted(calls.items())}"

        apart(partial(run, root / "warm"))
        began = time.monotonic()
        expected, calls = apart(partial(run, root / "whole")).split("\n")
        seconds = time.monotonic() - began
        total = sum(count for _, count in literal_eval(calls))
        print(f"{expected[:70]} …\n{total} calls in {seconds:.1f} s: {calls}", flush=True)
        whole, failed, kinds = files(root / "whole"), 0, Counter[str]()
        for number in range(moments):
            folder = root / str(number)
            folder.mkdir()
            for again in range(2 if number % 3 == 2 else 1):
                if number % 2:
                    text = apart(partial(run, folder), chance.uniform(0, seconds))
                else:
                    moment = (total - 1) * (number + 1) // moments // (1 + again)
                    text = apart(partial(run, folder, moment))
                kinds["ended before" if text else "killed by time" if number % 2 else "killed at a call"] += 1
            found = apart(partial(run, folder)).split("\n")[0]
            if found != expected or files(folder) != whole:
                failed += 1
                print(f"moment {number}: {found}", flush=True)
            for path in folder.iterdir():
                path.unlink()
        print(f"{moments - failed} of {moments} identical: {dict(kinds)}")
        return failed


if __name__ == "__main__":
    sys.exit(min(main(*sys.argv[1:2], *map(int, sys.argv[2:])), 100))
