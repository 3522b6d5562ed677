"""What threads of a graphics processor do otherwise than those of the main processor: `OPERATIONS`.

These stand for the instructions of `bits.py` and the functions of `meeting.py` in the text of the loops. A place of the set
of known states is claimed by a compare-and-swap of its first word. Fences order the other words: they are written before
the first word is published, and read after it was seen. The threads of a warp wait for each other's places, so each must
go on by itself, as from compute capability 7.0 on.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from schedcheck.checker.tabulated.device.kernels import MISSED
from schedcheck.checker.tabulated.loops import meeting

cuda: Any = import_module("numba.cuda")


def lane() -> Any:
    """Return the number of this thread."""
    return cuda.grid(1)


def reserve(counts: Any, which: Any, many: Any) -> Any:
    """Add to a counter; return what it was before."""
    return cuda.atomic.add(counts, which, many)


def lowest(word: Any) -> Any:
    """Count the zeros below the lowest bit."""
    return np.uint64(cuda.popc(~word & (word - np.uint64(1))))


def fetch(rows: Any, row: Any) -> None:
    """Do nothing: other threads run while one waits for memory."""


def seen(rows: Any, row: Any) -> Any:
    """Load the first word of a row, before anything that is read later."""
    found = cuda.atomic.cas(rows, (row, 0), np.uint64(0), np.uint64(0))
    cuda.threadfence()
    return found


def claim(rows: Any, row: Any, empty: Any, word: Any) -> Any:
    """Compare and swap the first word of a row."""
    return cuda.atomic.cas(rows, (row, 0), empty, word) == empty


def publish(rows: Any, row: Any, word: Any) -> None:
    """Store the first word of a row, after everything that was written before."""
    cuda.threadfence()
    cuda.atomic.exch(rows, (row, 0), word)


def tally(counts: Any, which: Any) -> None:
    """Count one more in this place."""
    cuda.atomic.add(counts, which, 1)


def missed(buffers: Any, missing: Any, question: Any, number: Any, key: Any) -> Any:
    """Hand a question back if there is room; otherwise its state asks it again later.

    `handed_back` holds the counters. Several threads may hand the same question back; it is answered once.
    """
    place = cuda.atomic.add(buffers.handed_back, MISSED, 1)
    if place < buffers.missing.shape[0]:
        buffers.missing_of[place, 0] = question
        buffers.missing_of[place, 1] = number
        for word in range(key.shape[0]):
            buffers.missing[place, word] = key[word]
    return missing + 1


OPERATIONS: Mapping[Any, Any] = {
    name: cuda.jit(device=True)(operation)
    for name, operation in {
        "lane": lane,
        "reserve": reserve,
        "lowest": lowest,
        "fetch": fetch,
        "seen": seen,
        "claim": claim,
        "publish": publish,
        meeting.tally: tally,
        meeting.missed: missed,
    }.items()
}
"""By the name of an instruction, or by the function that it stands for."""
