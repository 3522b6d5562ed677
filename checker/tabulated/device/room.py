"""The buffers of all lanes: `lanes`, and how many successors a state may have: `most_successors`."""

from typing import TYPE_CHECKING, Any

import numpy as np

from schedcheck.checker.tabulated.device.kernels import Lanes
from schedcheck.checker.tabulated.layout.layout import Numbers
from schedcheck.checker.tabulated.loops.arrays import Answers, Buffers
from schedcheck.checker.tabulated.loops.places import AHEAD
from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.checker.tabulated.search.worker import nothing_asked, room, scratch

if TYPE_CHECKING:
    from schedcheck.checker.tabulated.device.cuda import Device

STRIPES = 64
"""The rows of counts that lanes share, so that few lanes add to one number at a time."""

COUNTERS = 8
"""The room for the counters that all lanes add to."""

SHARE = 4
"""The lanes take at most this fraction of the free memory, as one in so many parts."""


def most_successors(plan: Plan, answers: Answers) -> int:
    """Return the most steps that may leave a state, by the tables as they are now.

    Every pod and node takes the steps of the value that has most of them, and every pod may be scheduled.
    """
    program, chunks = plan.program, plan.chunks
    pods, nodes = len(plan.slots.pods), len(plan.slots.nodes)
    begins = chunks.base.astype(np.int64).tolist()
    of_rows = _lengths(chunks.steps.astype(np.int64))
    together = sum(_most(of_rows[begin:end]) for begin, end in zip(begins, [*begins[1:], len(of_rows)], strict=True))
    slots = np.array([slot for slot, _, _ in plan.situations], np.int64)
    of_situations = _lengths(program.moves)
    apart = sum(_most(of_situations[slots == slot]) for slot in range(pods))
    of_values, base = _lengths(program.node_moves), [*program.node_base.tolist(), len(program.is_there)]
    of_nodes = sum(_most(of_values[base[node] : base[node + 1]]) for node in range(nodes))
    evictions = nodes * _most(_lengths(answers.options))
    decisions = pods * (_most(_lengths(answers.chosen)) + _most(_lengths(answers.outcomes)) + evictions)
    return together + apart + of_nodes + len(program.healthy) + decisions


def _lengths(begins: Numbers) -> Numbers:
    """Return how many there are of each; in the spare rows of a table, less than none."""
    return begins[1:] - begins[:-1]


def _most(numbers: Numbers) -> int:
    """Return the greatest of the numbers; 0 for none."""
    return int(numbers.max(initial=0))


def lanes(device: "Device", plan: Plan, successors: int) -> tuple[Lanes, int]:
    """Return the buffers for so many successors of a state, and the number of lanes. Raises Full."""
    words = plan.layout.words
    # One row more: a step that changes nothing is written before it is dropped.
    rows, asked, spare = successors + 1, nothing_asked(plan), scratch(plan, plan.chunks)
    questions = max(1, len(plan.questions))
    each = 8 * (rows * words + (questions + 1) * (2 * words + 1) + AHEAD + 16)
    each += sum(array.nbytes for array in (*asked, *spare))
    count = max(1, min(device.most_lanes, device.free() // SHARE // each))
    host = room(plan, plan.chunks, 0)

    def own(*shape: int, of: type[np.generic] = np.int64) -> Any:
        return device.zeros((count, *shape), of)

    def like(array: Any) -> Any:
        return own(*array.shape, of=array.dtype.type)

    buffers = Buffers(
        successors=own(rows, words, of=np.uint64),
        origin=device.zeros((0,), np.int64),
        missing=device.zeros(host.missing.shape, np.uint64),
        missing_of=device.zeros(host.missing_of.shape, np.int64),
        handed_back=device.zeros((COUNTERS,), np.int64),
        deferred=device.zeros((count,), np.int64),
        generated=device.zeros((STRIPES, *host.generated.shape), np.int64),
        visited=device.zeros((STRIPES, *host.visited.shape), np.int64),
        ended=device.zeros((STRIPES, *host.ended.shape), np.int64),
        stuck=own(words, of=np.uint64),
        is_stuck=own(1),
        least=own(questions, 2 * words, of=np.uint64),
        is_broken=own(questions),
    )
    return Lanes(
        buffers,
        type(asked)(*map(like, asked)),
        type(spare)(*map(like, spare)),
        own(1, words, of=np.uint64),
        own(AHEAD, of=np.uint64),
        own(),
        own(),
        own(),
    ), count
