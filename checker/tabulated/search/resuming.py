"""What a run has counted and found at the end of a level, and how another goes on from it: `counts`, `go_on`."""

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.search.disk import Disk

if TYPE_CHECKING:
    from schedcheck.checker.tabulated.search.explorer import Explorer


class Judge(Protocol):
    """What is asked of the states of each level."""

    broken: dict[str, Words]

    def __call__(self, states: Words, /) -> bool:
        """Judge the new states of a level: whether one breaks a property."""
        ...

    def counts(self) -> dict[str, Any]:
        """What was found up to the last level."""
        ...

    def count_from(self, counts: dict[str, Any], /) -> None:
        """Go on from what was found."""
        ...


class Broken(NamedTuple):
    """The least step that breaks a property: the state that it leads to, and the one that it leads from."""

    after: Words
    before: Words

    def in_words(self) -> tuple[list[int], list[int]]:
        """By what the least of several is told."""
        return self.after.tolist(), self.before.tolist()


def counts(explorer: "Explorer") -> dict[str, Any]:
    """What was counted and found up to the last level, all others being expanded."""
    return {
        "cut_off": explorer.cut_off,
        "coverage": explorer.coverage,
        "ended": explorer.ended,
        "met": sorted(explorer.met),
        "stuck": None if explorer.stuck is None else explorer.stuck.tolist(),
        "broken": {number: [each.tolist() for each in found] for number, found in explorer.broken.items()},
        "judged": explorer.judge.counts(),
    }


def go_on(explorer: "Explorer", disk: Disk) -> bool:
    """Take up the levels that are on the disk: whether a property is broken on the last. Raises Unusable."""
    counted: dict[str, Any] = {}
    for level, up_to_there in disk.levels(explorer.bounds):
        explorer.take_up(level)
        counted = up_to_there
    if not counted:
        return False
    explorer.count_from(counted["coverage"], counted["ended"])
    # What lies beyond the constraints is judged when it is met, and judged so again if it is met again.
    explorer.cut_off = counted["cut_off"]
    explorer.reached = explorer.depth - 1
    explorer.broken = {
        int(number): Broken(*(np.array(words, np.uint64) for words in found))
        for number, found in counted["broken"].items()
    }
    explorer.stuck = None if counted["stuck"] is None else np.array(counted["stuck"], np.uint64)
    explorer.met = set(counted["met"])
    explorer.judge.count_from(counted["judged"])
    return bool(explorer.broken or explorer.judge.broken)
