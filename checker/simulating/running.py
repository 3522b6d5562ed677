"""One run from its seed to its end: `run`, `Run`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from schedcheck.checker.differential.decisions import said
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import answer, doing, gigabytes, reason
from schedcheck.checker.simulating.judging import Judged, Sampled
from schedcheck.checker.simulating.judging import judged as judgement_of
from schedcheck.checker.simulating.measuring import Measures, Preempted, Waits
from schedcheck.model.simulation.simulation import Simulation

BETWEEN_LOOKS = 500
"""The actions between two looks at the memory."""


@dataclass(frozen=True)
class Asked:
    """The seed, how many decisions of each run are judged, and the GiB that a process may hold."""

    seed: int = 0
    judge: int = 10
    memory: float | None = None
    story: bool = False


@dataclass(frozen=True)
class Finding:
    """A judged decision that differs from what the specification allows; `rows` are the divergences that excuse it."""

    number: int
    time: float
    pod: str
    made: tuple[str, ...]
    allowed: tuple[str, ...]
    details: str
    rows: tuple[str, ...] = ()


@dataclass(frozen=True)
class Point:
    """The sums at a time, in seconds: unbound pods, and what is used and offered of each resource, in smallest units."""

    time: float
    unbound: int
    used: Mapping[str, int]
    offered: Mapping[str, int]


@dataclass(frozen=True)
class Touched:
    """A budget: the evictions through the API that it allowed, the pods whose eviction it refused at least once, the
    evictions that did not ask it (by preemption, by taints, from missing nodes), and the least that its status allowed.
    """

    name: str
    evicted: int
    refused: int
    unasked: int
    least: int | None


@dataclass(frozen=True)
class Run:
    """What one run came to.

    number, ended, stopped
        The number of the run; the seconds that it simulated; why it stopped before its end, empty if it did not.
    actions, decisions
        The steps of the simulation, and the scheduling cycles among them.
    sample, judged, findings, unknown
        The decisions in the sample and those judged, the differences, and those about which nothing is known, with reasons:
        in the sample, and the first one on each pod that needs devices.
    waits, evicted, preempted, budgets
        By workload; the evictions by kind, and those by preemption one by one; the budgets that were touched.
    peak, points
        The most that was used of each resource, and the sums over time.
    story
        What happened, step by step, if it was asked for.
    """

    number: int
    ended: float
    stopped: str
    actions: int
    decisions: int
    sample: int
    judged: int
    findings: tuple[Finding, ...]
    unknown: tuple[tuple[int, str], ...]
    waits: Mapping[str, Waits]
    evicted: Mapping[str, int]
    preempted: tuple[Preempted, ...]
    budgets: tuple[Touched, ...]
    peak: Mapping[str, int]
    points: tuple[Point, ...]
    story: tuple[tuple[float, str], ...] = ()


def run(simulation: Simulation, number: int, asked: Asked, stop: Callable[[], str] = str) -> Run:
    """Run a simulation that has not begun. `stop` says why it is to stop; an interrupt stops it too."""
    measures = Measures(simulation, story=asked.story)
    sampled = Sampled(
        simulation.scheduling, simulation.start.plugins, asked.judge, Random(f"judge {asked.seed} {number}")
    )
    simulation.scheduling.beginning = sampled.beginning
    judged: list[Judged] = []
    why = ""
    try:
        simulation.seed(asked.seed, number)
        why = _steps(simulation, asked.memory, stop)
        for decided in sampled.in_order() if not why else ():
            if why := stop():
                break
            judged.append(judgement_of(decided))
    except KeyboardInterrupt as end:
        why = reason(end)
    answer()
    unknown = sampled.of_devices() | {each.number: each.unknown for each in judged if each.unknown}
    return _result(simulation, number, why, measures, len(sampled.kept), judged, unknown)


def _steps(simulation: Simulation, memory: float | None, stop: Callable[[], str]) -> str:
    """Take all steps; return why they stopped before the end."""
    until = simulation.start.until
    while True:
        doing(f"simulating, {simulation.agenda.now:.0f} of {until:.0f} s")
        for _ in range(BETWEEN_LOOKS):
            if not simulation.step():
                return ""
        if why := stop():
            return why
        if memory is not None and gigabytes() > memory:
            return f"{parameter('limits.memory')} {memory:g}"


def _result(
    simulation: Simulation,
    number: int,
    why: str,
    measures: Measures,
    sample: int,
    judged: list[Judged],
    unknown: Mapping[int, str],
) -> Run:
    usage, budgets = simulation.usage, simulation.budgets
    if why:
        usage.note()
    touched = (
        Touched(
            str(budget),
            budgets.evicted[place],
            len(budgets.refused[place]),
            measures.unasked[place],
            budgets.least[place],
        )
        for place, budget in enumerate(budgets.budgets)
    )
    return Run(
        number=number,
        ended=simulation.agenda.now,
        stopped=why,
        actions=simulation.agenda.done,
        decisions=simulation.scheduling.cycles,
        sample=sample,
        judged=len(judged),
        findings=tuple(_finding(each) for each in judged if each.difference is not None),
        unknown=tuple(sorted(unknown.items())),
        waits=measures.waits(),
        evicted=dict(measures.evicted),
        preempted=tuple(measures.preempted),
        budgets=tuple(touched),
        peak=dict(usage.peak),
        points=tuple(Point(*each) for each in usage.series),
        story=tuple(measures.story),
    )


def _finding(judged: Judged) -> Finding:
    found = judged.difference
    assert found is not None
    return Finding(
        judged.number,
        judged.time,
        str(found.pod),
        tuple(said(found.made)),
        tuple(said(found.allowed)),
        str(found),
        found.rows,
    )
