"""The steps of an exploration with their actions, as arrays: `edges`. All states are expanded again to find them."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from schedcheck.checker.limits.clock import Beyond
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.liveness.graph import Numbers
from schedcheck.checker.tabulated.layout.layout import Truths, Words, in_order
from schedcheck.checker.tabulated.loops.chunks import chunks
from schedcheck.checker.tabulated.loops.compiled import bare
from schedcheck.checker.tabulated.loops.hashing import number_states, numbers_of
from schedcheck.checker.tabulated.loops.loops import expand
from schedcheck.checker.tabulated.results.labels import Labels
from schedcheck.checker.tabulated.results.truths import field
from schedcheck.checker.tabulated.search.explorer import SUCCESSORS, Explorer
from schedcheck.checker.tabulated.search.within import beyond
from schedcheck.checker.tabulated.search.worker import PIECE, nothing_asked, nothing_recent, room, scratch


class Edges(NamedTuple):
    """All states, level by level, and the steps of each state in the order in which the machine takes them.

    `targets` has the number of each successor, `OUTSIDE` if it lies beyond a constraint; `labels` has the number of the
    action in `actions`. Steps that change nothing are included.
    """

    states: Words
    offsets: Numbers
    targets: Numbers
    labels: Numbers
    actions: Labels


def edges(explorer: Explorer, gigabytes: float | None = None) -> Edges:
    """Return the steps between the known states. Raises Beyond if the arrays take more than this many GiB.

    If the last level was not fully expanded, steps from its states are left out. Steps to states that are unknown
    because of a bound are left out too. The states are all there are, not representatives under symmetry.
    """
    assert explorer.orbits is None, "symmetry is off if steps are requested"
    # Sorted, so that nothing depends on which worker found which state first.
    none = np.zeros((0, explorer.plan.layout.words), np.uint64)
    states = np.concatenate([none, *(in_order(np.asarray(level)) for level in explorer.levels)])
    expanded = len(states) if explorer.expanded == len(states) else len(states) - len(explorer.levels[-1])
    index = np.full(1 << max(4, (2 * len(states)).bit_length()), -1, np.int64)
    number_states(index, states)
    found = _Growing(len(states), gigabytes, index.nbytes)
    naming = Naming(explorer)
    labels = naming.labels
    for begin in range(0, expanded, PIECE):
        piece = states[begin : min(begin + PIECE, expanded)]
        steps = list(naming.steps(piece))
        origin, numbers, after = (np.concatenate(each) for each in zip(*steps, strict=True))
        targets = numbers_of(index, states, after, len(after)).astype(np.int32)
        if explorer.stopped:
            known = (targets >= 0) | _outside(explorer, after)
            origin, numbers, targets = origin[known], numbers[known], targets[known]
        found.append(labels.places(), len(piece), origin, targets, numbers)
    return Edges(states, *found.arrays(), labels)


def _outside(explorer: Explorer, states: Words) -> Truths:
    """Return which of the states lie beyond the constraints."""
    if explorer.limits is None:
        return np.zeros(len(states), np.bool_)
    found: Truths = beyond(explorer.plan.program, explorer.limits, states)
    return found


class Naming:
    """Expands states with one extra word, in which a successor holds the number of the action that led to it."""

    def __init__(self, explorer: Explorer) -> None:
        self.explorer = explorer
        self.labels = Labels(explorer.plan, explorer.oracle)
        plan, words = explorer.plan, explorer.plan.layout.words + 1
        self._chunks = chunks(self.labels.program, len(plan.machine.kinds()))
        buffers = room(plan, self._chunks, SUCCESSORS, origins=True)
        self._buffers = buffers._replace(
            successors=np.zeros((len(buffers.successors), words), np.uint64),
            least=np.zeros((len(buffers.least), 2 * words), np.uint64),
        )
        self._forgot = explorer.oracle.forgot
        self._recent, self._asked = nothing_recent(plan, self._chunks), nothing_asked(plan)
        self._scratch = scratch(plan, self._chunks)._replace(current=np.empty(words, np.uint64))
        self._one = (0,) * words

    def steps(self, states: Words) -> Iterator[tuple[Numbers, Numbers, Words]]:
        """Yield the steps from the states in batches: the predecessor's number, the action's number, the successor."""
        explorer, plan, buffers = self.explorer, self.explorer.plan, self._buffers
        wide = np.column_stack([states, np.zeros(len(states), np.uint64)])
        todo = np.arange(len(states))
        while len(todo):
            answers = self.labels.answers()
            if self._forgot != explorer.oracle.forgot:
                self._recent, self._forgot = nothing_recent(plan, self._chunks), explorer.oracle.forgot
            came_to, count, missing, deferred = expand(
                self.labels.program,
                self._chunks,
                answers,
                self._recent,
                self._asked,
                self._scratch,
                self._one,
                wide,
                todo,
                explorer.judged,
                buffers,
            )
            origin, successors = buffers.origin[:count].copy(), buffers.successors[:count]
            numbers = _named(self.labels, states, origin, successors)
            after = np.ascontiguousarray(successors[:, :-1])
            todo = np.concatenate([buffers.deferred[:deferred], todo[came_to:]])
            explorer.answer(states, buffers, missing)
            yield origin, numbers, after


def _named(labels: Labels, states: Words, origin: Numbers, successors: Words) -> Numbers:
    """Return the numbers of the actions; a step without a label recounts the one budget that it changes."""
    numbers = labels.whole(successors[:, -1]).astype(np.int32)
    unnamed = np.flatnonzero(numbers == 0)
    if len(unnamed):
        plan = labels.plan
        before, after = states[origin[unnamed]], successors[unnamed]
        for budget, number in enumerate(labels.recounts):
            place = int(plan.program.ends[2]) + budget
            numbers[unnamed[field(plan, before, place) != field(plan, after, place)]] = number
        assert numbers.all(), "every step has an action"
    return numbers


class _Growing:
    """Arrays of steps, to which the steps of one piece of states after another are appended."""

    def __init__(self, states: int, gigabytes: float | None, beside: int) -> None:
        self._offsets = np.zeros(states + 1, np.int64)
        self._states = states
        self._gigabytes, self._beside = gigabytes, beside
        self._targets: Numbers = np.empty(1 << 12, np.int32)
        self._labels: Numbers = np.empty(1 << 12, np.int16)
        self._done = 0

    def append(self, places: Numbers, states: int, origin: Numbers, targets: Numbers, labels: Numbers) -> None:
        """Append the steps from `states` more states, in any order; `places` orders the steps of one state."""
        first = int(self._offsets[self._done])
        ends = first + np.cumsum(np.bincount(origin, minlength=states))
        self._offsets[self._done + 1 : self._done + states + 1] = ends
        self._make_room(first + len(origin), len(places))
        put_in_turn(
            places,
            origin,
            targets,
            labels,
            self._offsets[self._done : self._done + states],
            self._offsets[self._done : self._done + states].copy(),
            self._targets,
            self._labels,
        )
        self._done += states

    def arrays(self) -> tuple[Numbers, Numbers, Numbers]:
        """Return the offsets, targets and labels; states that were not expanded have no steps."""
        count = int(self._offsets[self._done])
        self._offsets[self._done + 1 :] = count
        return self._offsets, self._targets[:count], self._labels[:count]

    def _make_room(self, count: int, labels: int) -> None:
        if labels >= 2**15 and self._labels.dtype == np.int16:
            self._labels = self._labels.astype(np.int32)
        if count > len(self._targets):
            size = count + count // 2
            self._look(size)
            self._targets, self._labels = larger(self._targets, size), larger(self._labels, size)

    def _look(self, size: int) -> None:
        held = size * (4 + self._labels.itemsize) + self._offsets.nbytes + self._beside
        if self._gigabytes is not None and held / 2**30 >= self._gigabytes:
            raise Beyond(f"{parameter('limits.graph')} {self._gigabytes:g}")


def larger(array: Numbers, size: int) -> Numbers:
    """Return the array, enlarged to this size."""
    found = np.empty(size, array.dtype)
    found[: len(array)] = array
    return found


@bare
def put_in_turn(
    places: Numbers,
    origin: Numbers,
    targets: Numbers,
    labels: Numbers,
    firsts: Numbers,
    ends: Numbers,
    sorted_targets: Numbers,
    sorted_labels: Numbers,
) -> None:
    """Store the steps of each state from its first place on, sorted by the places of their actions.

    `ends` has the end of the stored steps of each state: at first, the first places.
    """
    for step in range(origin.shape[0]):
        state = origin[step]
        at = ends[state]
        ends[state] += 1
        while at > firsts[state] and places[sorted_labels[at - 1]] > places[labels[step]]:
            sorted_targets[at] = sorted_targets[at - 1]
            sorted_labels[at] = sorted_labels[at - 1]
            at -= 1
        sorted_targets[at] = targets[step]
        sorted_labels[at] = labels[step]
