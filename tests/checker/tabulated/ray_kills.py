"""Runs whose workers or nodes are killed: `python -m tests.checker.tabulated.ray_kills [SCENE] [MOMENTS]`

Each run loses one worker, or a whole node at every third moment. Half of the moments are turns of the workers, spread
evenly over the run; half are times, drawn from a fixed seed. Each run must end with the counts, the verdict and the
traces of one machine.
"""

import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from schedcheck.checker.check import check
from schedcheck.checker.tabulated.distributed.machines import Machines
from schedcheck.checker.tabulated.distributed.team import Lost, Team
from tests.checker.tabulated.kills import SCENES
from tests.checker.tabulated.machines import OBJECTS, two_nodes
from tests.checker.tabulated.resumed import summary

WORKERS = 3


class Watched:
    """A team whose turns and losses are counted; `strike` is called before the turn with this number."""

    def __init__(self) -> None:
        self.turns = self.losses = 0
        self.moment: int | None = None
        self.seconds: float | None = None
        self.begun = self.ended = 0.0
        self.strike: Callable[[Team], None] = lambda team: None
        self.timer: threading.Timer | None = None
        expand, mend = Team.expand, Team.mend

        def counted(team: Team, left: Sequence[bool]) -> Any:
            self.ended = time.monotonic()
            if self.turns == 0:
                self.begun = self.ended
                if self.seconds is not None:
                    self.timer = threading.Timer(self.seconds, self.strike, [team])
                    self.timer.start()
            if self.turns == self.moment:
                self.strike(team)
            self.turns += 1
            return expand(team, left)

        def mended(team: Team, lost: Lost, sizes: Sequence[Sequence[int]]) -> None:
            self.losses += len(lost.parts)
            mend(team, lost, sizes)

        Team.expand, Team.mend = counted, mended  # type: ignore[method-assign]


def main(scene: str = "nine", moments: int = 20) -> int:
    """Kill runs of the scene at this many moments; return how many did not end like a run on one machine."""
    import ray

    given, chance, watched = SCENES[scene][0](), random.Random(7), Watched()
    expected = summary(check(given, engine="tabulated", symmetry=False).result)
    with tempfile.TemporaryDirectory() as folder, two_nodes() as cluster:
        nodes = [node for node in cluster.list_all_nodes() if node != cluster.head_node]

        def run() -> Any:
            watched.turns = watched.losses = 0
            machines = Machines(workers=WORKERS, shared=folder)
            found = summary(check(given, engine="ray", symmetry=False, machines=machines).result)
            if watched.timer is not None:
                watched.timer.join()
            return found

        def kill_a_worker(team: Team) -> None:
            ray.kill(chance.choice(team._actors))

        def kill_a_node(team: Team) -> None:
            # Its workers would live on for a moment, as they are processes of this machine.
            node = nodes.pop()
            for actor, place in zip(team._actors, ray.get([where(each) for each in team._actors]), strict=True):
                if place == node.node_id:
                    ray.kill(actor)
            cluster.remove_node(node, allow_graceful=False)

        def where(actor: Any) -> Any:
            return actor.__ray_call__.remote(lambda part: ray.get_runtime_context().get_node_id())

        failed = int(run() != expected)
        seconds, turns = watched.ended - watched.begun, watched.turns
        print(f"{turns} turns in {seconds:.1f} s, undisturbed: {'not ' if failed else ''}identical", flush=True)
        kinds: Counter[str] = Counter()
        for number in range(moments):
            if not nodes:
                nodes.append(cluster.add_node(num_cpus=1, object_store_memory=OBJECTS))
                cluster.wait_for_nodes(timeout=120)
            watched.strike = kill_a_node if number % 3 == 2 else kill_a_worker
            by_time = number % 2 == 1
            watched.moment = None if by_time else (turns - 1) * (number + 1) // moments
            watched.seconds = chance.uniform(0, seconds) if by_time else None
            found = run()
            kinds["killed nodes" if number % 3 == 2 else "killed workers"] += 1
            kinds["runs that lost parts"] += watched.losses > 0
            if found != expected:
                failed += 1
                print(f"moment {number}: {found[:2]}", flush=True)
        print(f"{moments - failed} of {moments} identical: {dict(sorted(kinds.items()))}")
    return failed


if __name__ == "__main__":
    sys.exit(min(main(*sys.argv[1:2], *map(int, sys.argv[2:])), 100))
