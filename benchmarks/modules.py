"""States of TLA+ modules a second: `python -m benchmarks.modules [MODULE …] [--runs N] [--against CHECKOUT] [--jar JAR]`.

Each run is a process of its own, and the runs alternate: this checkout, another one if it is given, and TLC with one
worker if its jar is given. The medians are of the processor time of everything, start included; a busy machine changes
the time on the clock, but this only a little. Every run must find the same states.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULES = ("tla/models/MC_node_failure.tla", "tla/models/MC_reference_tiny.tla")

RUN = """
import sys
from schedcheck.api import tla
result = tla.check_module(sys.argv[1]).checked.result
print(result.distinct, result.generated, result.depth)
"""

TLC = re.compile(
    r"(\d+) states generated, (\d+) distinct states found.*?depth of the complete state graph search is (\d+)", re.S
)

Counted = tuple[tuple[int, ...], float]
"""Distinct states, generated states and levels, and the seconds of processor time."""


def timed(command: Sequence[str | Path], folder: Path) -> tuple[str, float]:
    """Run a command in a folder; return its output and the processor time of all its processes."""
    before = os.times()
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return said, used


def checked(checkout: Path, module: Path) -> Counted:
    """Explore the module with the schedcheck of a checkout."""
    said, seconds = timed([checkout / ".venv/bin/python", "-c", RUN, module], checkout)
    return tuple(map(int, said.split())), seconds


def by_tlc(jar: Path, module: Path) -> Counted:
    """Explore the module with TLC."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for each in (*(ROOT / "tla").glob("*.tla"), module, module.with_suffix(".cfg")):
            shutil.copy(each, folder)
        said, seconds = timed(["java", "-cp", jar, "tlc2.TLC", "-workers", "1", module.stem], folder)
    found = TLC.search(said)
    assert found is not None, said
    generated, distinct, depth = map(int, found.groups())
    return (distinct, generated, depth), seconds


def measured(module: Path, runs: int, against: Path | None, jar: Path | None) -> None:
    """Print the medians for a module."""
    found: dict[str, list[Counted]] = {}
    for _ in range(runs):
        found.setdefault("here", []).append(checked(ROOT, module))
        if against is not None:
            found.setdefault("against", []).append(checked(against, module))
        if jar is not None:
            found.setdefault("TLC", []).append(by_tlc(jar, module))
    counts = {each for those in found.values() for each, _ in those}
    assert len(counts) == 1, counts
    ((distinct, generated, depth),) = counts
    print(f"{module.stem}: {distinct:,} distinct, {generated:,} generated, depth {depth}")
    for who, those in found.items():
        seconds = statistics.median(each for _, each in those)
        print(f"  {who:8} {seconds:7.2f} s of processor time, {generated / seconds:,.0f} generated states a second")


def main(arguments: Sequence[str] = ()) -> None:
    """Measure the modules named in the arguments."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.modules")
    parser.add_argument("modules", nargs="*", type=Path, default=[ROOT / each for each in MODULES])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--jar", type=Path)
    asked = parser.parse_args(arguments)
    for module in asked.modules:
        measured(module.resolve(), asked.runs, asked.against, asked.jar and asked.jar.resolve())


if __name__ == "__main__":
    main(sys.argv[1:])
