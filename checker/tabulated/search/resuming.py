"""The counts and findings of a run at the end of a level, and how another run resumes from them: `counts`, `go_on`."""

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.search.disk import Disk

if TYPE_CHECKING:
    from schedcheck.checker.tabulated.search.explorer import Explorer


class StateJudge(Protocol):
    """The judge of the states of each level."""

    broken: dict[str, Words]

    def __call__(self, states: Words, /) -> bool:
        """StateJudge the new states of a level; return whether one breaks a property."""
        ...

    def counts(self) -> dict[str, Any]:
        """Return the findings up to the last level."""
        ...

    def count_from(self, counts: dict[str, Any], /) -> None:
        """Resume from these findings."""
        ...


class Broken(NamedTuple):
    """The least step that breaks a property, as the states after and before it."""

    after: Words
    before: Words

    def in_words(self) -> tuple[list[int], list[int]]:
        """Return the words by which the least of several steps is chosen."""
        return self.after.tolist(), self.before.tolist()


def counts(explorer: "Explorer") -> dict[str, Any]:
    """Return the counts and findings up to the last level, when all other levels are expanded."""
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
    """Resume from the levels on disk; return whether a property is broken on the last one. Raises Unusable."""
    counted: dict[str, Any] = {}
    for level, up_to_there in disk.levels(explorer.bounds):
        explorer.take_up(level)
        counted = up_to_there
    if not counted:
        return False
    explorer.count_from(counted["coverage"], counted["ended"])
    # States beyond the constraints are judged when they are found; found again, they get the same judgement again.
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
