"""The kernels: `expand_lanes`, `canonicalise_lanes`, `insert_lanes`, `gather_lanes`, `move_lanes`.

A *lane* is one thread with its own rows of each buffer. The text of the loops is that of the main processor; a lane runs it
for one state. Each kernel ends before the next begins, so that what it wrote is visible there.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar, cast

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.loops.arrays import Answers, Asked, Buffers, Recent, Scratch
from schedcheck.checker.tabulated.loops.chunks import Chunks
from schedcheck.checker.tabulated.loops.compiled import instruction
from schedcheck.checker.tabulated.loops.loops import expand_one
from schedcheck.checker.tabulated.loops.meeting import tally
from schedcheck.checker.tabulated.loops.orbits import Orbits, Spare, canonicalise_in
from schedcheck.checker.tabulated.loops.places import EMPTY, One, insert
from schedcheck.checker.tabulated.loops.program import Program
from schedcheck.checker.tabulated.loops.sources import Source

MISSED, DEFERRED, SUCCESSORS, CROWDED, LEVEL = range(5)
"""The counters that all threads add to: questions, states put aside, successors, full lanes, and states of the level."""

lane = cast(Callable[[], int], instruction("lane"))
"""Return the number of this thread."""

reserve = cast(Callable[[Numbers, int, int | np.int64], np.int64], instruction("reserve"))
"""Add to a counter; return what it was before, which no other thread is told."""

Function = TypeVar("Function", bound=Callable[..., None])


class Lanes(NamedTuple):
    """The buffers of all lanes; where nothing else is said, the first dimension is the lane."""

    buffers: (
        Buffers  # `missing` to `deferred` are shared; `generated`, `visited` and `ended` have a row for several lanes
    )
    asked: Asked
    scratch: Scratch
    moved: Words  # room for one state, while the set is enlarged
    places: Words
    begins: Numbers  # the first successor that is not looked up yet
    ends: Numbers
    fresh: Numbers  # the number of new states, which stand in front of the successors


def kernel(function: Function) -> Function:
    """Make a kernel, of which each lane runs the function once."""
    return cast(Function, Source(function, inline=False))


@kernel
def expand_lanes(
    program: Program,
    chunks: Chunks,
    answers: Answers,
    recent: Recent,
    lanes: Lanes,
    one: One,
    level: Words,
    todo: Numbers,
    begin: int,
    count: int,
    judged: bool,
) -> None:
    """Expand `count` states from a place on: those of the level, or those whose numbers are in `todo` if it has any."""
    own = lane()
    if own >= count:
        return
    number = begin + own
    if todo.shape[0] > 0:
        number = todo[begin + own]
    shared, asked, scratch = lanes.buffers, lanes.asked, lanes.scratch
    stripe = own % shared.generated.shape[0]
    buffers = Buffers(
        shared.successors[own],
        shared.origin,
        shared.missing,
        shared.missing_of,
        shared.handed_back,
        shared.deferred,
        shared.generated[stripe],
        shared.visited[stripe],
        shared.ended[stripe],
        shared.stuck[own],
        shared.is_stuck[own],
        shared.least[own],
        shared.is_broken[own],
    )
    own_asked = Asked(
        asked.pods[own],
        asked.choices[own],
        asked.outcomes[own],
        asked.evictions[own],
        asked.at[own],
        asked.node_key[own],
        asked.pod_key[own],
    )
    own_scratch = Scratch(
        scratch.sums[own], scratch.rows[own], scratch.situations[own], scratch.current[own], scratch.spare[own]
    )
    answered, found, _ = expand_one(
        program, chunks, answers, recent, own_asked, own_scratch, one, level, number, judged, buffers, 0, 0
    )
    lanes.begins[own] = 0
    lanes.fresh[own] = 0
    lanes.ends[own] = found
    if answered:
        reserve(shared.handed_back, SUCCESSORS, found)
    else:
        shared.deferred[reserve(shared.handed_back, DEFERRED, 1)] = number


@kernel
def canonicalise_lanes(program: Program, orbits: Orbits, lanes: Lanes, spare: Spare, count: int) -> None:
    """Replace the successors by their canonical forms."""
    own = lane()
    if own >= count:
        return
    own_spare = Spare(
        spare.value[own],
        spare.new[own],
        spare.place[own],
        spare.shape[own],
        spare.moved[own],
        spare.order[own],
        spare.signature[own],
    )
    canonicalise_in(program, orbits, lanes.buffers.successors[own], lanes.ends[own], own_spare)


@kernel
def insert_lanes(known: Words, lanes: Lanes, one: One, count: int) -> None:
    """Insert the successors into the known states; those of a lane that are new move to its front.

    A lane that finds no free place counts itself among the crowded ones; it goes on when the set is enlarged.
    """
    own = lane()
    if own >= count:
        return
    states, end = lanes.buffers.successors[own], lanes.ends[own]
    came_to, fresh = insert(
        known, states, lanes.begins[own], end, states, lanes.fresh[own], states.shape[0], one, lanes.places[own]
    )
    lanes.begins[own] = np.int64(came_to)
    lanes.fresh[own] = fresh
    if lanes.begins[own] < end:
        tally(lanes.buffers.handed_back, CROWDED)


@kernel
def gather_lanes(level: Words, lanes: Lanes, one: One, count: int) -> None:
    """Append the new states of all lanes to the level."""
    own = lane()
    if own >= count:
        return
    states, fresh = lanes.buffers.successors[own], lanes.fresh[own]
    place = reserve(lanes.buffers.handed_back, LEVEL, fresh)
    for number in range(fresh):
        for word in range(len(one)):
            level[place + number, word] = states[number, word]


@kernel
def move_lanes(known: Words, into: Words, lanes: Lanes, one: One, begin: int, count: int) -> None:
    """Insert the states at `count` places of the set, from `begin` on, into a larger one."""
    own = lane()
    if own >= count:
        return
    place = begin + own
    if known[place, 0] == EMPTY:
        return
    state = lanes.moved[own]
    for word in range(len(one)):
        state[0, word] = ~known[place, word]
    came_to, _ = insert(into, state, 0, 1, state, 0, 1, one, lanes.places[own])
    if came_to < 1:
        tally(lanes.buffers.handed_back, CROWDED)
