"""An exploration whose levels lie on a disk, and that goes on when the known states do not fit into memory: `Disk`.

The levels on the disk are all that is known, each a sorted run. The set in memory saves looking there. Once it is full it
is forgotten, after what was found of the level was put away as one more run; then whatever is found may be known already,
and it is compared with all levels in one pass at the end of the level.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from schedcheck.checker.exploring.result import Bounds
from schedcheck.checker.limits.timer import gigabytes
from schedcheck.checker.tabulated.layout.layout import Words, in_order
from schedcheck.checker.tabulated.loops.runs import in_pieces, news
from schedcheck.checker.tabulated.search.checkpoint import Checkpoint, mapped, nonempty
from schedcheck.checker.tabulated.search.durable import scratch
from schedcheck.checker.tabulated.search.known import FILLED, Known

LEAST_PLACES = 1 << 22
"""How many places there are at least, however little memory there is."""


class Disk:
    """The levels of a run in the folder of its checkpoint; `complete` tells that the set in memory has all of them."""

    def __init__(self, checkpoint: Checkpoint, room: int | None = None) -> None:
        """`room` is how many states the set in memory may have, None for no bound."""
        self.checkpoint = checkpoint
        self.room = room
        self.complete = True
        self._candidates: list[Words] = []

    def levels(self, bounds: Bounds) -> Iterator[tuple[Words, dict[str, Any]]]:
        """The levels that are there and lie within the bounds, each with what was counted up to it. Raises Unusable."""
        distinct = 0
        for level, noted in enumerate(self.checkpoint.noted[: bounds.depth], 1):
            distinct += noted.states
            if level > 1 and bounds.max_states is not None and distinct >= bounds.max_states:
                return
            yield self.checkpoint.states(level), noted.counts

    def full(self, known: Known) -> bool:
        """Whether the set has no more room."""
        return self.room is not None and len(known) > self.room

    def put_away(self, found: Words) -> None:
        """Put away what was found of the level so far, as the set in memory is to be forgotten. Raises Unusable."""
        self.complete = False
        pieces = nonempty(in_pieces(in_order(found)))
        if pieces is not None:
            file = scratch(self.checkpoint.folder, (piece.tobytes() for piece in pieces))
            with file:
                self._candidates.append(mapped(file, found.shape[1]))

    def level(self, found: Words, levels: Sequence[Words], *, whole: bool) -> Words:
        """The states of the level that was found, in order; they are kept if it is whole. Raises Unusable."""
        ordered = in_order(found)
        pieces = in_pieces(ordered) if self.complete else news([*self._candidates, ordered], levels)
        self._candidates = []
        some = nonempty(pieces)
        if some is None:
            return ordered[:0]
        number = len(levels) + 1
        if whole and number > len(self.checkpoint.noted):
            return self.checkpoint.keep_states(number, some)
        with scratch(self.checkpoint.folder, (piece.tobytes() for piece in some)) as file:
            return mapped(file, ordered.shape[1])

    def keep(self, levels: Sequence[Words], counts: dict[str, Any]) -> None:
        """Say what was counted up to the last level, which is whole. Raises Unusable."""
        if len(levels) > len(self.checkpoint.noted):
            self.checkpoint.keep_counts(len(levels), len(levels[-1]), counts)


def room_for(memory: float | None, words: int, successors: int) -> int | None:
    """How many states the set in memory may have in so many GiB, where so many successors are found before it is looked at."""
    if memory is None:
        return None
    # The set has one table of places, up to half as many again as it needs, and at its end the states of a level in it,
    # their order, and what this is made from.
    places = (memory - anonymous()) * 2**30 / (6 * 8 * words)
    most = max(LEAST_PLACES, 1 << max(0, int(max(0.0, places)).bit_length() - 1))
    return int(FILLED * most) - successors


def anonymous() -> float:
    """The memory of this process that is not backed by a file, in GiB; where the system does not say, the most it had."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        if "RssAnon" in lines:
            return int(lines["RssAnon"].split()[0]) / 2**20
    return gigabytes()
