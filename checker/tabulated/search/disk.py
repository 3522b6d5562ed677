"""An exploration with its levels on disk, which continues when the known states do not fit into memory: `Disk`.

The levels on disk hold all known states, each level as a sorted run. The set in memory saves reading them. When it is
full, the states found so far in the level are saved as more runs, and the set is emptied. States found after that may
be known already. They are compared with all levels in one pass at the end of the level.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from schedcheck.checker.limits.cores import cores
from schedcheck.checker.limits.durable import scratch
from schedcheck.checker.limits.timer import gigabytes
from schedcheck.checker.result import Bounds
from schedcheck.checker.tabulated.layout.layout import Words, in_order
from schedcheck.checker.tabulated.loops.places import TAIL
from schedcheck.checker.tabulated.search.checkpoint import Checkpoint
from schedcheck.checker.tabulated.search.kept import Held, Kept, Level, Run, encoded
from schedcheck.checker.tabulated.search.known import FILLED, Known, sizes
from schedcheck.checker.tabulated.search.merging import news

LEAST_PLACES = max(sizes(1 << 22))
"""The least number of places, however little memory there is."""

SPARE = 0.25
"""The GiB for everything but the set and the states found: decoded blocks, segments, tables, the compiler."""

SORTED_AT_ONCE = 1 << 21
"""The most states of several words that are sorted at once, which needs as much memory again."""

Made = TypeVar("Made")


class Disk:
    """The levels of a run, in the folder of its checkpoint; `complete`: the set in memory holds all known states."""

    def __init__(self, checkpoint: Checkpoint, room: int | None = None) -> None:
        """`room` is the most states that the set in memory may hold, None for no bound."""
        self.checkpoint = checkpoint
        self.room = room
        self.complete = True
        self._candidates: list[Kept] = []

    def levels(self, bounds: Bounds) -> Iterator[tuple[Kept, dict[str, Any]]]:
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

    def put_away(self, found: Sequence[Words]) -> None:
        """Save the states of the level found so far, before the set in memory is emptied; sort them. Raises Unusable."""
        self.complete = False
        self._candidates += [run for run in _each(self._saved, found) if run is not None]

    def level(self, found: Sequence[Words], levels: Sequence[Level], *, whole: bool) -> Level:
        """Return the states of the level, kept in the checkpoint if the level is `whole`. Raises Unusable.

        The states found are sorted in place.
        """
        held = [Held(part) for parts in _each(lambda part: list(_sorted(part)), found) for part in parts]
        runs: list[Run] = [*self._candidates, *held]
        self._candidates = []
        known: list[Run] = [] if self.complete else [_run(level) for level in levels]
        some = _nonempty(news(runs, known, cores()))
        if some is None:
            return found[0][:0]
        number = len(levels) + 1
        if whole and number > len(self.checkpoint.noted):
            return self.checkpoint.keep_states(number, some)
        return self._nameless(some)

    def keep(self, levels: Sequence[Level], counts: dict[str, Any]) -> None:
        """Keep the counts up to the last level, which is complete. Raises Unusable."""
        if len(levels) > len(self.checkpoint.noted):
            self.checkpoint.keep_counts(len(levels), len(levels[-1]), counts)

    def _saved(self, found: Words) -> Kept | None:
        """Return the states as a run in a nameless file."""
        some = _nonempty(news([Held(part) for part in _sorted(found)], []))
        return None if some is None else self._nameless(some)

    def _nameless(self, pieces: Iterable[Words]) -> Kept:
        """Return the sorted states as a run in a nameless file. Raises Unusable."""
        with scratch(self.checkpoint.folder, encoded(pieces, self.checkpoint.words)) as file:
            return Kept(file)


def room_for(memory: float | None, words: int, successors: int) -> int | None:
    """Return how many states the set may hold in `memory` GiB; None for no bound.

    `successors` is the number of successors that are found between two checks of the bound.
    """
    if memory is None:
        return None
    # A word of each place, three quarters of which are filled, and of each state found, with room for a quarter more.
    places = (memory - anonymous() - SPARE) * 2**30 / (8 * words * (1 + 1.25 * FILLED))
    most = max([LEAST_PLACES, *sizes(int(places))])
    # The set is enlarged when fewer than a sixty-fourth of all its places are left.
    return int(FILLED * most) - (most + TAIL >> 6) - successors


def anonymous() -> float:
    """Return the memory of this process that no file backs, in GiB; the peak memory if the system does not tell."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        if "RssAnon" in lines:
            return int(lines["RssAnon"].split()[0]) / 2**20
    return gigabytes()


def _sorted(states: Words) -> Iterator[Words]:
    """Sort the states in place; yield the runs that they are then."""
    if states.shape[1] == 1:
        states.sort(axis=0)
        yield from [states] if len(states) else []
        return
    for begin in range(0, len(states), SORTED_AT_ONCE):
        part = states[begin : begin + SORTED_AT_ONCE]
        part[:] = in_order(part)
        yield part


def _run(level: Level) -> Run:
    """Return a level as a run; a level in memory is empty, or was found just now."""
    return level if isinstance(level, Kept) else Held(in_order(np.asarray(level)))


def _each(do: Callable[[Words], Made], found: Sequence[Words]) -> list[Made]:
    """Return what `do` makes of each, made at once; all are finished when one raises an error."""
    some = [each for each in found if len(each)]
    if len(some) < 2:
        return [do(each) for each in some]
    with ThreadPoolExecutor(len(some)) as pool:
        return list(pool.map(do, some))


def _nonempty(pieces: Iterable[Words]) -> Iterable[Words] | None:
    """Return the pieces that have states; None if there are none."""
    some = (piece for piece in pieces if len(piece))
    first = next(some, None)
    return None if first is None else chain([first], some)
