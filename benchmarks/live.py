"""Decisions a second of kube-scheduler itself, of the production scheduler and of the specification, in one run.

python -m benchmarks.live [VERSION [NODES PODS]] takes the newest version, whose witness make live builds, 1,000 nodes with 10,000
bound pods and then 5,000 with 50,000. kube-scheduler attempts one pod again and again, without assuming or binding it;
production schedules as many new pods and binds them. Both look at every node, and for preemption at a tenth of the
candidates, as is the default. Pods that preempt are measured twice: each alone, as with kube-scheduler, and beside the
nominations of those before, which stay. The specification is asked once, about at most 1,000 nodes.

By the clock kube-scheduler uses several cores, and production one. Where other work wants the cores, only processor time
says how much work a decision is; with C cores free, kube-scheduler can be at most C times as fast by the clock.
"""

import argparse
import time
from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path
from statistics import median
from typing import Any, Self

from benchmarks.clusters import Cluster, Rate
from benchmarks.scheduling import KINDS, ROUNDS, SIZES, TRIED, load
from schedcheck.manifests.snapshots import stored_objects
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.versions import NEWEST, VERSIONS
from schedcheck.spec.objects import Snapshot
from tests.live.versions import profiles
from tests.live.witness import Program

BUILT = Path("build") / "live"
LARGEST = 1000
"""The most nodes about which the specification is asked."""
RATES = (attrgetter("clock"), attrgetter("own"))
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


class Asked:
    """kube-scheduler itself, which holds the cluster and attempts its pending pod; a context manager."""

    def __init__(self, cluster: Cluster, version: str) -> None:
        program = str(BUILT / f"kube-scheduler-{version}")
        self._program = Program([program, "--as-stored", f"--time={TRIED}", f"--parallelism={GOROUTINES}"])
        self._said(question(cluster))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._program.close()

    def rate(self) -> Rate:
        """Return the attempts a second by the clock, and by the processor time of all its threads. Raises: Gone."""
        said = self._said("again")
        return Rate(1e9 / said["nanoseconds"], 1e9 / said["processor"])

    def _said(self, line: Any) -> dict[str, Any]:
        answer = self._program.ask(line)
        assert answer["host"] or answer["nominated"], answer
        return answer


def beside(cluster: Cluster, version: str, plugins: Plugins, alone: bool = False) -> tuple[list[Rate], list[Rate]]:
    """Return the rates of kube-scheduler and of production, in rounds that alternate, so that both meet the same load."""
    started = cluster.started(plugins)
    started.rate(TRIED // 4, alone=alone)
    with Asked(cluster, version) as witness:
        both = [(witness.rate(), started.rate(TRIED, alone=alone)) for _ in range(ROUNDS)]
    return [theirs for theirs, _ in both], [ours for _, ours in both]


def of_specification(cluster: Cluster, plugins: Plugins) -> float:
    """Return the decisions a second of the specification."""
    nodes, bound = cluster.objects()
    asked = cluster.pending(0)
    there = Snapshot.of([*bound, asked], nodes)
    start = time.perf_counter()
    assert decision(asked, there, plugins)
    return 1 / (time.perf_counter() - start)


def main(
    version: str = NEWEST.patch, sizes: Sequence[tuple[int, int]] = SIZES, kinds: Sequence[str] = KINDS
) -> None:  # fmt: skip
    """Print a line for each size and kind of cluster."""
    (plugins,) = profiles(version)
    for nodes, pods in sizes:
        print(f"{nodes} nodes, {pods} bound pods: decisions a second, median of {ROUNDS} rounds of {TRIED}")
        print(f"  {'':22s}{'by the clock':>27s}{'by processor time':>27s}{'specification':>15s}")
        print(f"  {'':22s}" + 2 * f"{'real':>9s}{'ours':>9s}{'times':>9s}")
        for kind in kinds:
            cluster = Cluster(kind, nodes, pods)
            spec = f"{of_specification(cluster, plugins):15.2f}" if nodes <= LARGEST else f"{'':15s}"
            for alone in (True, False) if cluster.full else (False,):
                theirs, ours = beside(cluster, version, plugins, alone)
                columns = "".join(
                    compared([get(each) for each in theirs], [get(each) for each in ours]) for get in RATES
                )
                print(f"  {kind + ', alone' * alone:22s}{columns}{spec}   {load()}", flush=True)


def compared(theirs: Sequence[float], ours: Sequence[float]) -> str:
    """Return both medians, and how many times as many ours is."""
    return f"{median(theirs):9.0f}{median(ours):9.0f}{median(ours) / median(theirs):9.1f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live", description=__doc__)
    parser.add_argument("version", nargs="?", default=NEWEST.patch, choices=[each.patch for each in VERSIONS.values()])
    parser.add_argument("size", nargs="*", type=int, help="one size instead of all: nodes, and bound pods")
    parser.add_argument("--kind", choices=KINDS, action="append", help="only this kind of pods; may be repeated")
    given = parser.parse_args()
    if len(given.size) not in (0, 2):
        parser.error("expected nodes and bound pods, or neither")
    main(given.version, (tuple(given.size),) if given.size else SIZES, given.kind or KINDS)
