"""Time of explain, victims and check for one pod on realistic clusters, and its growth with the cluster.

python -m benchmarks.scale [NODES PODS …] asks about clusters of 250 nodes and 5,000 pods, 1,000 and 20,000, 5,000 and
50,000 by default. Every command runs in a process of its own. Seconds are processor time, which excludes other
processes.
"""

import json
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from benchmarks.realistic import pending, realistic, write

SIZES = (250, 5_000, 1_000, 20_000, 5_000, 50_000)
FILE = "FILE"
"""The place of the input in a command line."""

COMMANDS = (
    ("reading", ("explain", "team-0/nobody", FILE)),
    ("explain, scored", ("explain", "team-0/app-0-16", FILE)),
    ("explain, evicting", ("explain", "team-0/large", FILE)),
    ("explain, nowhere", ("explain", "team-0/huge", FILE)),
    ("victims", ("victims", "team-0/large", FILE, "--time", "300")),
    ("capacity, all", ("capacity", "team-6/rs/app-6", FILE, "--time", "500")),
    ("capacity, 300 over zones", ("capacity", "team-1/rs/app-1", FILE, "--count", "300", "--time", "500")),
    ("deploy, to 80 over zones", ("deploy", "--replicas", "team-1/rs/app-1=80", "--onto", FILE, "--time", "500")),
    ("check --pod, 30 s", ("check", FILE, "--pod", "team-0/large", "--time", "30", "--quiet")),
)
GAVE_UP = 2


def seconds(argv: tuple[str, ...], file: Path) -> tuple[float, bool]:
    """Return the processor time of a command in seconds, and whether the command gave up."""
    taken, ended = run(argv, file)
    return taken, ended.returncode == GAVE_UP


def run(argv: tuple[str, ...], file: Path) -> tuple[float, subprocess.CompletedProcess[str]]:
    """Return the processor time of a command in seconds, and how it ended."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    given = (str(file) if each == FILE else each for each in argv)
    command = [sys.executable, "-m", "schedcheck", *given, "--profile", "kubernetes"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, ended


def diffs(nodes: int, pods: int, folder: Path) -> dict[str, tuple[float, int]]:
    """Return the processor time of each `diff` in seconds, and the number of pods on which both schedulers agree.

    One pod is the first pending pod, apart from the two of high priority; one of these two evicts.
    """
    one = next(name for name in pending(realistic(nodes, pods)) if name not in ("large", "huge"))
    asked = {"diff, one pod": one, "diff, one that evicts": "large", "diff, all pending": None}
    found = {}
    for name, only in asked.items():
        file = folder / "pending.json"
        write(file, nodes, pods, only)
        taken, ended = run(("diff", FILE, "--format", "json"), file)
        found[name] = taken, len(json.loads(ended.stdout)["agreed"])
    return found


def main(*numbers: int) -> None:
    """Print a table: a row for each command, a column for each cluster, and the ratio of largest to smallest."""
    sizes = list(zip(numbers[::2], numbers[1::2], strict=True))
    table = Table(title="seconds of the processor")
    for heading in ("command", *(f"{nodes:,} nodes, {pods:,} pods" for nodes, pods in sizes), "ratio"):
        table.add_column(heading, justify="left" if heading == "command" else "right")
    with TemporaryDirectory() as folder:
        files = [Path(folder) / f"{nodes}.json" for nodes, _ in sizes]
        for file, (nodes, pods) in zip(files, sizes, strict=True):
            write(file, nodes, pods)
        reading: list[float] = []
        for name, argv in COMMANDS:
            taken = [seconds(argv, file) for file in files]
            reading = reading or [each for each, _ in taken]
            shown = (f"{each:.1f}{', gave up' if gave_up else ''}" for each, gave_up in taken)
            table.add_row(name, *shown, f"{taken[-1][0] / taken[0][0]:.1f}")
        compared = [diffs(*size, Path(folder)) for size in sizes]
        for name in compared[0]:
            spent = [each[name][0] for each in compared]
            table.add_row(name, *(f"{each:.1f}" for each in spent), f"{spent[-1] / spent[0]:.1f}")
        rates = [each[name][1] / (each[name][0] - read) for each, read in zip(compared, reading, strict=True)]
        table.add_row("pods a second, after reading", *(f"{each:.0f}" for each in rates), f"{rates[-1] / rates[0]:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main(*(map(int, sys.argv[1:]) if sys.argv[1:] else SIZES))
