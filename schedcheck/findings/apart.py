"""The most copies of one pod that empty nodes can hold: `Question`, `most`, and the demands that forbid more: `core`.

The demands are necessary: every placement that the specification reaches satisfies them. So the number is an upper
bound. Pod affinity to other pods is left out, which can only make the bound greater.
"""

from collections.abc import Mapping, Sequence
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


def _possible(nodes: tuple[str, ...], demands: Sequence[Demand], number: int) -> bool:
    """Whether so many copies satisfy the demands; one variable counts the copies on all nodes that are alike."""
    groups = _groups(nodes, demands)
    copies = [z3.Int(f"copies {place}") for place in range(len(groups))]
    solver = z3.SolverFor("QF_LIA")
    solver.add(z3.Sum(copies) >= number)
    for each, (one, alike) in zip(copies, groups, strict=True):
        solver.add(each >= 0, *([] if one.most is None else [each <= one.most * len(alike)]))
    for place, demand in enumerate(demands):
        if not isinstance(demand, Room):
            solver.add(*_stated(demand, place, [one.domains[place] for one, _ in groups], copies))
    return Spent(Effort(seconds=SECONDS)).check(solver)


@dataclass(frozen=True)
class _Like:
    """What of a node matters: the most copies on it, and by demand the domain that it shares with other nodes."""

    most: int | None
    domains: tuple[str | None, ...]


def _groups(nodes: tuple[str, ...], demands: Sequence[Demand]) -> list[tuple[_Like, list[str]]]:
    """Return the nodes by what matters of them."""
    domain_of = [
        {} if isinstance(each, Room) else {name: domain for domain, some in each.domains.items() for name in some}
        for each in demands
    ]
    found: dict[_Like, list[str]] = {}
    for node in nodes:
        bounds: list[int] = []
        domains: list[str | None] = []
        for demand, of in zip(demands, domain_of, strict=True):
            domain = of.get(node)
            if isinstance(demand, Room):
                bounds.append(demand.rooms[node])
            elif isinstance(demand, Apart) and domain is not None and len(demand.domains[domain]) == 1:
                # The domain is this node alone, which so takes one copy.
                bounds.append(1)
                domain = None
            domains.append(domain)
        found.setdefault(_Like(min(bounds, default=None), tuple(domains)), []).append(node)
    return list(found.items())


def _stated(
    demand: Apart | Spread, place: int, domains: Sequence[str | None], copies: Sequence[z3.ArithRef]
) -> list[z3.BoolRef]:
    """Return the demand on the copies in each domain; `domains` has the domain of each variable."""
    within: dict[str, list[z3.ArithRef]] = {domain: [] for domain in demand.domains}
    for domain, each in zip(domains, copies, strict=True):
        if domain is not None:
            within[domain].append(each)
    numbers = [z3.Sum(some) for some in within.values()]
    if isinstance(demand, Apart):
        return [number <= 1 for number in numbers]
    if demand.too_few:
        return [number <= demand.skew for number in numbers]
    least = z3.Int(f"least {place}")
    return [part for number in numbers for part in (least <= number, number <= least + demand.skew)]
