"""The compiled loop over states: `expand`.

This file knows nothing about schedulers: that knowledge is in the arrays of `Program` and `Chunks`, and in the tables
that the specification fills. A question that no table answers yet is handed back.
"""

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.loops.arrays import MOST_SUCCESSORS, Answers, Asked, Buffers, Recent, Scratch
from schedcheck.checker.tabulated.loops.asking import ask, value_of
from schedcheck.checker.tabulated.loops.chunks import APART, NODES_APART, TURNS, WAITING, WAITING_TO_THE_JUDGE, Chunks
from schedcheck.checker.tabulated.loops.compiled import bare, inlined
from schedcheck.checker.tabulated.loops.meeting import tally
from schedcheck.checker.tabulated.loops.places import One
from schedcheck.checker.tabulated.loops.program import TURN, WAITS, WAITS_TO_THE_JUDGE, Program
from schedcheck.checker.tabulated.loops.stepping import (
    decide,
    move_nodes_apart,
    move_those_apart,
    move_together,
    recount,
)


@bare
def expand(
    program: Program,
    chunks: Chunks,
    answers: Answers,
    recent: Recent,
    asked: Asked,
    scratch: Scratch,
    one: One,
    states: Words,
    todo: Numbers,
    judged: bool,
    buffers: Buffers,
) -> tuple[int, int, int, int]:
    """Expand the states of these numbers, until a buffer is full.

    Return the place of the first state that was not expanded, and the numbers of successors, missing questions and
    deferred states.
    """
    nodes = program.ends[1] - program.ends[0]
    count, missing, deferred = 0, 0, 0
    room = buffers.successors.shape[0] - MOST_SUCCESSORS
    most_missing = buffers.missing.shape[0] - 8 * (nodes + 1)
    for place in range(todo.shape[0]):
        if count > room or missing > most_missing or deferred == buffers.deferred.shape[0]:
            return place, count, missing, deferred
        number, first = todo[place], count
        answered, count, missing = expand_one(
            program, chunks, answers, recent, asked, scratch, one, states, number, judged, buffers, count, missing
        )
        if not answered:
            buffers.deferred[deferred] = number
            deferred += 1
        elif buffers.origin.shape[0]:
            for each in range(first, count):
                buffers.origin[each] = number
    return todo.shape[0], count, missing, deferred


@inlined
def expand_one(
    program: Program,
    chunks: Chunks,
    answers: Answers,
    recent: Recent,
    asked: Asked,
    scratch: Scratch,
    one: One,
    states: Words,
    number: int,
    judged: bool,
    buffers: Buffers,
    count: int,
    missing: int,
) -> tuple[bool, int, int]:
    """Write the successors of the state of this number, from the place `count` on.

    Return whether all its questions are answered, and the numbers of successors and missing questions so far.
    """
    pods, nodes_end, counters_end = program.ends[0], program.ends[1], program.ends[2]
    nodes = nodes_end - pods
    wide = nodes * program.column_words
    masks = wide + program.key_words
    sums, rows, situations, current, spare = (
        scratch.sums,
        scratch.rows,
        scratch.situations,
        scratch.current,
        scratch.spare,
    )
    for word in range(len(one)):
        current[word] = states[number, word]
    for each in range(sums.shape[0]):
        sums[each] = np.uint64(0)
    for chunk in range(rows.shape[0]):
        row = chunks.base[chunk] + ((current[chunks.word[chunk]] >> chunks.shift[chunk]) & chunks.mask[chunk])
        rows[chunk] = row
        for each in range(sums.shape[0]):
            sums[each] += chunks.adds[row, each]
    if program.kept.shape[0] + program.healthy.shape[0] > 0 or sums[masks + APART]:
        _situate(program, current, sums, masks, situations)
    for budget in range(program.budget_wide.shape[0]):
        allowed = np.uint64(value_of(program, current, counters_end + budget))
        sums[wide + program.budget_wide[budget, 0]] += allowed << np.uint64(program.budget_wide[budget, 1])

    asking = 0
    if sums[masks + TURNS]:
        asking, missing = ask(program, chunks, answers, recent, asked, current, sums, judged, buffers, number, missing)
    if asking >= 0:
        first = count
        for kept in range(spare.shape[0]):
            healthy = 0
            for pod in range(pods):
                healthy += program.kept_healthy[kept, situations[pod]]
            spare[kept] = program.kept_spare[kept, healthy]
        count = move_together(program, chunks, one, current, rows, buffers, count)
        if sums[masks + APART]:
            count = move_those_apart(program, one, current, sums[masks + APART], situations, spare, buffers, count)
        if sums[masks + NODES_APART]:
            count = move_nodes_apart(program, chunks, one, current, buffers, count)
        if program.healthy.shape[0]:
            count = recount(program, one, current, situations, buffers, count)
        if asking:
            count = decide(program, answers, asked, asking, one, current, spare, buffers, count)
        if count == first:
            tally(buffers.ended, 1 if sums[masks + WAITING] else 0)
            if sums[masks + WAITING]:
                _keep_stuck(buffers.stuck, buffers.is_stuck, current)
    return asking >= 0, count, missing


@bare
def _keep_stuck(stuck: Words, is_stuck: Numbers, current: Words) -> None:
    """Keep the state if it is the least stuck one so far."""
    less = is_stuck[0] == 0
    for word in range(current.shape[0]):
        if less or current[word] != stuck[word]:
            less = less or current[word] < stuck[word]
            break
    if less:
        is_stuck[0] = 1
        for word in range(current.shape[0]):
            stuck[word] = current[word]


@inlined
def _situate(program: Program, current: Words, sums: Words, masks: int, situations: Numbers) -> None:
    """Find the situation of each pod, and the flags of the pods that are visited one by one."""
    pods = program.ends[0]
    for pod in range(pods):
        own = program.pod_base[pod] + value_of(program, current, pod)
        where = program.points_at[own]
        situation = program.situation[own]
        if where >= 0:
            situation += value_of(program, current, pods + where)
        situations[pod] = situation
        bit = np.uint64(1) << np.uint64(pod)
        if sums[masks + APART] & bit:
            flags = program.flags[situation]
            if flags & TURN:
                sums[masks + TURNS] |= bit
            if flags & WAITS:
                sums[masks + WAITING] |= bit
            if flags & WAITS_TO_THE_JUDGE:
                sums[masks + WAITING_TO_THE_JUDGE] |= bit
