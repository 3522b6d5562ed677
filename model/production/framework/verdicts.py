"""Results of filters as arrays: of one filter `Verdicts`, of all filters `NodeVerdicts`, of a cycle `NodeStatuses`.

Codes are small numbers in arrays and become a `Status` only on demand.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from schedcheck.model.production.framework.status import SUCCESS, Code, Status
from schedcheck.model.production.snapshot.labels import Mask, Numbers
from schedcheck.model.production.snapshot.snapshot import Nodes

Codes = npt.NDArray[np.int8]
PASSED, REFUSED, UNRESOLVED, FAILED = 0, 1, 2, 3
CODES = (Code.SUCCESS, Code.UNSCHEDULABLE, Code.UNRESOLVABLE, Code.ERROR)
"""The codes that a filter may return, at their numbers in arrays."""

Texts = Callable[[int], tuple[str, ...]]
"""The reasons for a number."""


@dataclass(frozen=True, eq=False)
class Verdicts:
    """For each node the number of a code and, if the code is no success, a number that `texts` turns into reasons."""

    codes: Codes
    reasons: Numbers
    texts: Texts
    all_pass: bool = False
    """Whether it is known that every node passes, which most filters know without a look at the codes."""


def verdicts(codes: Codes, *reasons: str) -> Verdicts:
    """Return verdicts with these codes, all with the same reasons."""
    return Verdicts(codes, np.zeros(len(codes), np.int64), lambda _: reasons)


def passing(nodes: Nodes, *reasons: str) -> Verdicts:
    """Return the success of a filter on every node."""
    return _passing(len(nodes), reasons)


@lru_cache(maxsize=64)
def _passing(size: int, reasons: tuple[str, ...]) -> Verdicts:
    """Return the success of a filter on so many nodes, which most filters return in every cycle."""
    codes, numbers = np.zeros(size, np.int8), np.zeros(size, np.int64)
    codes.flags.writeable = numbers.flags.writeable = False
    return Verdicts(codes, numbers, lambda _: reasons, all_pass=True)


def failing(nodes: Nodes, text: str) -> Verdicts:
    """Return the error of a filter that cannot evaluate any node."""
    return verdicts(np.full(len(nodes), FAILED, np.int8), text)


@dataclass(frozen=True, eq=False)
class NodeVerdicts:
    """For each of `nodes` the first filter that rejects it (-1: none), its code and the number of its reasons."""

    nodes: Nodes
    plugins: Numbers
    codes: Codes
    reasons: Numbers
    explained: tuple[tuple[str, Texts], ...]

    def passed(self) -> Mask:
        """Return for each node whether all filters pass."""
        found: Mask = self.codes == PASSED
        return found

    def status(self, place: int) -> Status:
        """Return the status of the node at this index."""
        if self.codes[place] == PASSED:
            return SUCCESS
        plugin, texts = self.explained[int(self.plugins[place])]
        return Status(CODES[self.codes[place]], texts(int(self.reasons[place])), plugin)

    def statuses(self, places: Numbers) -> list[Status]:
        """Return the statuses of the nodes at these indices; nodes that are rejected alike share one."""
        told = zip(
            self.plugins[places].tolist(), self.codes[places].tolist(), self.reasons[places].tolist(), strict=True
        )
        known: dict[tuple[int, int, int], Status] = {}
        return [
            known[each] if each in known else known.setdefault(each, self.status(place))
            for place, each in zip(places.tolist(), told, strict=True)
        ]

    def only(self, chosen: Numbers) -> "NodeVerdicts":
        """Return the outcome of the nodes at these indices."""
        return NodeVerdicts(
            self.nodes.only(chosen), self.plugins[chosen], self.codes[chosen], self.reasons[chosen], self.explained
        )


FEW_NUMBERS = 4096
"""Below this number, places are found by a table instead of sorting."""
NOT_LOOKED_AT = Status(Code.UNRESOLVABLE)
"""The status of a node that no filter has seen."""


@dataclass
class NodeStatuses:
    """The statuses of rejected nodes: each distinct status once, and for each row its number, -1 for none.

    `absent` is the status of all nodes without one of their own.
    """

    absent: Status = NOT_LOOKED_AT
    statuses: list[Status] = field(default_factory=list)
    of_row: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    _numbers: dict[Status, int] = field(default_factory=dict)
    _last: tuple[Status | None, int] = (None, 0)

    def record(self, outcome: NodeVerdicts) -> None:
        """Set the status of each node that the outcome rejects."""
        refused = np.flatnonzero(~outcome.passed())
        if not len(refused):
            return
        self._reach(int(outcome.nodes.rows.max()))
        plugins, codes, reasons = outcome.plugins[refused], outcome.codes[refused], outcome.reasons[refused]
        # One combined number is handled much faster than a triple.
        told = (plugins * len(CODES) + codes) * (int(reasons.max()) + 1) + reasons
        some, kinds = _kinds(told)
        numbers = np.array([self._number(outcome.status(place)) for place in refused[some].tolist()], np.int64)
        self.of_row[outcome.nodes.rows[refused]] = numbers[kinds]

    def put(self, row: int, status: Status) -> None:
        """Set the status of a row."""
        self._reach(row)
        self.of_row[row] = self._number(status)

    def get(self, row: int | None) -> Status:
        """Return the status of a row; `absent` if the row has none or is None."""
        if row is None or row >= len(self.of_row) or self.of_row[row] < 0:
            return self.absent
        return self.statuses[int(self.of_row[row])]

    def has(self, row: int) -> bool:
        """Whether the row has a status of its own."""
        return row < len(self.of_row) and bool(self.of_row[row] >= 0)

    def numbers(self, rows: Numbers) -> Numbers:
        """Return numbers for the statuses of some rows, -1 for `absent`; rows with one number have one status."""
        found = np.full(len(rows), -1, np.int64)
        known = rows < len(self.of_row)
        found[known] = self.of_row[rows[known]]
        return found

    def explicit(self) -> int:
        """Return how many nodes have a status of their own."""
        return int(np.count_nonzero(self.of_row >= 0))

    def with_code(self, code: Code, rows: Numbers) -> Numbers:
        """Return those of `rows` whose status has this code, in their order."""
        if not len(rows):
            return rows
        self._reach(int(rows.max()))
        # `absent` is last, where the index -1 finds it.
        right = np.array([status.code is code for status in (*self.statuses, self.absent)])
        found: Numbers = rows[right[self.of_row[rows]]]
        return found

    def reasons(self, nodes: int) -> Counter[str]:
        """Return for each reason the number of nodes that have it, in a cluster of `nodes`."""
        found: Counter[str] = Counter()
        without, *counts = np.bincount(self.of_row + 1, minlength=1).tolist()
        absent = nodes - (len(self.of_row) - without)
        for status, count in (*zip(self.statuses, counts, strict=False), (self.absent, absent)):
            for reason in status.reasons if count > 0 else ():
                found[reason] += count
        return found

    def _reach(self, row: int) -> None:
        if row >= len(self.of_row):
            self.of_row = np.concatenate([self.of_row, np.full(row + 1 - len(self.of_row), -1, np.int64)])

    def _number(self, status: Status) -> int:
        # Nodes are mostly rejected for one reason after the other, and hashing a status takes long.
        if status is self._last[0]:
            return self._last[1]
        number = self._numbers.get(status)
        if number is None:
            number = self._numbers[status] = len(self.statuses)
            self.statuses.append(status)
        self._last = status, number
        return number


def _kinds(told: Numbers) -> tuple[Numbers, Numbers]:
    """Return for each distinct number, in their order, a place where it stands; and for each place the kind of its number."""
    if (told == told[0]).all():
        return np.zeros(1, np.int64), np.zeros(len(told), np.int64)
    most = int(told.max())
    if most >= FEW_NUMBERS:
        _, first, kinds = np.unique(told, return_index=True, return_inverse=True)
        return first, kinds
    # Small numbers need no sorting, which takes most of the time for thousands of nodes.
    place_of = np.full(most + 1, -1)
    place_of[told] = np.arange(len(told))
    there = np.flatnonzero(place_of >= 0)
    kind_of = np.zeros(most + 1, np.int64)
    kind_of[there] = np.arange(len(there))
    return place_of[there], kind_of[told]
