"""An exploration with its levels on disk, which continues when the known states do not fit into memory: `Disk`.

The levels on disk hold all known states, each level as a sorted run. The set in memory saves reading them. When it is
full, the states found so far in the level are saved as one more run, and the set is emptied. States found after that
may be known already. They are compared with all levels in one pass at the end of the level.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from schedcheck.checker.limits.durable import scratch
from schedcheck.checker.limits.timer import gigabytes
from schedcheck.checker.result import Bounds
from schedcheck.checker.tabulated.layout.layout import Words, in_order
from schedcheck.checker.tabulated.loops.runs import in_pieces, news
from schedcheck.checker.tabulated.search.checkpoint import Checkpoint, mapped, nonempty
from schedcheck.checker.tabulated.search.known import FILLED, Known

LEAST_PLACES = 1 << 22
"""The least number of places, however little memory there is."""


class Disk:
    """The levels of a run, in the folder of its checkpoint; `complete`: the set in memory holds all known states."""

    def __init__(self, checkpoint: Checkpoint, room: int | None = None) -> None:
        """`room` is the most states that the set in memory may hold, None for no bound."""
        self.checkpoint = checkpoint
        self.room = room
        self.complete = True
        self._candidates: list[Words] = []

    def levels(self, bounds: Bounds) -> Iterator[tuple[Words, dict[str, Any]]]:
        """Yield the kept levels within the bounds, each with the counts up to it. Raises Unusable."""
        distinct = 0
        for level, noted in enumerate(self.checkpoint.noted[: bounds.depth], 1):
            distinct += noted.states
            if level > 1 and bounds.max_states is not None and distinct >= bounds.max_states:
                return
            yield self.checkpoint.states(level), noted.counts

    def full(self, known: Known) -> bool:
        """Whether the set has no room left."""
        return self.room is not None and len(known) > self.room

    def put_away(self, found: Words) -> None:
        """Save the states of the level found so far, before the set in memory is emptied. Raises Unusable."""
        self.complete = False
        pieces = nonempty(in_pieces(in_order(found)))
        if pieces is not None:
            file = scratch(self.checkpoint.folder, (piece.tobytes() for piece in pieces))
            with file:
                self._candidates.append(mapped(file, found.shape[1]))

    def level(self, found: Words, levels: Sequence[Words], *, whole: bool) -> Words:
        """Return the sorted states of the level, kept in the checkpoint if the level is `whole`. Raises Unusable."""
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
        """Keep the counts up to the last level, which is complete. Raises Unusable."""
        if len(levels) > len(self.checkpoint.noted):
            self.checkpoint.keep_counts(len(levels), len(levels[-1]), counts)


def room_for(memory: float | None, words: int, successors: int) -> int | None:
    """Return how many states the set may hold in `memory` GiB; None for no bound.

    `successors` is the number of successors that are found between two checks of the bound.
    """
    if memory is None:
        return None
    # The set has one table, up to half larger than needed. At the end of a level there are also the states found, their
    # order, and the arrays these are made from.
    places = (memory - anonymous()) * 2**30 / (6 * 8 * words)
    most = max(LEAST_PLACES, 1 << max(0, int(max(0.0, places)).bit_length() - 1))
    return int(FILLED * most) - successors


def anonymous() -> float:
    """Return the memory of this process that no file backs, in GiB; the peak memory if the system does not tell."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        if "RssAnon" in lines:
            return int(lines["RssAnon"].split()[0]) / 2**20
    return gigabytes()
