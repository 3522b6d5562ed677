"""Speed of the tabulated explorer with kube-scheduler's default profile, and the cost of the specification's answers.

python -m benchmarks.kubernetes [SCENE …] [--more PODS] [--workers N …] [--profile] runs the scenes of `SCENES`, with
PODS more pods than by default. Each row is one run that begins with empty tables; the loops are compiled before. With
one worker the time is that of the process, so that a busy machine does not count; with several it is elapsed time.
*Questions* are those that the specification was asked: about a pod and a node, whether the pod fits and which victims
it needs; about a bound pod, what else may happen to it. The last two columns are of a second run, which begins with the
answers of the first. `--profile` shows where the time of answering goes.
"""

import argparse
import cProfile
import os
import pstats
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy.typing as npt
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from schedcheck.checker.check import properties
from schedcheck.checker.exploring.memo import remembering
from schedcheck.checker.limits.cores import cores
from schedcheck.checker.result import Bounds
from schedcheck.checker.tabulated.answers.kube import Kube
from schedcheck.checker.tabulated.answers.oracle import Oracle
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.arrays import Buffers
from schedcheck.checker.tabulated.results.states import Judging
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.model.profiles import judging, profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, SpreadConstraint, Toleration
from schedcheck.spec.properties.kinds import Always, Sometimes, Step
from tests.support.building import (
    GPU,
    HOSTNAME,
    apart,
    container,
    node,
    on_nodes,
    on_pods,
    pod,
    scenario,
    selector,
    term,
)

ACCELERATOR = "nvidia.com/gpu"
ZONE = "topology.kubernetes.io/zone"
HEADINGS = (
    "scene", "pods", "cores", "distinct", "generated", "questions", "exploring s", "answering s",
    "distinct/s", "exploring alone", "again s", "distinct/s",
)  # fmt: skip


def preemption(more: int = 0) -> Scenario:
    """Return pods of four priorities and three sizes on nodes that hold half of them; one node may be cordoned."""
    priorities, requests = (0, 0, 10, 10, 100, 1000, 0, 10), (1, 2, 1, 2, 2, 3, 1, 1)
    pods = [
        pod(f"p{number}", cpu, priority=priority)
        for number, (priority, cpu) in enumerate(zip(priorities, requests, strict=True), 1)
    ]
    return moving(pods[: 6 + more], [node("n1", 3), node("n2", 3), node("n3", 4)])


def budgets(more: int = 0) -> Scenario:
    """Return replicas with a disruption budget, some of which may be evicted, and the disruption controller."""
    web = [pod(f"web-{number}", 2, priority=10, labels={"app": "web"}) for number in range(1, 5 + more)]
    urgent = [pod(f"urgent-{number}", 2, priority=100) for number in (1, 2)]
    protecting = PodDisruptionBudget("web", selector=selector(app="web"), min_available=2)
    nodes = [node("n1", 4), node("n2", 4), node("n3", 2)]
    return moving([*web, *urgent], nodes, budgets=(protecting,), controllers=frozenset({"disruption"}))


def anti_affinity(more: int = 0) -> Scenario:
    """Return two applications: at most one pod on a node of one, at most one in a zone of the other."""
    db = [keeping_apart(f"db-{number}", HOSTNAME) for number in range(1, 5)]
    web = [keeping_apart(f"web-{number}", ZONE) for number in range(1, 6 + more)]
    return moving([*db, *web], in_zones(4))


def spread(more: int = 0) -> Scenario:
    """Return replicas that are spread over two zones of two nodes each, and other pods that take room."""
    evenly = SpreadConstraint(1, ZONE, selector=selector(app="web"))
    web = [pod(f"web-{number}", 1, labels={"app": "web"}, spread=(evenly,)) for number in range(1, 6 + more)]
    jobs = [pod(f"job-{number}", 2, labels={"app": "job"}) for number in (1, 2)]
    return moving([*web, *jobs], in_zones(4))


def gpus(more: int = 0) -> Scenario:
    """Return pods that request GPUs and tolerate the taint of GPU nodes, and other pods that do not tolerate it."""
    training = [with_devices(f"training-{number}", 1, 10) for number in range(1, 4)]
    inference = [with_devices(f"inference-{number}", 2, 100) for number in (1, 2)]
    web = [pod(f"web-{number}", 2, priority=50) for number in range(1, 5 + more)]
    nodes = [
        node("cpu-1", 4),
        node("gpu-1", 8, taints=(GPU,), allocatable={ACCELERATOR: 2}),
        node("gpu-2", 8, taints=(GPU,), allocatable={ACCELERATOR: 2}),
    ]
    return moving([*training, *inference, *web], nodes)


SCENES: Mapping[str, Callable[[int], Scenario]] = {
    "preemption": preemption,
    "budgets": budgets,
    "anti-affinity": anti_affinity,
    "spread": spread,
    "gpus": gpus,
}


def moving(pods: Sequence[Pod], nodes: Sequence[Node], **fields: Any) -> Scenario:
    """Return a scenario in which these pods arrive and complete, and the first node is cordoned and uncordoned."""
    names = " ".join(each.name for each in pods)
    first = nodes[0].name
    rules = [
        on_pods("arrive", names),
        on_pods("complete", names),
        on_nodes("cordon", first),
        on_nodes("uncordon", first),
    ]
    return scenario(*pods, *nodes, absent="*", rules=rules, profile="kubernetes", **fields)


def keeping_apart(name: str, key: str) -> Pod:
    """Return a pod with anti-affinity to its own application in its domain."""
    app = name.partition("-")[0]
    return pod(name, 1, labels={"app": app}, affinity=apart(term(key, selector(app=app))))


def in_zones(count: int) -> list[Node]:
    """Return `count` nodes, alternating between two zones."""
    return [
        node(f"n{number}", 3, labels={HOSTNAME: f"n{number}", ZONE: "ab"[number % 2]}) for number in range(1, count + 1)
    ]


def with_devices(name: str, devices: int, priority: int) -> Pod:
    """Return a pod that requests `devices` GPUs."""
    wanted: dict[str, Any] = {ACCELERATOR: devices}
    tolerations = (Toleration("gpu", "Exists"),)
    return pod(name, priority=priority, tolerations=tolerations, containers=(container(1, **wanted),))


class Measured(NamedTuple):
    """The counts and times of one run."""

    distinct: int
    generated: int
    asked: tuple[int, ...]
    exploring: float
    answering: float


def explorer_of(scene: Scenario, workers: int) -> Explorer:
    """Return the explorer of the scenario with its default properties and empty tables."""
    judge = remembering(judging(scene), scene.pods)
    machine = Reference(scene, remembering(profile_of(scene), scene.pods))
    asked = properties(scene, judge, symmetry=False)
    of_steps = [each for each in asked if isinstance(each, Step)]
    plan = Plan(machine, judge, of_steps)
    states = Judging(plan, [each for each in asked if isinstance(each, Always | Sometimes)])
    return Explorer(plan, Oracle(plan, Kube(plan, of_steps)), judge=states, workers=workers)


def timed(explorer: Explorer, clock: Callable[[], float]) -> list[float]:
    """Return a list to which the duration of each answering is appended."""
    took: list[float] = []
    answer = explorer.answer

    def answered(level: Words, buffers: Buffers, missing: int) -> None:
        before = clock()
        answer(level, buffers, missing)
        took.append(clock() - before)

    explorer.answer = answered  # type: ignore[method-assign]
    return took


def compiled(scene: Scenario, workers: int) -> None:
    """Compile the loops that the scene needs."""
    explorer = explorer_of(scene, workers)
    explorer.bounds = Bounds(max_states=1000)
    explorer.run()


def measured(
    scene: Scenario, workers: int, arrays: Mapping[str, npt.NDArray[Any]] | None = None, profile: bool = False
) -> tuple[Measured, Mapping[str, npt.NDArray[Any]]]:
    """Measure one run, which may begin with given answers; return the figures and its answers."""
    explorer = explorer_of(scene, workers)
    if arrays is not None and not explorer.oracle.take(arrays):
        raise ValueError("the answers are of another scene")
    watched = cProfile.Profile()
    if profile:
        answer = explorer.answer
        explorer.answer = lambda *given: watched.runcall(answer, *given)  # type: ignore[method-assign]
    clock = time.process_time if workers == 1 else time.perf_counter
    answering = timed(explorer, clock)
    before = clock()
    explorer.run()
    passed = clock() - before
    if profile:
        pstats.Stats(watched).sort_stats("cumtime").print_stats(40)
    progress = explorer.progress()
    found = Measured(
        progress.distinct,
        progress.generated,
        tuple(explorer.oracle.asked),
        passed - sum(answering),
        sum(answering),
    )
    return found, explorer.oracle.arrays()


def row(name: str, more: int, workers: int, profile: bool) -> list[str]:
    """Return the figures of one scene."""
    scene = SCENES[name](more)
    compiled(scene, workers)
    found, arrays = measured(scene, workers, profile=profile)
    again, _ = measured(scene, workers, arrays)
    assert (again.distinct, again.generated, sum(again.asked)) == (found.distinct, found.generated, 0)
    return [
        name,
        str(len(scene.pods)),
        str(workers),
        f"{found.distinct:,}",
        f"{found.generated:,}",
        " ".join(map(str, found.asked)),
        f"{found.exploring:.2f}",
        f"{found.answering:.2f}",
        f"{found.distinct / (found.exploring + found.answering):,.0f}",
        f"{found.distinct / found.exploring:,.0f}",
        f"{again.exploring:.2f}",
        f"{again.distinct / again.exploring:,.0f}",
    ]


def main(arguments: Sequence[str] = ()) -> None:
    """Print a table of the scenes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kubernetes")
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=f"one of {', '.join(SCENES)}")
    parser.add_argument("--more", type=int, default=0)
    parser.add_argument("--workers", type=int, nargs="+", default=sorted({1, cores()}))
    parser.add_argument("--profile", action="store_true")
    given = parser.parse_args(arguments)
    if unknown := set(given.scenes) - set(SCENES):
        parser.error(f"no such scene: {', '.join(sorted(unknown))}")
    console = Console(width=170)
    table = Table(title=f"load {os.getloadavg()[0]:.1f}", box=SIMPLE, title_justify="left")
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "scene" else "right", no_wrap=True)
    for name in given.scenes or SCENES:
        for workers in given.workers:
            table.add_row(*row(name, given.more, workers, given.profile))
    console.print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
