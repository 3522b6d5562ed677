"""One way to put copies of a pod on nodes, found without a solver: `filled`.

Copies are put on the nodes in turn as long as the demands allow. What this reaches is possible; what it does not reach may
still be.
"""

from collections.abc import Mapping
from typing import Protocol

from schedcheck.findings.apart import Apart, Demand, Question, Room, Spread


class _Kept(Protocol):
    """A demand with the copies that are placed so far."""

    def allows(self, node: str) -> bool:
        """Whether one more copy may be put on the node."""
        ...

    def put(self, node: str) -> None:
        """Count a copy on the node."""
        ...


def filled(question: Question, number: int) -> bool:
    """Whether so many copies are placed by putting one on each node in turn, where the demands allow it."""
    kept = [_kept(each) for each in question.demands]
    left = number
    progress = True
    while left > 0 and progress:
        progress = False
        for node in question.nodes:
            if left > 0 and all(each.allows(node) for each in kept):
                for each in kept:
                    each.put(node)
                left -= 1
                progress = True
    return left <= 0


def _kept(demand: Demand) -> _Kept:
    match demand:
        case Room():
            return _Rooms(demand.rooms)
        case Apart():
            return _Domains(demand.domains, skew=1, level=False)
        case Spread():
            return _Domains(demand.domains, skew=demand.skew, level=not demand.too_few)


class _Rooms:
    def __init__(self, rooms: Mapping[str, int]) -> None:
        self.left = dict(rooms)

    def allows(self, node: str) -> bool:
        return self.left[node] > 0

    def put(self, node: str) -> None:
        self.left[node] -= 1


class _Domains:
    """Counts of copies by domain: at most `skew` above the least, or if not `level`, above none."""

    def __init__(self, domains: Mapping[str, tuple[str, ...]], skew: int, *, level: bool) -> None:
        self.domain = {name: domain for domain, names in domains.items() for name in names}
        self.counts = dict.fromkeys(domains, 0)
        self.skew, self.level = skew, level
        self.least = 0

    def allows(self, node: str) -> bool:
        domain = self.domain.get(node)
        return domain is None or self.counts[domain] + 1 <= self.least + self.skew

    def put(self, node: str) -> None:
        domain = self.domain.get(node)
        if domain is None:
            return
        self.counts[domain] += 1
        if self.level and self.counts[domain] == self.least + 1:
            self.least = min(self.counts.values())
