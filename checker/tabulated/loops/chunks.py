"""Pods and nodes a few at a time, for the compiled loops: `Chunks`.

The fields of a state that lie beside each other in a word are a chunk. For each of its values a row says what these pods
and nodes add to what is looked at, and which steps they may take whatever the others do. A sum over the rows of a state
takes the place of looking at its pods one by one.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.loops.program import TURN, WAITS, WAITS_TO_THE_JUDGE, Program

BITS = 10
"""How many bits of a word several fields may take together."""

TURNS, WAITING, WAITING_TO_THE_JUDGE, APART, NODES_APART, THERE = range(6)
"""Behind the keys of the nodes and the wide key a row has masks: of pods whose turn it is, who wait, who wait to the judge,
and who must be looked at one by one; how many nodes must be; and, in as many words as it takes, which nodes are there."""

MOST_COUNTERS = 64

Step = tuple[int, int, tuple[int, ...]]
"""Its kind, the number of its counter or -1, and what it adds to the words of the state."""


class Chunks(NamedTuple):
    """The arrays."""

    word: Numbers  # of each chunk, in which word it lies, where, and its first row
    shift: Words
    mask: Words
    base: Words
    adds: Words  # of each row, what it adds
    needs: Words  # of each row, a bit for each counter that its steps use up
    steps: Words  # of each row, its first step; one more at the end
    changing: Words  # of each row, the end of those of its steps that change something
    moves_by: Words  # of each step, what it adds to the words of the state
    kind: Numbers
    counter: Numbers
    kinds: Numbers  # of each row and kind, how many steps there are
    node_is_apart: Numbers  # of each node value
    asks_as: Numbers  # of each pod value whose turn it may be, its number among them, else -1
    of_rank: Words  # of each rank of priority, the pods that have it


class _Row(NamedTuple):
    """What a value adds, and its steps."""

    adds: tuple[int, ...]
    steps: tuple[Step, ...]


def chunks(program: Program, kinds: int) -> Chunks:
    """The chunks of a program, which has so many kinds of actions."""
    fields = _fields(program)
    groups = list(_groups(program))
    table = [list(_rows(group, program, fields)) for group in groups]
    flat = [row for rows in table for row in rows]
    steps = [step for row in flat for step in row.steps]
    begins = np.concatenate(([0], np.cumsum([len(row.steps) for row in flat])))
    counted = np.zeros((len(flat), kinds), np.int64)
    for number, row in enumerate(flat):
        for kind, _, _ in row.steps:
            counted[number, kind] += 1
    changing = [sum(any(by) for _, _, by in row.steps) for row in flat]
    needs = [{counter for _, counter, _ in row.steps if counter >= 0} for row in flat]
    return Chunks(
        np.array([program.word[group[0]] for group in groups], np.int64),
        np.array([program.shift[group[0]] for group in groups], np.uint64),
        np.array([(1 << sum(_width(program, field) for field in group)) - 1 for group in groups], np.uint64),
        np.concatenate(([0], np.cumsum([len(rows) for rows in table])))[:-1].astype(np.uint64),
        np.array([row.adds for row in flat], np.uint64).reshape(-1, _adds(program)),
        np.array([sum(1 << counter for counter in some) for some in needs], np.uint64),
        begins.astype(np.uint64),
        (begins[:-1] + np.array(changing, np.int64)).astype(np.uint64),
        np.array([by for _, _, by in steps], np.uint64).reshape(-1, program.moves_by.shape[1]),
        np.array([kind for kind, _, _ in steps], np.int64),
        np.array([counter for _, counter, _ in steps], np.int64),
        counted,
        np.array([_node_steps(program, own) is None for own in range(len(program.is_there))], np.int64),
        _asks_as(program),
        np.array(
            [
                sum(1 << pod for pod, own in enumerate(program.rank) if own == rank)
                for rank in range(1 + max(program.rank, default=-1))
            ],
            np.uint64,
        ),
    )


def _width(program: Program, field: int) -> int:
    return int(program.mask[field]).bit_length()


def _groups(program: Program) -> Iterator[list[int]]:
    """The fields of the pods and nodes, chunk by chunk: those that lie beside each other, and those that take no bit."""
    taken = [field for field in range(int(program.ends[1])) if _width(program, field)]
    group: list[int] = []
    end = (-1, -1)
    for field in sorted(taken, key=lambda each: (program.word[each], program.shift[each])):
        begins, width = (int(program.word[field]), int(program.shift[field])), _width(program, field)
        if group and (begins != end or begins[1] + width - int(program.shift[group[0]]) > BITS):
            yield group
            group = []
        group.append(field)
        end = begins[0], begins[1] + width
    if group:
        yield group
    constant = [field for field in range(int(program.ends[1])) if not _width(program, field)]
    if constant:
        yield constant


def _rows(group: Sequence[int], program: Program, fields: Sequence[Sequence[_Row]]) -> Iterator[_Row]:
    """The rows of a chunk, in the order of its bits; what no state has is left empty."""
    empty = _Row((0,) * len(fields[group[0]][0].adds), ())
    values = [[*fields[each], *[empty] * ((1 << _width(program, each)) - len(fields[each]))] for each in group]
    for some in product(*reversed(values)):
        adds = tuple(sum(each) for each in zip(*(row.adds for row in some), strict=True))
        yield _Row(adds, tuple(sorted((step for row in some for step in row.steps), key=lambda step: not any(step[2]))))


def _adds(program: Program) -> int:
    """How many words a row adds: the keys of the nodes, the wide key, and the masks."""
    nodes = int(program.ends[1]) - int(program.ends[0])
    return nodes * program.column_words + program.key_words + THERE + (nodes + 63) // 64


def _fields(program: Program) -> list[list[_Row]]:
    """Of each pod and each node the rows of its values."""
    pods, nodes = int(program.ends[0]), int(program.ends[1]) - int(program.ends[0])
    columns = program.column_words
    masks = nodes * columns + program.key_words
    width = _adds(program)
    found = []
    for pod in range(pods):
        rows = []
        for own in range(program.pod_base[pod], program.pod_base[pod + 1]):
            adds = [0] * width
            where = int(program.points_at[own])
            if where >= 0:
                adds[where * columns : (where + 1) * columns] = program.column[own].tolist()
            adds[nodes * columns : masks] = program.wide[own].tolist()
            flags, steps = _pod_steps(program, own, where)
            if steps is None:
                adds[masks + APART] = 1 << pod
            else:
                for mask, flag in ((TURNS, TURN), (WAITING, WAITS), (WAITING_TO_THE_JUDGE, WAITS_TO_THE_JUDGE)):
                    adds[masks + mask] = bool(flags & flag) << pod
            rows.append(_Row(tuple(adds), steps or ()))
        found.append(rows)
    for node in range(nodes):
        rows = []
        for own in range(program.node_base[node], program.node_base[node + 1]):
            adds = [0] * width
            adds[node * columns : (node + 1) * columns] = program.node_column[own].tolist()
            adds[nodes * columns : masks] = program.node_wide[own].tolist()
            adds[masks + THERE + node // 64] = int(program.is_there[own]) << node % 64
            steps = _node_steps(program, own)
            if steps is None:
                adds[masks + NODES_APART] = 1
            rows.append(_Row(tuple(adds), steps or ()))
        found.append(rows)
    return found


def _pod_steps(program: Program, own: int, where: int) -> tuple[int, tuple[Step, ...] | None]:
    """The flags and steps of a pod value, no steps if these depend on the node, or on more than counters."""
    first = int(program.situation[own])
    values = 1 if where < 0 else int(program.node_base[where + 1] - program.node_base[where])
    several = {
        (int(program.flags[each]), _steps(program, program.moves[each], program.moves[each + 1]))
        for each in range(first, first + values)
    }
    nominates = program.ends[4] > program.ends[3]
    return (0, None) if nominates or len(several) > 1 else several.pop()


def _steps(program: Program, begin: int, end: int) -> tuple[Step, ...] | None:
    """These steps of a pod, None if one depends on more than a counter, or breaks a property."""
    found = []
    for number in range(begin, end):
        kind, field, budget, victim = program.move[number].tolist()
        counts = program.is_eviction[kind] and len(program.kept)
        if budget >= 0 or victim or counts or program.breaks[number] or field - program.ends[1] >= MOST_COUNTERS:
            return None
        found.append(_step(program, kind, field, program.moves_by[number]))
    return tuple(found)


def _node_steps(program: Program, own: int) -> tuple[Step, ...] | None:
    """The steps of a node value, None if it must be looked at by itself."""
    found = []
    for number in range(program.node_moves[own], program.node_moves[own + 1]):
        kind, field = program.node_move[number, :2].tolist()
        if program.node_breaks[number] or field - program.ends[1] >= MOST_COUNTERS:
            return None
        found.append(_step(program, kind, field, program.node_moves_by[number]))
    return tuple(found)


def _step(program: Program, kind: int, field: int, by: Words) -> Step:
    return kind, int(field - program.ends[1]) if field >= 0 else -1, tuple(by.tolist())


def _asks_as(program: Program) -> Numbers:
    found = np.full(len(program.points_at), -1, np.int64)
    asking = 0
    for own in range(len(found)):
        where = program.points_at[own]
        values = 1 if where < 0 else program.node_base[where + 1] - program.node_base[where]
        first = program.situation[own]
        if (program.flags[first : first + values] & TURN).any():
            found[own] = asking
            asking += 1
    return found
