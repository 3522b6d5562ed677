"""Runs of which a node is killed: `python -m tests.checker.tabulated.ray_kills [SCENE] [MOMENTS] [SHARED]`

Each run loses the second of two nodes of a Ray cluster, with all its workers, within a turn that a fixed seed draws. It
must end with the counts, the verdict and the traces of one machine. The levels are in a folder that is removed, or in
SHARED, such as s3://bucket/levels.
"""

import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.explore import OF_EACH, grown
from schedcheck.checker.check import check
from schedcheck.checker.machines.machines import Machines
from schedcheck.checker.tabulated.distributed.team import Lost, Team
from schedcheck.model.scenario import Scenario
from tests.checker.tabulated.kills import SCENES
from tests.checker.tabulated.machines import Cluster
from tests.checker.tabulated.resumed import summary

WORKERS = 2
SPACES: dict[str, Callable[[], Scenario]] = {
    **{name: make for name, (make, _) in SCENES.items()},
    "reference": lambda: replace(grown(9), properties=OF_EACH),
    "eleven": lambda: replace(grown(11), properties=OF_EACH),
}
"""The scenes of `kills`, and the reference scenario with 9 and 11 pods: 1,032,576 and 14,075,776 states."""


class Watched:
    """The turns and losses of a team. The second node is killed in the turn `moment`, after so many seconds."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.moment, self.after = -1, 0.0
        self.turns = self.losses = 0
        self.begun = 0.0
        self._timer: threading.Timer | None = None
        expand, mend = Team.expand, Team.mend

        def counted(team: Team, left: Sequence[bool]) -> Any:
            if self.turns == 0:
                self.begun, self._there = time.monotonic(), self.cluster.second_node(team._actors)
            if self.turns == self.moment:
                self._timer = threading.Timer(self.after, self._strike)
                self._timer.start()
            self.turns += 1
            return expand(team, left)

        def mended(team: Team, lost: Lost, sizes: Sequence[Sequence[int]]) -> None:
            self.losses += 1
            mend(team, lost, sizes)

        Team.expand, Team.mend = counted, mended  # type: ignore[method-assign]

    def run(self, scene: str, folder: str) -> Any:
        """Return the summary of a run."""
        self.turns = self.losses = 0
        machines = Machines(workers=WORKERS, shared=folder)
        found = summary(check(SPACES[scene](), engine="ray", symmetry=False, machines=machines).result)
        if self._timer is not None:
            self._timer.join()
        return found

    def _strike(self) -> None:
        """Kill the second node: its workers are processes of this machine, and would live on for a moment."""
        for process in self._there:
            os.kill(process, signal.SIGKILL)
        self.cluster.lose()


def main(scene: str = "seven", moments: int = 20, shared: str = "") -> int:
    """Kill runs of the scene at this many moments; return how many did not end like a run on one machine."""
    chance = random.Random(7)
    expected = summary(check(SPACES[scene](), engine="tabulated", symmetry=False).result)
    with tempfile.TemporaryDirectory() as folder, Cluster() as cluster:
        watched, place = Watched(cluster), shared or folder
        same = watched.run(scene, place) == expected
        turns, seconds = watched.turns, time.monotonic() - watched.begun
        print(f"{turns} turns in {seconds:.1f} s, undisturbed: {'' if same else 'not '}identical", flush=True)
        identical = lost = 0
        for _ in range(moments):
            watched.moment, watched.after = chance.randrange(turns), chance.uniform(0, seconds / turns)
            alike = watched.run(scene, place) == expected
            identical, lost = identical + alike, lost + (watched.losses > 0)
            print(f"turn {watched.moment}: {'' if alike else 'not '}identical, {watched.losses} losses", flush=True)
            cluster.again()
    print(f"{identical} of {moments} identical, {lost} of them lost parts")
    return moments - identical + (not same)


if __name__ == "__main__":
    sys.exit(min(main(*sys.argv[1:2], *map(int, sys.argv[2:3]), *sys.argv[3:]), 100))
