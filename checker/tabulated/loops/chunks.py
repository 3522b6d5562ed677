"""Pods and nodes taken several at a time, for the compiled loops: `Chunks`.

Fields that are adjacent in a word of a state form a chunk. Each value of a chunk has a row: what its pods and nodes add
to the keys, and the steps they may take whatever other pods and nodes do. The loops sum the rows of a state instead of
visiting its pods one by one.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple, Protocol

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.loops.program import TURN, WAITS, WAITS_TO_THE_JUDGE, Program
from schedcheck.checker.tabulated.loops.sources import unchanged

BITS = 10
"""The most bits that the fields of one chunk take together."""

TURNS, WAITING, WAITING_TO_THE_JUDGE, APART, NODES_APART, THERE = range(6)
"""The masks of a row, after the keys of the nodes and the wide key.

Bit sets of pods: those whose turn it is, those that wait, those that wait as the judge sees it, and those to visit one
by one. Then the number of nodes to visit one by one. Last, in as many words as needed, the bit set of the existing
nodes.
"""

MOST_COUNTERS = 64

Step = tuple[int, int, tuple[int, ...]]
"""The kind of a step, the number of its counter or -1, and what it adds to the words of the state."""


@unchanged
class Chunks(NamedTuple):
    """The chunks of a program and their rows, as arrays."""

    word: Numbers  # by chunk, its word, and below its shift, its mask and its first row
    shift: Words
    mask: Words
    base: Words
    adds: Words  # by row, what it adds
    needs: Words  # by row, a bit for each counter that its steps use
    steps: Words  # by row, its first step; one more entry at the end
    changing: Words  # by row, the end of its steps that change the state
    moves_by: Words  # by step, what it adds to the words of the state
    kind: Numbers
    counter: Numbers
    kinds: Numbers  # by row and kind, the number of steps
    node_is_apart: Numbers  # by node value
    asks_as: Numbers  # by pod value, its number among the values that may be scheduled, else -1
    of_rank: Words  # by rank of priority, the bit set of its pods


class Planned(Protocol):
    """A plan, as far as the loops read it."""

    @property
    def program(self) -> Program:
        """The arrays of the scenario."""
        ...

    @property
    def chunks(self) -> Chunks:
        """The arrays of pods and nodes taken several at a time."""
        ...


class _Row(NamedTuple):
    """The amounts that a value adds to the keys and masks, and its steps."""

    adds: tuple[int, ...]
    steps: tuple[Step, ...]


def chunks(program: Program, kinds: int) -> Chunks:
    """Return the chunks of a program; `kinds` is its number of kinds of actions."""
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
    """Yield the fields of each chunk: adjacent fields of pods and nodes; last, all fields of width 0."""
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
    """Yield the rows of a chunk in the order of its bits; rows for values that no state has are empty."""
    empty = _Row((0,) * len(fields[group[0]][0].adds), ())
    values = [[*fields[each], *[empty] * ((1 << _width(program, each)) - len(fields[each]))] for each in group]
    for some in product(*reversed(values)):
        adds = tuple(sum(each) for each in zip(*(row.adds for row in some), strict=True))
        yield _Row(adds, tuple(sorted((step for row in some for step in row.steps), key=lambda step: not any(step[2]))))


def _adds(program: Program) -> int:
    """Return the number of words a row adds: the keys of the nodes, the wide key, and the masks."""
    nodes = int(program.ends[1]) - int(program.ends[0])
    return nodes * program.column_words + program.key_words + THERE + (nodes + 63) // 64


def _fields(program: Program) -> list[list[_Row]]:
    """Return the rows of the values of each pod and each node."""
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
    """Return the flags and steps of a pod value; None for steps that depend on the node or on more than counters."""
    first = int(program.situation[own])
    values = 1 if where < 0 else int(program.node_base[where + 1] - program.node_base[where])
    several = {
        (int(program.flags[each]), _steps(program, program.moves[each], program.moves[each + 1]))
        for each in range(first, first + values)
    }
    nominates = program.ends[4] > program.ends[3]
    return (0, None) if nominates or len(several) > 1 else several.pop()


def _steps(program: Program, begin: int, end: int) -> tuple[Step, ...] | None:
    """Return these steps of a pod; None if a step depends on more than a counter, or breaks a property."""
    found = []
    for number in range(begin, end):
        kind, field, budget, victim = program.move[number].tolist()
        counts = program.is_eviction[kind] and len(program.kept)
        if budget >= 0 or victim or counts or program.breaks[number] or field - program.ends[1] >= MOST_COUNTERS:
            return None
        found.append(_step(program, kind, field, program.moves_by[number]))
    return tuple(found)


def _node_steps(program: Program, own: int) -> tuple[Step, ...] | None:
    """Return the steps of a node value; None if a step breaks a property or its counter has no bit in the mask."""
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
