"""Seconds and MiB that `replay` takes for records of the production scheduler, and whether planted mistakes are found.

python -m benchmarks.replaying [NODES PODS DECISIONS] takes 500 nodes, 10,000 pods and 10,000 decisions by default.
"""

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import schedcheck
from benchmarks.planting import PLANTED
from benchmarks.realistic import write as write_cluster
from benchmarks.traces import Line, record, write
from schedcheck.manifests.arriving import traits
from schedcheck.manifests.timelines import timeline
from schedcheck.model.simulation.simulation import Simulation
from schedcheck.model.simulation.timeline import Start
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.profiles import departing

SIZE = (500, 10_000, 10_000)
MOST_PLANTED = 20_000
"""The most decisions of a record in which mistakes are planted; it is held in memory."""
FORM = """{apiVersion: %s, kind: %s, metadata: {name: %s, namespace: team-1}, spec: {%s, template: {metadata: {labels:
      {app: %s}}, spec: {priority: %d, restartPolicy: %s, containers: [{name: main, image: x, resources: {requests: {cpu: %s,
      memory: 256Mi}}}]}}}}"""


def events(nodes: int) -> str:
    """Return a timeline in which jobs come and go, some of them preempt, and nodes are drained."""
    batch = FORM % ("batch/v1", "Job", "batch", f"parallelism: {max(4, nodes // 20)}", "batch", 0, "Never", "700m")
    urgent = FORM % (
        "batch/v1",
        "Job",
        "urgent",
        f"parallelism: {max(1, nodes // 250)}",
        "urgent",
        1000,
        "Never",
        '"7"',
    )
    web = FORM % (
        "apps/v1", "Deployment", "new", f"replicas: {max(2, nodes // 50)}, selector: {{matchLabels: {{app: new}}}}", "new", 0,
        "Always", "300m",
    )  # fmt: skip
    return f"""apiVersion: schedcheck/v1alpha1
kind: Timeline
spec:
  until: 100h
  events:
  - {{rate: 20/m, event: arrive, runs: 2m, manifest: {batch}}}
  - {{rate: 4/m, event: arrive, runs: 3m, manifest: {urgent}}}
  - {{rate: 2/m, event: arrive, manifest: {web}}}
  - {{rate: 20/h, event: drain, nodes: [node-1, node-2, node-3]}}
  - {{rate: 20/h, event: uncordon, nodes: [node-1, node-2, node-3]}}
"""


def started(folder: Path, nodes: int, pods: int) -> Start:
    """Return what the run begins with, and write its cluster."""
    write_cluster(folder / "cluster.json", nodes, pods)
    (folder / "timeline.yaml").write_text(events(nodes))
    cluster = schedcheck.read(folder / "cluster.json")
    planned = timeline(folder / "timeline.yaml", cluster)
    plugins = tuple(departing("kubernetes", (DEFAULT_PLUGINS,)))
    return Start(cluster.snapshot(), planned.until or 0.0, planned.events, traits(cluster), plugins)


def recorded(folder: Path, nodes: int, pods: int, decisions: int) -> Path:
    """Record a run, and return the file."""
    begun = time.process_time()
    write(record(Simulation(started(folder, nodes, pods)), 0, decisions), folder / "trace.jsonl")
    print(f"  recording {time.process_time() - begun:.0f} s", flush=True)
    return folder / "trace.jsonl"


def replayed(trace: Path, cluster: Path) -> schedcheck.Replayed:
    """Replay a record, and print what it takes."""
    begun, elapsed = time.process_time(), time.perf_counter()
    found = schedcheck.replay(trace, schedcheck.read(cluster, whole=False))
    cost = f"{time.process_time() - begun:.0f} s of processor time, {time.perf_counter() - elapsed:.0f} s elapsed"
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    counts = ", ".join(f"{number:,} {verdict}" for verdict, number in found.verdicts.items() if number)
    print(
        f"  {trace.name}: {cost}, at most {most:,} MiB: {counts}, {found.outcome.explained:,} by another knowledge",
        flush=True,
    )
    return found


def planted(folder: Path, trace: Path) -> None:
    """Plant each mistake, and print where it is and where it is found."""
    lines: list[Line] = [json.loads(line) for line in trace.read_text().splitlines()]
    items = json.loads((folder / "cluster.json").read_text())["items"]
    for name, plant in PLANTED.items():
        made = plant(items, lines, Random(name))
        write(made.lines, folder / f"{name}.jsonl")
        found = replayed(folder / f"{name}.jsonl", folder / "cluster.json").first
        line = found.decided.line if found is not None else None
        print(
            f"    planted in line {made.place + 1}, overcommits in line {made.found + 1}, found in line {line}",
            flush=True,
        )


def main(nodes: int, pods: int, decisions: int) -> None:
    """Print all for one size."""
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    print(f"{nodes} nodes, {pods} pods, {decisions} decisions")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trace = recorded(folder, nodes, pods, decisions)
        replayed(trace, folder / "cluster.json")
        if decisions <= MOST_PLANTED:
            planted(folder, trace)


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:4]]
    main(*(given or SIZE))
