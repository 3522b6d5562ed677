"""Questions about a realistic cluster in which pods end and nodes fail: how many are answered, and in which time.

python -m benchmarks.disturbed [NODES PODS EVENTS EACH SECONDS] asks with at most EVENTS events about EACH pending pods,
bound pods and budgets, drawn with one seed, each for at most SECONDS; by default about 15 of each on 100 nodes with
2,000 pods, for one event. Seconds are processor time of the whole command, reading included.
"""

import json
import re
import resource
import sys
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.realistic import write
from benchmarks.scale import FILE, run

DEFAULT = 100, 2_000, 1, 15, 20
SEED = 11
SCENARIO = {
    "apiVersion": "schedcheck/v1alpha1",
    "kind": "Scenario",
    "metadata": {"name": "disturbed"},
    "spec": {
        "events": ["complete", "delete", "fail", "unready", "cordon"],
        "controllers": ["owners", "lifecycle", "podgc", "disruption"],
    },
}
VERDICT = re.compile(r"^(HOLDS|VIOLATED|GAVE UP|UNKNOWN)", re.MULTILINE)


class Answer(NamedTuple):
    """A question, its verdict (empty if the command was refused), and the processor time in seconds."""

    kind: str
    name: str
    verdict: str
    seconds: float


def drawn(file: Path, each: int) -> list[tuple[str, str, str]]:
    """Return so many pending pods, bound pods and budgets: the kind, the option that asks, and the name."""
    items = json.loads(file.read_text())["items"]
    pods = [item for item in items if item["kind"] == "Pod"]
    kinds = {
        "pending": ("--pod", [item for item in pods if not item["spec"].get("nodeName")]),
        "bound": ("--pod", [item for item in pods if item["spec"].get("nodeName")]),
        "budget": ("--budget", [item for item in items if item["kind"] == "PodDisruptionBudget"]),
    }
    chance = Random(SEED)
    found = []
    for kind, (option, those) in kinds.items():
        names = sorted(f"{item['metadata']['namespace']}/{item['metadata']['name']}" for item in those)
        found += [(kind, option, name) for name in chance.sample(names, min(each, len(names)))]
    return found


def answers(nodes: int, pods: int, events: int, each: int, limit: float) -> list[Answer]:
    """Ask every question."""
    with TemporaryDirectory() as folder:
        file, scenario = Path(folder) / "cluster.json", Path(folder) / "scenario.json"
        write(file, nodes, pods)
        scenario.write_text(json.dumps(SCENARIO))
        found = []
        for kind, option, name in drawn(file, each):
            bounds = ("--events", str(events), "--time", f"{limit:g}")
            taken, ended = run(("check", option, name, *bounds, FILE, str(scenario)), file)
            verdict = VERDICT.search(ended.stdout)
            found.append(Answer(kind, name, verdict[1] if verdict else "", taken))
        return found


def main(nodes: int, pods: int, events: int, number: int, limit: float) -> None:
    """Print a table: a row for each kind of question and verdict, and the names of those that were given up."""
    found = answers(nodes, pods, events, number, limit)
    plural = "" if events == 1 else "s"
    table = Table(title=f"{nodes:,} nodes, {pods:,} pods, at most {events} event{plural}: seconds of the processor")
    for heading in ("question", "verdict", "number", "median", "longest"):
        table.add_column(heading, justify="left" if heading in ("question", "verdict") else "right")
    for kind, verdict in dict.fromkeys((each.kind, each.verdict) for each in found):
        taken = [each.seconds for each in found if (each.kind, each.verdict) == (kind, verdict)]
        table.add_row(kind, verdict or "refused", str(len(taken)), f"{median(taken):.1f}", f"{max(taken):.1f}")
    console = Console()
    console.print(table)
    for each in found:
        if each.verdict not in ("HOLDS", "VIOLATED"):
            console.print(f"{each.verdict or 'refused'}: {each.kind} {each.name}")
    console.print(f"at most {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:,.0f} MiB")


if __name__ == "__main__":
    given = tuple(map(int, sys.argv[1:])) or DEFAULT
    main(*given)
