"""The steps between all states, and the states from which a goal is no longer reachable: `steps`, `reachable`, `lost`.

All goals are looked for at once, each a bit of a word for every state. A round adds the bits of each state's successors to its
own, the last states first or the first states first in turn, until nothing changes. It brings a goal at least one step farther, so
there are at most as many rounds as the longest of all shortest ways to a goal has steps. Each thread has states of its own; a bit
that another one adds meanwhile is seen at once or in the next round.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedcheck.checker.limits.cores import cores
from schedcheck.checker.liveness.graph import Numbers
from schedcheck.checker.tabulated.layout.layout import Truths, Words, in_order
from schedcheck.checker.tabulated.loops.compiled import bare
from schedcheck.checker.tabulated.loops.hashing import number_states, numbers_of
from schedcheck.checker.tabulated.results.again import of_piece, pieces
from schedcheck.checker.tabulated.results.edges import larger
from schedcheck.checker.tabulated.results.truths import truths
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.spec.properties.kinds import Can

BITS = 64
"""The number of goals that are looked for at once."""
PIECE = 1 << 20
"""The number of states that a thread has at a time."""


class Steps(NamedTuple):
    """All states, level by level, and their steps.

    - `offsets`: the steps from state s are those numbered `offsets[s]` up to `offsets[s + 1]`.
    - `targets`: the state to which each step leads. Steps beyond a constraint are left out.
    - `ways_out`: whether a step from each state leads beyond a constraint.
    """

    states: Words
    offsets: Numbers
    targets: Numbers
    ways_out: Truths


def steps(explorer: Explorer) -> Steps:
    """Return the steps of the exploration; all states are expanded again."""
    states = np.concatenate([np.asarray(level) for level in explorer.levels])
    index = np.full(1 << max(4, (2 * len(states)).bit_length()), -1, np.int64)
    number_states(index, states)
    offsets, ways_out = np.zeros(len(states) + 1, np.int64), np.zeros(len(states), np.bool_)
    # As many steps were generated, be it by an earlier run, and some of them change nothing or lead beyond a constraint.
    targets: Numbers = np.empty(explorer.progress().generated, np.int32)
    with ThreadPoolExecutor(cores()) as pool:
        for piece in pieces(states):
            sources, reached = _steps_of(explorer, states, partial(_looked_up, pool, index, states), piece)
            ways_out[sources[reached < 0]] = True
            inside = reached >= 0
            counts = np.bincount(sources[inside] - piece.start, minlength=len(piece))
            offsets[piece.start + 1 : piece.stop + 1] = offsets[piece.start] + np.cumsum(counts)
            first, last = int(offsets[piece.start]), int(offsets[piece.stop])
            targets = targets if last <= len(targets) else larger(targets, 2 * last)
            targets[first:last] = reached[inside]
    return Steps(states, offsets, targets[: offsets[-1]], ways_out)


def _looked_up(pool: Executor, index: NDArray[np.int64], states: Words, wanted: Words) -> Numbers:
    """Return the numbers of the wanted states, -1 for an unknown one."""
    part = max(1, -(-len(wanted) // cores()))
    parts = (wanted[begin : begin + part] for begin in range(0, len(wanted), part))
    found = pool.map(lambda some: numbers_of(index, states, some, len(some)), parts)
    return np.concatenate([np.empty(0, np.int64), *found])


def _steps_of(
    explorer: Explorer, states: Words, look_up: Callable[[Words], Numbers], piece: range
) -> tuple[Numbers, Numbers]:
    """Return the steps from the states of a piece, in the order of these: the numbers of both states, -1 for an unknown one."""
    sources: list[Numbers] = [np.empty(0, np.int64)]
    reached: list[Numbers] = [np.empty(0, np.int64)]
    for origin, found in of_piece(explorer, states, piece):
        sources.append(origin.copy())
        reached.append(look_up(found))
    from_, to = np.concatenate(sources), np.concatenate(reached)
    if (from_[1:] < from_[:-1]).any():  # States that had to wait for answers come after others.
        order = np.argsort(from_, kind="stable")
        from_, to = from_[order], to[order]
    return from_, to


def reachable(known: Steps, goals: Sequence[Callable[[], Truths]]) -> Iterator[Truths]:
    """Yield for each goal from which states one of its states can be reached."""
    for begin in range(0, len(goals), BITS):
        some = goals[begin : begin + BITS]
        found = np.zeros(len(known.states), np.uint64)
        for number, goal in enumerate(some):
            found |= goal().astype(np.uint64) << np.uint64(number)
        _spread(known, found, (1 << len(some)) - 1)
        for number in range(len(some)):
            yield (found >> np.uint64(number)) & np.uint64(1) == 1


def _spread(known: Steps, found: NDArray[np.uint64], everything: int) -> None:
    """Add to the bits of each state those of all states that can be reached from it."""
    begins = range(0, len(known.states), PIECE)

    def one_round(begin: int, *, backwards: bool) -> int:
        end = min(begin + PIECE, len(found))
        return add(known.offsets, known.targets, found, np.uint64(everything), begin, end, backwards)

    with ThreadPoolExecutor(cores()) as pool:
        backwards = changed = True
        while changed:
            in_turn = reversed(begins) if backwards else begins
            changed = sum(pool.map(partial(one_round, backwards=backwards), in_turn)) > 0
            backwards = not backwards


@bare
def add(
    offsets: Numbers, targets: Numbers, found: Words, everything: np.uint64, begin: int, end: int, backwards: bool
) -> int:
    """Add the bits of the successors of each of these states to its own; return how many states changed."""
    changed = 0
    for place in range(end - begin):
        state = end - 1 - place if backwards else begin + place
        own = found[state]
        if own == everything:
            continue
        more, step = own, offsets[state]
        while step < offsets[state + 1] and more != everything:
            more |= found[targets[step]]
            step += 1
        if more != own:
            found[state] = more
            changed += 1
    return changed


class Lost(NamedTuple):
    """The nearest and least state from which no goal is reachable, or None; and whether other states are unclear."""

    nearest: Words | None
    unclear: bool


def lost(explorer: Explorer, known: Steps, questions: Sequence[Can]) -> Iterator[Lost]:
    """Yield for each question the states in which it arises and from which no goal is reachable.

    States from which a path leads beyond a constraint are unclear.
    """
    goals = [partial(truths, explorer.plan, known.states, each, each.holds) for each in questions]
    ways_out = next(reachable(known, [lambda: known.ways_out])) if known.ways_out.any() else known.ways_out
    for question, possible in zip(questions, reachable(known, goals), strict=True):
        arises = truths(explorer.plan, known.states, question, question.when)
        inside = arises & ~possible
        yield Lost(_nearest(explorer, known.states, inside & ~ways_out), bool(inside.any()))


def _nearest(explorer: Explorer, states: Words, among: Truths) -> Words | None:
    """Return the least of those of these states that are in the first level with one; None if there are none."""
    bad = np.flatnonzero(among)
    if len(bad) == 0:
        return None
    ends = np.cumsum([len(level) for level in explorer.levels])
    nearest: Words = in_order(states[bad[bad < ends[np.searchsorted(ends, bad[0], side="right")]]])[0]
    return nearest
