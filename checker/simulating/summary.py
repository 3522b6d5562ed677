"""The runs of a simulation together: ranges over the runs, by workload, budget and resource: `summary`."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from schedcheck.checker.simulating.measuring import Waiting, Waits
from schedcheck.checker.simulating.running import Finding, Point, Run
from schedcheck.model.simulation.timeline import Start

NO_WAITS = Waits()


@dataclass(frozen=True)
class Spread:
    """The least and the greatest of a number over the runs."""

    least: float
    greatest: float


@dataclass(frozen=True)
class OfWorkload:
    """A workload over all runs; times in seconds. `example` is a pod that is unbound at the end of a run.

    `median`, `late` (the 95th percentile) and `longest` are those of each run; None if no run bound a pod.
    """

    name: str
    bound: Spread
    waiting: Spread
    median: Spread | None
    late: Spread | None
    longest: Spread | None
    example: Waiting | None


@dataclass(frozen=True)
class OfBudget:
    """A budget over all runs."""

    name: str
    evicted: Spread
    refused: Spread
    unasked: Spread
    least: Spread | None


@dataclass(frozen=True)
class OfResource:
    """The share of a resource that is used, from 0: at the start, at its peak, at the end of each run.

    `series` are the shares of the first run over time; None for a time at which nothing is offered.
    """

    name: str
    start: Spread | None
    peak: Spread | None
    end: Spread | None
    series: tuple[float | None, ...]


@dataclass(frozen=True)
class Summary:
    """All runs together."""

    workloads: tuple[OfWorkload, ...]
    budgets: tuple[OfBudget, ...]
    resources: tuple[OfResource, ...]
    evicted: dict[str, Spread]

    @property
    def waiting(self) -> bool:
        """Whether some pod is unbound at the end of some run."""
        return any(each.waiting.greatest > 0 for each in self.workloads)


@dataclass(frozen=True)
class Outcome:
    """What was simulated, the numbers of the runs asked for, the seed, the runs made, and why not all reached their end."""

    start: Start
    asked: tuple[int, ...]
    seed: int
    runs: tuple[Run, ...]
    stopped: str
    together: Summary


def rank(values: Sequence[float], part: float) -> float:
    """Return the least of the values that at least this part of them does not exceed: the nearest rank."""
    return sorted(values)[max(0, math.ceil(part * len(values)) - 1)]


def spread(values: Iterable[float]) -> Spread:
    """Return the range of values, of which there is at least one."""
    found = list(values)
    return Spread(min(found), max(found))


def findings(runs: Iterable[Run]) -> tuple[Finding, ...]:
    """Return the differences of all runs that no divergence excuses."""
    return tuple(each for run in runs for each in run.findings if not each.rows)


def summary(runs: Sequence[Run]) -> Summary:
    """Return all runs together; there is at least one."""
    names = sorted({name for run in runs for name in run.waits})
    resources = sorted({name for run in runs for name, most in run.peak.items() if most})
    return Summary(
        workloads=tuple(_workload(name, runs) for name in names),
        budgets=tuple(
            _budget(place, runs) for place in range(len(runs[0].budgets)) if any(_touched(run, place) for run in runs)
        ),
        resources=tuple(_resource(name, runs) for name in resources),
        evicted={kind: spread(run.evicted[kind] for run in runs) for kind in runs[0].evicted},
    )


def _workload(name: str, runs: Sequence[Run]) -> OfWorkload:
    waits = [run.waits.get(name, NO_WAITS) for run in runs]
    bound = [each.seconds for each in waits if each.seconds]

    def over(measure: Callable[[Sequence[float]], float]) -> Spread | None:
        return spread(map(measure, bound)) if bound else None

    return OfWorkload(
        name=name,
        bound=spread(len(each.seconds) for each in waits),
        waiting=spread(len(each.waiting) for each in waits),
        median=over(lambda seconds: rank(seconds, 0.5)),
        late=over(lambda seconds: rank(seconds, 0.95)),
        longest=over(max),
        example=next((each.waiting[0] for each in waits if each.waiting), None),
    )


def _touched(run: Run, place: int) -> bool:
    each = run.budgets[place]
    return bool(each.evicted or each.refused or each.unasked)


def _budget(place: int, runs: Sequence[Run]) -> OfBudget:
    found = [run.budgets[place] for run in runs]
    least = [each.least for each in found if each.least is not None]
    return OfBudget(
        found[0].name,
        spread(each.evicted for each in found),
        spread(each.refused for each in found),
        spread(each.unasked for each in found),
        spread(least) if least else None,
    )


def share(point: Point, name: str) -> float | None:
    """Return the used share of a resource at a time; None if nothing is offered."""
    offered = point.offered.get(name, 0)
    return point.used.get(name, 0) / offered if offered else None


def _resource(name: str, runs: Sequence[Run]) -> OfResource:
    def over(shares: Iterable[float | None]) -> Spread | None:
        found = [each for each in shares if each is not None]
        return spread(found) if found else None

    return OfResource(
        name,
        over(share(run.points[0], name) for run in runs if run.points),
        over(max((s for p in run.points if (s := share(p, name)) is not None), default=None) for run in runs),
        over(share(run.points[-1], name) for run in runs if run.points),
        tuple(share(point, name) for point in runs[0].points),
    )
