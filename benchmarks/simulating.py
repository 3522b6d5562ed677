"""Seconds of processor time that `simulate` takes: reading, building, one run, one judgement, and the share of cycles.

python -m benchmarks.simulating [NODES PODS] takes 1,000 nodes with 20,000 pods and then 5,000 with 50,000 by default. In 30
minutes 300 pods arrive, three nodes are drained, two become unreachable and one fails.
"""

import cProfile
import os
import pstats
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import schedcheck
from benchmarks.realistic import write
from schedcheck.checker.simulating.judging import Sampled, judged
from schedcheck.checker.simulating.running import Asked, run
from schedcheck.manifests.arriving import traits
from schedcheck.manifests.timelines import timeline
from schedcheck.model.simulation.simulation import Simulation
from schedcheck.model.simulation.timeline import Start

SIZES = ((1000, 20_000), (5000, 50_000))
JUDGED = 5
FORM = """{apiVersion: %s, kind: %s, metadata: {name: %s, namespace: team-1}, spec: {%s, template: {metadata: {labels:
      {app: %s}}, spec: {priority: %d, restartPolicy: %s, containers: [{name: main, image: x, resources: {requests: {cpu: %s,
      memory: 1Gi}}}]}}}}"""
JOB = FORM % ("batch/v1", "Job", "burst", "parallelism: 100", "burst", 0, "Never", "500m")
WEB = FORM % (
    "apps/v1", "Deployment", "new", "replicas: 200, selector: {matchLabels: {app: new}}", "new", 1000, "Always", '"1"'
)  # fmt: skip
TIMELINE = f"""apiVersion: schedcheck/v1alpha1
kind: Timeline
spec:
  until: 30m
  events:
  - at: 1m
    event: arrive
    manifest: {WEB}
  - at: 3m
    event: arrive
    runs: 5m
    manifest: {JOB}
  - {{at: 5m, event: drain, nodes: [node-1, node-2, node-3]}}
  - {{at: 8m, event: unreachable, nodes: [node-5, node-6]}}
  - {{at: 10m, event: fail, nodes: [node-7]}}
  - {{at: 20m, event: ready, nodes: [node-5, node-6]}}
"""


def started(folder: Path, nodes: int, pods: int) -> Start:
    """Return what the simulation of a realistic cluster starts with."""
    write(folder / "cluster.json", nodes, pods)
    (folder / "timeline.yaml").write_text(TIMELINE)
    begun = time.process_time()
    cluster = schedcheck.read(folder / "cluster.json")
    print(f"  reading {time.process_time() - begun:.1f} s", flush=True)
    planned = timeline(folder / "timeline.yaml", cluster)
    return Start(cluster.snapshot(), planned.until or 0.0, planned.events, traits(cluster))


def measured(start: Start) -> None:
    """Print the times of one run, its judgements, and what its cycles are spent on."""
    begun = time.process_time()
    simulation = Simulation(start)
    built = time.process_time()
    sampled = Sampled(simulation.scheduling, start.plugins, JUDGED, Random(0))
    simulation.scheduling.beginning = sampled.beginning
    simulation.seed(0, 0)
    while simulation.step():
        pass
    ended = time.process_time()
    for each in sampled.in_order():
        assert judged(each).difference is None
    judging = (time.process_time() - ended) / JUDGED
    steps = f"{simulation.scheduling.cycles:,} decisions, {simulation.agenda.done:,} actions"
    print(
        f"  building {built - begun:.1f} s, a run {ended - built:.1f} s ({steps}), a judgement {judging:.2f} s",
        flush=True,
    )
    with cProfile.Profile() as profile:
        run(Simulation(start), 0, Asked(judge=0))
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    times = {name: together for (_, _, name), (_, _, _, together, _) in stats.items()}
    shares = {name: 100 * times.get(name, 0.0) / times["_steps"] for name in ("schedule_one", "dry_run", "deliver")}
    print("  " + ", ".join(f"{name} {part:.0f}" for name, part in shares.items()) + " hundredths of a run", flush=True)


def main(sizes: Sequence[tuple[int, int]] = SIZES) -> None:
    """Print all for each size."""
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    for nodes, pods in sizes:
        print(f"{nodes} nodes, {pods} pods")
        with tempfile.TemporaryDirectory() as folder:
            measured(started(Path(folder), nodes, pods))


if __name__ == "__main__":
    main(((int(sys.argv[1]), int(sys.argv[2])),) if len(sys.argv) > 2 else SIZES)
