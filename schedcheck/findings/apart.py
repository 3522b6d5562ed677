"""The most copies of one pod that empty nodes can hold: `Question`, `most`, and the demands that forbid more: `core`.

The demands are necessary: every placement that the specification reaches satisfies them. So the number is an upper
bound. Pod affinity to other pods is left out, which can only make the bound greater.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import z3

from schedcheck.checker.limits.effort import Effort, Spent

SECONDS = 10.0
"""The time for one question."""


@dataclass(frozen=True)
class Apart:
    """At most one copy in each of these domains of a topology key."""

    key: str
    domains: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Spread:
    """At most `skew` more copies in a domain than in the least filled one, or than none with too few domains.

    `domains` has all domains that count, also those without a node that takes a copy.
    """

    key: str
    skew: int
    domains: Mapping[str, tuple[str, ...]]
    too_few: bool


@dataclass(frozen=True)
class Room:
    """At most so many copies on each node."""

    rooms: Mapping[str, int]


Demand = Apart | Spread | Room


@dataclass(frozen=True)
class Question:
    """The nodes that take a copy, and the demands on their numbers of copies."""

    nodes: tuple[str, ...]
    demands: tuple[Demand, ...]


def placed(question: Question, number: int) -> bool:
    """Whether so many copies satisfy all demands. Raises: Beyond."""
    return _possible(question.nodes, question.demands, number)


def most(question: Question, enough: int) -> int:
    """Return the most copies that satisfy all demands, less than `enough`. Raises: Beyond."""
    low, high = 0, enough - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if placed(question, middle) else (low, middle - 1)
    return low


def core(question: Question, number: int) -> tuple[Demand, ...]:
    """Return a minimal set of the demands that so many copies cannot satisfy. Raises: Beyond."""
    kept = list(question.demands)
    for demand in question.demands:
        fewer = [each for each in kept if each is not demand]
        if not _possible(question.nodes, fewer, number):
            kept = fewer
    return tuple(kept)


def _possible(nodes: tuple[str, ...], demands: Iterable[Demand], number: int) -> bool:
    solver = z3.SolverFor("QF_LIA")
    copies = {name: z3.Int(f"copies {name}") for name in nodes}
    solver.add(*(each >= 0 for each in copies.values()), z3.Sum(list(copies.values())) >= number)
    for place, demand in enumerate(demands):
        solver.add(*_stated(demand, copies, place))
    return Spent(Effort(seconds=SECONDS)).check(solver)


def _stated(demand: Demand, copies: Mapping[str, z3.ArithRef], place: int) -> list[z3.BoolRef]:
    if isinstance(demand, Room):
        return [copies[name] <= room for name, room in demand.rooms.items()]
    within = {domain: z3.Sum([copies[name] for name in names]) for domain, names in demand.domains.items()}
    if isinstance(demand, Apart):
        return [number <= 1 for number in within.values()]
    if demand.too_few:
        return [number <= demand.skew for number in within.values()]
    least = z3.Int(f"least {place}")
    return [part for number in within.values() for part in (least <= number, number <= least + demand.skew)]
