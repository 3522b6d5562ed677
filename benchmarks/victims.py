"""Time of finding smallest victim sets, proof included, on random nodes with 110 pods.

python -m benchmarks.victims [NODES] [PODS] takes NODES random nodes with PODS pods each. The pods have 30 sizes, three
disruption budgets or none, four priorities, and three start times. Each node is asked about alone, and all together for
the smallest set over all of them.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace

from frozendict import frozendict
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from schedcheck.checker.victims.judges import Judge, of_model
from schedcheck.checker.victims.kubernetes_judge import of_kubernetes
from schedcheck.checker.victims.least import least, least_of_nodes
from schedcheck.checker.victims.problem import question
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Container, Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.profiles import CORRECTED
from schedcheck.spec.terms import LabelSelector

SIZES = 30
MILLI, MEBI = 10**6, 2**20 * 10**9
BUDGETS = ("a", "b", "c")

Kind = tuple[int, int, int, str]
"""Thousandths of a cpu, MiB, priority, and budget."""


def crowded(chance: random.Random, pods: int, *, alike: bool) -> tuple[Pod, Node, Snapshot]:
    """Return a full node, and a pod that needs a part of it; if `alike`, pods of one size share priority and budget."""
    sizes = [(chance.randrange(50, 2001, 50), chance.randint(64, 4096)) for _ in range(SIZES)]
    kinds: list[Kind] = [(*size, *_rest(chance)) for size in sizes]
    drawn = [chance.choice(kinds) if alike else (*chance.choice(sizes), *_rest(chance)) for _ in range(pods)]
    there = [_pod(f"p{number:03}", kind, chance) for number, kind in enumerate(drawn)]
    cpu, memory = (sum(kind[place] for kind in drawn) for place in (0, 1))
    wants = int(cpu * chance.uniform(0.05, 0.5)), int(memory * chance.uniform(0.05, 0.5))
    new = replace(_pod("new", (*wants, 10**6, "none"), chance), node_name="", phase="Pending", start_time=None)
    node = Node("node", allocatable=frozendict(cpu=cpu, memory=memory * 2**20, pods=pods))
    budgets = tuple(
        PodDisruptionBudget(
            name, selector=LabelSelector(frozendict(app=name)), disruptions_allowed=chance.randint(0, 6)
        )
        for name in BUDGETS
    )
    return new, node, replace(Snapshot.of([new, *there], [node]), budgets=budgets)


def _rest(chance: random.Random) -> tuple[int, str]:
    return chance.choice((0, 10, 100, 1000)), chance.choice((*BUDGETS, "none"))


def _pod(name: str, kind: Kind, chance: random.Random) -> Pod:
    cpu, memory, priority, budget = kind
    return Pod(
        name,
        labels=frozendict(app=budget),
        node_name="node",
        phase="Running",
        priority=priority,
        containers=(Container(frozendict(cpu=cpu * MILLI, memory=memory * MEBI)),),
        start_time=chance.choice((1, 2, 3)) * 10**6,
    )


def timed(judge: Judge, nodes: int, pods: int, clock: Callable[[], float], *, alike: bool) -> tuple[list[float], int]:
    """Return the seconds for each of the nodes, and the number of proved answers."""
    chance = random.Random(1)
    seconds, proved = [], 0
    for _ in range(nodes):
        given = crowded(chance, pods, alike=alike)
        begun = clock()
        proved += least(question(*given, judge)).proved
        seconds.append(clock() - begun)
    return seconds, proved


def together(judge: Judge, nodes: int, pods: int, clock: Callable[[], float], *, alike: bool) -> tuple[float, bool]:
    """Return the seconds for the smallest set over all of the nodes, and whether it is proved."""
    chance = random.Random(1)
    given = [crowded(chance, pods, alike=alike) for _ in range(nodes)]
    begun = clock()
    found = least_of_nodes([question(*each, judge) for each in given])
    return clock() - begun, found.proved


def main(nodes: int = 100, pods: int = 110) -> None:
    """Print a table with a row for each profile and kind of node."""
    table = Table(title=f"least victims on {nodes} nodes with {pods} pods each", box=SIMPLE, title_justify="left")
    for heading in ("profile", "pods of one size", "proved", "median s", "longest s", "all s", "over all s"):
        table.add_column(heading, justify="left" if heading in ("profile", "pods of one size") else "right")
    judges = {"corrected": of_model(CORRECTED), "kubernetes": of_kubernetes(DEFAULT_PLUGINS)}
    for name, judge in judges.items():
        for alike in (True, False):
            seconds, proved = timed(judge, nodes, pods, time.process_time, alike=alike)
            over_all, certain = together(judge, nodes, pods, time.process_time, alike=alike)
            proved += certain
            figures = (statistics.median(seconds), max(seconds), sum(seconds), over_all)
            sort = "alike" if alike else "each for itself"
            table.add_row(name, sort, f"{proved} of {nodes + 1}", *(f"{figure:.3f}" for figure in figures))
    Console(width=110).print(table)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
