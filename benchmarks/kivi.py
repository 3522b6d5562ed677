"""Published cases beside Kivi, the verifier of its authors: `python -m benchmarks.kivi FOLDER [SIZES…]`.

FOLDER is a checkout of Kivi with SPIN as its `install.sh` leaves it, in `libs/Spin/Src/spin`; without either Kivi is
skipped. Both programs get the same clusters, of SIZES nodes (3, 6 and 10 if none are given), and run in turn as processes of
their own. Shown are medians of five runs, or of `--runs`: the processor time of all processes, start and compilation included,
and the elapsed time. Python keeps the bytecode of both programs, as it does once they are installed.

- `c1`: a Deployment beside an autoscaler, whose pods use all of what they request while they start, and later less. We ask
  whether the replicas exceed what the later load needs; Kivi asks whether they reach the maximum and fall again.
- `c2`: a manifest without the field `replicas` is applied beside an autoscaler. Each node has one pod.
- `c3`: two spread constraints. Each node but one has two pods, zone 1 has one node more, and one pod is added. Kivi takes the
  next odd number of nodes, and so do we.
- `c4`: a node panics if less than 2 % of it is free, and three pods fill a node so far. There are two pods for each node, which
  Kivi binds first and we take as bound, and one more. We ask whether pods are lost; Kivi asks whether a node panics three times.
- `c5`: RemoveDuplicates of the descheduler against the scheduler. Three nodes of five have one pod and no room, one has
  three pods, and one four.

Kivi stops at the first violation that its assertions find, under its choices of a node and with its events; schedcheck
explores every state, unless the search for loops finds a violation before.
"""

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

Json = dict[str, Any]

RUNS = 5
SIZES = (3, 6, 10)
PATIENCE = 300
"""The seconds after which a run is ended."""

COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment of the runs."""

SPIN = Path("libs/Spin/Src/spin")
OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "web", "controller": True}


class Case(NamedTuple):
    """A case: its name in Kivi, its objects for a number of nodes, and its scenario."""

    name: str
    objects: Callable[[int], Iterator[Json]]
    scenario: Callable[[int], Json]


def node(number: int, cpu: int, zone: int) -> Json:
    """Return a node."""
    labels = {"kubernetes.io/hostname": f"n{number:02}", "topology.kubernetes.io/zone": f"z{zone}"}
    room = {"cpu": str(cpu), "memory": "64Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": labels["kubernetes.io/hostname"], "labels": labels},
        "status": {"allocatable": room},
    }


def pod_spec(cpu: int) -> Json:
    """Return what a pod of the workload requests."""
    return {"containers": [{"name": "main", "image": "web:1", "resources": {"requests": {"cpu": str(cpu)}}}]}


def pod(number: int, on: int | None, spread: Sequence[str] = (), cpu: int = 8, of: str = "web") -> Json:
    """Return a pod of the workload, on the node of this number if it is on one."""
    spec = pod_spec(cpu)
    spec |= {} if on is None else {"nodeName": f"n{on:02}"}
    if spread:
        spec["topologySpreadConstraints"] = [
            {
                "maxSkew": 1,
                "topologyKey": key,
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"app": "web"}},
            }
            for key in spread
        ]
    meta = {"name": f"web-{number:02}", "labels": {"app": "web"}, "ownerReferences": [OWNER | {"name": of}]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta,
        "spec": spec,
        "status": {"phase": "Running" if on is not None else "Pending"},
    }


def workload(replicas: int, least: int, most: int) -> Iterator[Json]:
    """Yield a Deployment with an autoscaler of it, whose target is half of what its pods request."""
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod_spec(8)}
    yield {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template},
    }
    metric = {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
    }
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    yield {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web"},
        "spec": {"scaleTargetRef": target, "minReplicas": least, "maxReplicas": most, "metrics": [metric]},
    }


def starting(size: int) -> Iterator[Json]:
    """Yield the cluster of `c1`: empty nodes, and a Deployment without pods."""
    yield from (node(place, 64, 1) for place in range(size))
    yield from workload(few(size), few(size), 2 * size)


def few(size: int) -> int:
    """Return the replicas that `c1` begins with."""
    return max(1, size // 5)


def applied(size: int) -> Iterator[Json]:
    """Yield the cluster of `c2`."""
    for place in range(size):
        yield node(place, 64, 1)
        yield pod(place, place, of="web-5d7c9b6f4")
    yield from workload(size, size, size + 2)


def panicking(size: int) -> Iterator[Json]:
    """Yield the cluster of `c4`: two pods on each node, and one that waits."""
    yield from (node(place, 64, 1) for place in range(size))
    yield from (pod(number, number // 2, cpu=21) for number in range(2 * size))
    yield pod(2 * size, None, cpu=21)


def constrained(size: int) -> Iterator[Json]:
    """Yield the cluster of `c3`: with an odd number of nodes, the middle one with one pod, and one pod without a node."""
    half = size // 2
    size, number = 2 * half + 1, 0
    for place in range(size):
        yield node(place, 64, 1 + (place > half))
    for place in range(size):
        for _ in range(1 if place == half else 2):
            yield pod(number, place, SPREAD)
            number += 1
    yield pod(number, None, SPREAD)


SPREAD = ("kubernetes.io/hostname", "topology.kubernetes.io/zone")


def duplicated(size: int) -> Iterator[Json]:
    """Yield the cluster of `c5`."""
    alone, three = math.ceil(size * 3 / 5), math.ceil(size / 5)
    number = 0
    for place in range(size):
        yield node(place, 12 if place < alone else 64, 1)
    for place in range(size):
        for _ in range(1 if place < alone else 3 if place < alone + three else 4):
            yield pod(number, place)
            number += 1


POLICY = {
    "apiVersion": "descheduler/v1alpha2",
    "kind": "DeschedulerPolicy",
    "profiles": [
        {
            "name": "drawn",
            "pluginConfig": [{"name": "RemoveDuplicates"}],
            "plugins": {"balance": {"enabled": ["RemoveDuplicates"]}},
        }
    ],
}

CASES = (
    Case(
        "c1",
        starting,
        lambda size: {
            "controllers": ["kubelet", {"autoscaler": {"readings": [37], "starting": [100]}}],
            "properties": [f"never_above(app=web, {few(size)})"],
        },
    ),
    Case(
        "c2",
        applied,
        lambda size: {
            "controllers": ["kubelet", {"autoscaler": {"readings": [200]}}],
            "events": [{"event": "apply", "replicas": "missing", "bound": 1}],
            "properties": [f"never_below(app=web, {size})"],
        },
    ),
    Case(
        "c3",
        constrained,
        lambda size: {"controllers": ["owners"], "properties": [f"replicas_reached(app=web, {4 * (size // 2) + 2})"]},
    ),
    Case(
        "c4",
        panicking,
        lambda size: {
            "controllers": ["owners", "podgc"],
            "events": [{"event": "fail", "when": "free_below(this, cpu, 2%)"}, "return"],
            "properties": [f"never_below(app=web, {2 * size})"],
        },
    ),
    Case(
        "c5",
        duplicated,
        lambda size: {"controllers": ["owners", {"descheduler": POLICY}], "properties": ["comes_to_rest"]},
    ),
)


class Run(NamedTuple):
    """A run: processor seconds, elapsed seconds, and what it found."""

    processor: float
    elapsed: float
    found: str


def timed(command: Sequence[str], folder: Path, told: Callable[[str], str]) -> Run:
    """Run a program, and return its times with what it told."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    try:
        out = subprocess.run(
            command, cwd=folder, env=COMPILED, capture_output=True, text=True, timeout=PATIENCE, check=False
        ).stdout
        found = told(out)
    except subprocess.TimeoutExpired:
        found = f"no answer in {PATIENCE} s"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(spent, time.perf_counter() - begun, found)


def told_by_kivi(out: str) -> str:
    """Return the intents that Kivi says are violated."""
    lines = [line.partition(":")[2].strip() for line in out.splitlines() if "Violating intent" in line]
    return f"violated: {', '.join(lines)}" if lines else "no failure found" if "No failure" in out else "no answer"


def told_by_us(out: str) -> str:
    """Return the verdict, and the number of states."""
    answer = json.loads(out)
    return f"{answer['verdict']}, {answer['counts']['distinct']:,} states"


def kivi(peer: Path, case: Case, size: int) -> Run:
    """Run Kivi on its own case, of this size, without its search for smaller ones."""
    command = [sys.executable, "kivi_runner.py", "--original", "--case", case.name, "--scale", str(size)]
    return timed(command, peer / "bin", told_by_kivi)


def ours(folder: Path) -> Run:
    """Run schedcheck on the files of a folder."""
    command = [sys.executable, "-m", "schedcheck", "check", "--format", "json", "--quiet", str(folder)]
    return timed(command, Path.cwd(), told_by_us)


def written(case: Case, size: int, folder: Path) -> None:
    """Write the cluster and the scenario of a case."""
    write_files(case.objects(size), case.name, case.scenario(size), folder)


def write_files(objects: Iterable[Json], name: str, spec: Json, folder: Path) -> None:
    """Write a cluster of these objects, and a scenario of this name, into a folder."""
    cluster = {"apiVersion": "v1", "kind": "List", "items": [*objects]}
    scenario = {"apiVersion": "schedcheck/v1alpha1", "kind": "Scenario", "metadata": {"name": name}, "spec": spec}
    (folder / "cluster.json").write_text(json.dumps(cluster))
    (folder / "scenario.json").write_text(json.dumps(scenario))


def shown(name: str, runs: Sequence[Run]) -> str:
    """Return the medians of the runs of one program."""
    processor, elapsed = (
        statistics.median(times) for times in zip(*((run.processor, run.elapsed) for run in runs), strict=True)
    )
    found = "; ".join(sorted({run.found for run in runs}))
    return f"  {name:<10} {processor:7.2f} s of processor time, {elapsed:7.2f} s elapsed: {found}"


def main(given: Sequence[str] | None = None) -> None:
    """Time every case of every size."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kivi", description="Published cases beside Kivi.")
    parser.add_argument("folder", nargs="?", default="", help="a checkout of Kivi with SPIN; skipped without")
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, help="numbers of nodes")
    parser.add_argument("--runs", type=int, default=RUNS, help="how often each is run")
    asked = parser.parse_args(given)
    folder = asked.folder
    peer = Path(folder).resolve()
    there = folder != "" and (peer / "bin" / "kivi_runner.py").is_file() and (peer / SPIN).exists()
    if not there:
        print(f"Kivi: skipped: {folder or 'no folder'} has not both bin/kivi_runner.py and {SPIN}")
    for case in CASES:
        for size in asked.sizes or SIZES:
            with TemporaryDirectory() as place:
                written(case, size, Path(place))
                runs: dict[str, list[Run]] = {}
                for _ in range(asked.runs):
                    if there:
                        runs.setdefault("Kivi", []).append(kivi(peer, case, size))
                    runs.setdefault("schedcheck", []).append(ours(Path(place)))
            print(f"{case.name}, {size} nodes, medians of {asked.runs}", flush=True)
            for name, each in runs.items():
                print(shown(name, each), flush=True)


if __name__ == "__main__":
    main()
