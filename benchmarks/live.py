"""Decisions a second of kube-scheduler itself, of the production scheduler and of the specification, in one run.

python -m benchmarks.live [VERSION [NODES PODS]] takes the newest version, whose witness make live builds, 1,000 nodes with 10,000
bound pods and then 5,000 with 50,000. kube-scheduler attempts one pod again and again, without assuming or binding it;
production schedules as many new pods and binds them. Both look at every node. The specification is asked once, about
at most 1,000 nodes.
"""

import argparse
import json
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.clusters import Cluster
from benchmarks.scheduling import KINDS, SIZES, TRIED, load, rates
from schedcheck.manifests.snapshots import stored_objects
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.versions import NEWEST, VERSIONS
from schedcheck.spec.objects import Snapshot
from tests.live.versions import profiles

BUILT = Path("build") / "live"
LARGEST = 1000
"""The most nodes about which the specification is asked."""
GOROUTINES = 16
"""The parallelism that kube-scheduler has by default."""


def question(cluster: Cluster) -> dict[str, Any]:
    """Return the cluster with its first pending pod as a case for the witness."""
    nodes, bound = cluster.objects()
    asked = cluster.pending(0)
    listed: dict[str, list[Any]] = {"Node": [], "Pod": []}
    for each in stored_objects(Snapshot.of([*bound, asked], nodes)):
        listed.setdefault(each["kind"], []).append(each)
    pending = next(each for each in listed["Pod"] if each["metadata"]["name"] == asked.name)
    bound_pods = [each for each in listed["Pod"] if each is not pending]
    return {"id": cluster.kind, "nodes": listed["Node"], "pods": bound_pods, "pod": pending}


def of_witness(cluster: Cluster, version: str) -> float:
    """Return the attempts a second of kube-scheduler itself. Raises: CalledProcessError."""
    command = [
        str(BUILT / f"kube-scheduler-{version}"), "--as-stored", f"--time={TRIED}", f"--parallelism={GOROUTINES}",
    ]  # fmt: skip
    told = subprocess.run(
        command, input=json.dumps(question(cluster)) + "\n", capture_output=True, text=True, check=True
    )
    answer = json.loads(told.stdout)
    assert answer["host"] or answer["nominated"], answer
    return 1e9 / float(answer["nanoseconds"])


def of_specification(cluster: Cluster, plugins: Plugins) -> float:
    """Return the decisions a second of the specification."""
    nodes, bound = cluster.objects()
    asked = cluster.pending(0)
    there = Snapshot.of([*bound, asked], nodes)
    start = time.perf_counter()
    assert decision(asked, there, plugins)
    return 1 / (time.perf_counter() - start)


def main(version: str = NEWEST.patch, sizes: Sequence[tuple[int, int]] = SIZES) -> None:
    """Print a line for each size and kind of cluster."""
    (plugins,) = profiles(version)
    for nodes, pods in sizes:
        print(f"{nodes} nodes, {pods} bound pods: decisions a second")
        print(f"  {'':22s}{'kube-scheduler':>16s}{'production':>12s}{'times':>8s}{'specification':>15s}")
        for kind in KINDS:
            cluster = Cluster(kind, nodes, pods)
            theirs = of_witness(cluster, version)
            ours = median(rates(cluster.started(plugins))[0])
            spec = f"{of_specification(cluster, plugins):15.2f}" if nodes <= LARGEST else f"{'':15s}"
            print(f"  {kind:22s}{theirs:16.0f}{ours:12.0f}{ours / theirs:8.1f}{spec}   {load()}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live", description=__doc__)
    parser.add_argument("version", nargs="?", default=NEWEST.patch, choices=[each.patch for each in VERSIONS.values()])
    parser.add_argument("size", nargs="*", type=int, help="one size instead of all: nodes, and bound pods")
    given = parser.parse_args()
    if len(given.size) not in (0, 2):
        parser.error("expected nodes and bound pods, or neither")
    main(given.version, (tuple(given.size),) if given.size else SIZES)
