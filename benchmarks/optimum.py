"""Time and gap of the best placement of pending pods on realistic clusters.

python -m benchmarks.optimum [NODES PENDING [SEEDS [SECONDS]]] takes SEEDS clusters with NODES nodes and 20 pods a node
(`realistic.py`), in which PENDING random bound pods without volumes wait; the other pending pods are left out.
"""

import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

import schedcheck
from benchmarks.realistic import realistic
from schedcheck.api.preparing import prepared
from schedcheck.api.values import SILENT, as_profile
from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.checker.placement.optimum import optimum
from schedcheck.model.profiles import profile_of
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.profiles import Profile

Json = dict[str, Any]
SIZES = ((10, 5), (20, 10), (50, 20))
"""The nodes and pending pods of the clusters."""


def cluster(nodes: int, pending: int, seed: int) -> list[Json]:
    """Return the objects of a realistic cluster in which random pods wait."""
    items = [each for each in realistic(nodes, 20 * nodes) if each["kind"] != "Pod" or "nodeName" in each["spec"]]
    bound = [each for each in items if each["kind"] == "Pod" and "volumes" not in each["spec"]]
    for each in random.Random(seed).sample(bound, pending):
        del each["spec"]["nodeName"]
        each["status"] = {"phase": "Pending"}
    return items


def snapshot_of(nodes: int, pending: int, seed: int) -> tuple[Snapshot, Profile]:
    """Return the snapshot of a cluster, and the model of the profile kubernetes."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "cluster.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": cluster(nodes, pending, seed)}))
        made = prepared(schedcheck.read(str(path)), as_profile("kubernetes"), SILENT, gangs=True)
    return made.cluster.snapshot(), profile_of(made.scenario)


def timed(nodes: int, pending: int, seeds: int, seconds: float) -> Iterator[list[str]]:
    """Yield a row of the table for each cluster."""
    for seed in range(seeds):
        there, profile = snapshot_of(nodes, pending, seed)
        begun, worked = time.monotonic(), time.process_time()
        found = optimum(there, profile, Spent(Effort(seconds=seconds)))
        times = (time.monotonic() - begun, time.process_time() - worked)
        most = found.most
        placed = f"{len(found.placement)} of {sum(number for _, number in most.placed)}" if most else "?"
        gap = f"{(most.score - found.score) / max(1, most.score):.2%}" if most else "?"
        figures = (f"{found.score}", f"{most.score}" if most else "?", gap, "yes" if found.proved else "no")
        yield [f"{nodes}", f"{pending}", f"{seed}", placed, *figures, *(f"{each:.1f}" for each in times)]


def main(nodes: int = 0, pending: int = 0, seeds: int = 3, seconds: int = 60) -> None:
    """Print a table with a row for each cluster."""
    table = Table(title=f"best placements within {seconds} s", box=SIMPLE, title_justify="left")
    for heading in ("nodes", "pending", "seed", "placed", "score", "bound", "gap", "proved", "s", "processor s"):
        table.add_column(heading, justify="right")
    for size in ((nodes, pending),) if nodes else SIZES:
        for row in timed(*size, seeds, seconds):
            table.add_row(*row)
    Console(width=110).print(table)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
