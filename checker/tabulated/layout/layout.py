"""The exact packing of a state into 64-bit words: `Layout`, `in_order`.

A state is a row of small numbers, one per field: the value of each pod and each node, the remaining uses of each rule,
what each budget allows, and the pods to evict. A field lies within one word. The highest bit of every word is never
used, so that a word of ones stands for no state.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

BITS = 63

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.uint8]
Truths = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Layout:
    """The place of each field in the words of a state; `sizes` is the number of values of each field."""

    sizes: tuple[int, ...]

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """The number of bits of each field."""
        return tuple((size - 1).bit_length() for size in self.sizes)

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """The word and lowest bit of each field; the widest are placed first, each in the first word with room."""
        used: list[int] = []
        found = dict.fromkeys(range(len(self.sizes)), (0, 0))
        for field in sorted(found, key=lambda each: (-self.widths[each], each)):
            width = self.widths[field]
            word = next((number for number, bits in enumerate(used) if bits + width <= BITS), len(used))
            if word == len(used):
                used.append(0)
            found[field] = (word, used[word])
            used[word] += width
        return tuple(found.values())

    @cached_property
    def _reading(self) -> tuple[tuple[int, int, int], ...]:
        """The word, the shift and the mask of each field."""
        return tuple(
            (word, shift, (1 << width) - 1) for width, (word, shift) in zip(self.widths, self.places, strict=True)
        )

    @cached_property
    def words(self) -> int:
        """The number of words of a state."""
        return max((word for word, _ in self.places), default=0) + 1

    def pack(self, numbers: Sequence[int]) -> Words:
        """Return the packed state with these numbers in its fields. Raises OverflowError if a number is too large."""
        packed = [0] * self.words
        for number, size, (word, shift) in zip(numbers, self.sizes, self.places, strict=True):
            if not 0 <= number < size:
                raise OverflowError(f"{number} in a field of {size} values")
            packed[word] |= number << shift
        return np.array(packed, np.uint64)

    def unpack(self, packed: Words) -> tuple[int, ...]:
        """Return the numbers in the fields of a packed state."""
        words = packed.tolist()
        return tuple([words[word] >> shift & mask for word, shift, mask in self._reading])


def in_order(states: Words) -> Words:
    """Return the packed states, sorted by their words."""
    if states.shape[1] == 1:
        return np.sort(states, axis=0)
    ordered: Words = states[np.lexsort(tuple(states[:, word] for word in reversed(range(states.shape[1]))))]
    return ordered
