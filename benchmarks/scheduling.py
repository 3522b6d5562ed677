"""Pods a second that the production scheduler places, filtering every node, compared with kube-scheduler v1.34.

python -m benchmarks.scheduling [NODES PODS] takes 1,000 nodes with 10,000 bound pods and then 5,000 with 50,000 by
default, and then prints how the cost grows and what it is spent on. kube-scheduler was measured on a machine of the
same kind, with two cores; of its clusters only the size and the kind of pods are known.
"""

import cProfile
import os
import pstats
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.clusters import Cluster, Started

SIZES = ((1000, 10_000), (5000, 50_000))
KUBE_SCHEDULER = {
    1000: {"plain": 331, "topology spread": 188, "anti-affinity": 170, "preferred affinity": 169, "preemption": 27},
    5000: {"plain": 68, "topology spread": 23, "anti-affinity": 25, "preferred affinity": 35, "preemption": 9},
}
WITH_FIGURES = {"anti-affinity of all": "anti-affinity", "anti-affinity of many": "anti-affinity"}
"""Kinds without a figure of kube-scheduler, and the kind whose figure is shown for them."""
KINDS = (
    "plain", "topology spread", "anti-affinity", "anti-affinity of all", "anti-affinity of many", "preferred affinity",
    "preemption",
)  # fmt: skip
ROUNDS, TRIED = 5, 40
POINTS = ("pre_filter", "filter", "pre_score", "score", "normalize", "add_pods", "remove_pods")


def rates(started: Started) -> tuple[list[float], list[float]]:
    """Return the rates of the rounds by the clock and by processor time, sorted, after a round that does not count."""
    started.rate(TRIED // 4)
    clock, own = zip(*(started.rate(TRIED) for _ in range(ROUNDS)), strict=True)
    return sorted(clock), sorted(own)


def load() -> str:
    return f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores"


def beside(sizes: Sequence[tuple[int, int]]) -> None:
    """Print a line for each kind of pod: our rate, that of kube-scheduler, and the ratio."""
    for nodes, pods in sizes:
        print(f"{nodes} nodes, {pods} bound pods: pods a second, median of {ROUNDS} rounds of {TRIED} (least, most)")
        print(f"  {'':22s}{'by the clock':>21s}{'own time':>10s}{'kube-scheduler':>16s}{'times':>8s}")
        for kind in KINDS:
            clock, own = rates(Cluster(kind, nodes, pods).started())
            ours = median(clock)
            theirs = KUBE_SCHEDULER.get(nodes, {}).get(WITH_FIGURES.get(kind, kind))
            compared = f"{theirs:16d}{ours / theirs:8.1f}" if theirs else " " * 24
            spread = f"({clock[0]:.0f}, {clock[-1]:.0f})"
            print(f"  {kind:22s}{ours:7.0f} {spread:>13s}{median(own):10.0f}{compared}   {load()}", flush=True)


def growth() -> None:
    """Print the milliseconds of processor time a pod as nodes, pods or constraints grow."""
    measured = (
        ("nodes, with 8,000 pods", KINDS, {n: (n, 8000, 1) for n in (500, 1000, 2000, 4000)}),
        ("pods, on 1,000 nodes", KINDS, {p: (1000, p, 1) for p in (5000, 10_000, 20_000, 40_000)}),
        ("constraints, on 1,000 nodes with 10,000 pods", KINDS[1:-1], {c: (1000, 10_000, c) for c in (1, 2, 4, 8)}),
    )
    for title, kinds, sizes in measured:
        print(f"milliseconds of processor time a pod over {title}")
        print(f"  {'':22s}" + "".join(f"{grown:8d}" for grown in sizes))
        for kind in kinds:
            found = [1000 / median(rates(Cluster(kind, *size).started())[1]) for size in sizes.values()]
            print(f"  {kind:22s}" + "".join(f"{each:8.2f}" for each in found), flush=True)


def spent(nodes: int, pods: int) -> None:
    """Print the share of each plugin and extension point in a cycle, the greatest first, and the rest."""
    print(f"what cycles are spent on at {nodes} nodes with {pods} bound pods, in hundredths")
    for kind in KINDS:
        started = Cluster(kind, nodes, pods).started()
        started.rate(TRIED // 4)
        with cProfile.Profile() as profile:
            started.rate(TRIED)
        print(f"  {kind:22s}{', '.join(shares(pstats.Stats(profile)))}", flush=True)


def shares(stats: pstats.Stats) -> list[str]:
    """Return the plugins and points that take more than two hundredths, and the share outside the plugins."""
    times: dict[tuple[str, str, str], float] = {
        (Path(file).parent.name, Path(file).stem, name): together
        for (file, _, name), (_, _, _, together, _) in stats.stats.items()  # type: ignore[attr-defined]
    }
    whole = times["benchmarks", "clusters", "tried"]
    plugins = {each: time for each, time in times.items() if each[0] == "plugins" and each[2] in POINTS}
    greatest = sorted(plugins.items(), key=lambda each: -each[1])
    said = [f"{plugin} {point} {100 * time / whole:.0f}" for (_, plugin, point), time in greatest if time > whole / 50]
    said.append(f"beside the plugins {100 * (1 - sum(plugins.values()) / whole):.0f}")
    trial = times.get(("preemption", "victims", "dry_run"), 0.0)
    return [*said, f"(all of the dry run {100 * trial / whole:.0f})"] if trial else said


def main(sizes: Sequence[tuple[int, int]] = SIZES) -> None:
    """Print all three."""
    beside(sizes)
    growth()
    spent(*sizes[-1])


if __name__ == "__main__":
    main(((int(sys.argv[1]), int(sys.argv[2])),)) if len(sys.argv) > 2 else main()
