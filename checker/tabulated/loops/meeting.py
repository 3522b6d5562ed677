"""What the threads of an expansion write to one place: `tally`, `missed`.

The threads of the main processor each have buffers of their own, so nothing here is atomic. Those of a graphics processor
share them: it has another text for these (`device/operations.py`), and for the instructions in `bits.py`.
"""

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.loops.arrays import Buffers
from schedcheck.checker.tabulated.loops.compiled import bare, inlined
from schedcheck.checker.tabulated.loops.hashing import hashed


@inlined
def tally(counts: Numbers, which: int | np.int64 | np.uint64) -> None:
    """Count one more in this place."""
    counts[which] += 1


@bare
def missed(buffers: Buffers, missing: int, question: int, number: int, key: Words) -> int:
    """Hand a question back, unless the last question with the same place in the hash table is the same one.

    `question` is its kind plus four times the number of the pod value and node it asks about.
    """
    place = hashed(key, key.shape[0]) & np.uint64(buffers.handed_back.shape[0] - 1)
    earlier = buffers.handed_back[place]
    if earlier < missing and buffers.missing_of[earlier, 0] % 4 == question % 4:
        same = True
        for word in range(key.shape[0]):
            if buffers.missing[earlier, word] != key[word]:
                same = False
                break
        if same:
            return missing
    buffers.handed_back[place] = missing
    buffers.missing_of[missing, 0] = question
    buffers.missing_of[missing, 1] = number
    for word in range(key.shape[0]):
        buffers.missing[missing, word] = key[word]
    return missing + 1
