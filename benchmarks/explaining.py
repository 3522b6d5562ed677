"""Time of `explain --profile kubernetes` on a large cluster, and the share of the definitions in it.

python -m benchmarks.explaining [NODES PODS] asks about a pod of a dump of 5,000 nodes and 50,000 pods by default, once
by the command, and once in a process that times the parts: reading, filters, scores.
"""

import json
import resource
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from benchmarks.reading import write
from schedcheck.manifests import read
from schedcheck.manifests.seen import seen
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.filter import feasible
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.select_host import scores_of


def pending(path: Path) -> str:
    """Return a pending pod of the dump, as NAMESPACE/NAME."""
    items = json.loads(path.read_text(encoding="utf-8"))["items"]
    waiting = (each["metadata"] for each in items if each["kind"] == "Pod" and "nodeName" not in each["spec"])
    first = next(waiting)
    return f"{first['namespace']}/{first['name']}"


def parts(path: str, name: str) -> None:
    """Print the seconds of reading, filtering and scoring, the number of feasible nodes, and the peak memory in MiB."""
    times = [time.perf_counter()]
    cluster = seen(read([path]))
    pod = next(pod for pod in cluster.pods if str(pod) == name)
    snapshot = cluster.snapshot()
    times.append(time.perf_counter())
    made = cycle(pod, snapshot - frozenset({pod}), DEFAULT_PLUGINS)
    names = feasible(made)
    times.append(time.perf_counter())
    scores_of(made, names)
    times.append(time.perf_counter())
    taken = [after - before for before, after in pairwise(times)]
    print(*taken, len(names), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def command(path: Path, name: str) -> tuple[float, float]:
    """Return the seconds of the whole command, and its peak memory in MiB."""
    asked = [sys.executable, "-m", "schedcheck", "explain", name, str(path), "--profile", "kubernetes"]
    before = time.perf_counter()
    subprocess.run(asked, check=True, capture_output=True)
    return time.perf_counter() - before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main(nodes: int = 5_000, pods: int = 50_000) -> None:
    """Print a table: the command, and its parts."""
    table = Table(title=f"explain, {nodes:,} nodes, {pods:,} pods")
    for heading in ("what", "seconds", "MiB at most"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "dump.json"
        write(path, nodes, pods)
        name = pending(path)
        seconds, memory = command(path, name)
        table.add_row("the command", f"{seconds:.1f}", f"{memory:,.0f}")
        asked = [sys.executable, "-m", "benchmarks.explaining", "--parts", str(path), name]
        found = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
        for what, taken in zip(("reading", "filters", "scores"), found, strict=False):
            table.add_row(f"  {what}", f"{float(taken):.1f}", "")
    Console().print(table)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--parts", path, name]:
            parts(path, name)
        case numbers:
            main(*map(int, numbers))
