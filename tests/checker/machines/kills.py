"""Cases of which a machine is lost: `python -m tests.checker.machines.kills [MOMENTS] [CASES]`

The cases are ranges of the search for differences, and simulated runs. The second of two nodes of a Ray cluster is killed
when a number of cases that a fixed seed draws have ended, and one is in progress there. The results must be those of this process, in the same order.
"""

import random
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from schedcheck.checker.machines.cases import in_turn
from schedcheck.checker.machines.machines import Machines
from schedcheck.checker.simulating.running import Asked, run
from schedcheck.model.simulation.simulation import Simulation
from tests.checker.differential.search.ranges import Range, ranges, searched
from tests.checker.tabulated.machines import Cluster
from tests.model.simulation.drawn import drawn_start

PARTS = ("small", "clusters", "lives", "flips")
Case = Range | int


def one(folder: str, case: Case) -> Any:
    """Return what a range or a run shows; a file in the folder has the node where it was begun, until it has ended."""
    with noted(Path(folder)):
        if isinstance(case, int):
            return run(Simulation(drawn_start(case, 60.0)), case, Asked(case, judge=2))
        return searched("0", case)


@contextmanager
def noted(folder: Path) -> Iterator[None]:
    """Note that a case is begun here, and that it has ended."""
    import ray

    file = folder / uuid4().hex
    file.write_text(ray.get_runtime_context().get_node_id() if ray.is_initialized() else "here")
    yield
    file.write_text("ended")


def lost_at(moment: int, listed: Sequence[Case], cluster: Cluster) -> tuple[list[Any], int]:
    """Return the results, and how many cases were begun more than once. The second node is killed at the moment."""
    over = threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        striker = threading.Thread(target=_strike, args=(moment, Path(folder), cluster, over))
        striker.start()
        try:
            results = list(in_turn(Machines(workers=2), one, folder, listed))
        finally:
            over.set()
            striker.join()
        return results, len(list(Path(folder).iterdir())) - len(listed)


def _strike(moment: int, folder: Path, cluster: Cluster, over: threading.Event) -> None:
    """Kill the second node when so many cases have ended, and one is in progress there."""
    while not over.wait(0.02):
        states = [file.read_text() for file in folder.iterdir()]
        if states.count("ended") >= moment and cluster.second() in states:
            cluster.lose()
            return


def main(moments: int = 5, cases: int = 8) -> int:
    """Lose a machine at this many moments; return how many times the results were not those of this process."""
    chance = random.Random(7)
    listed: list[Case] = [*ranges(cases, PARTS), *range(4)]
    with tempfile.TemporaryDirectory() as folder:
        expected = [one(folder, case) for case in listed]
    identical = several = 0
    with Cluster() as cluster:
        for _ in range(moments):
            cluster.ready()
            moment = chance.randrange(len(listed) // 2)
            results, again = lost_at(moment, listed, cluster)
            identical, several = identical + (results == expected), several + (again > 0)
            alike = "identical" if results == expected else "not identical"
            print(f"lost after {moment} cases: {alike}, {again} done again", flush=True)
            cluster.again()
    print(f"{identical} of {moments} identical, {several} of them with cases done again")
    return moments - identical


if __name__ == "__main__":
    sys.exit(min(main(*map(int, sys.argv[1:])), 100))
