"""The arguments of a loop as words: `flattened`. An array is its address and its sizes, a tuple is its items.

`Kinds` says what the words are, so that code is generated for them (`compiling.py`).
"""

from threading import RLock
from typing import Any

import numpy as np

Kinds = tuple[Any, ...]
"""For each argument: a type and number of dimensions, "i", "u" or "b", a number of zeros, or a tuple's class and its kinds."""

Words = tuple[int, ...]

KEPT = 16
"""The number of tuples whose words are kept, those used last. The arrays of a tuple are never resized."""

MASK = (1 << 64) - 1

_kept: dict[int, tuple[Any, Kinds, Words]] = {}
"""By the identity of a tuple, which no other has while this one is kept: the tuple, its kinds and words."""

_keeping = RLock()


def flattened(given: tuple[Any, ...]) -> tuple[Kinds, Words]:
    """Return the kinds and words of some arguments. Raises TypeError for arguments that no loop takes."""
    kinds: list[Any] = []
    words: list[int] = []
    for value in given:
        if isinstance(value, np.ndarray):
            if not value.flags.c_contiguous:
                raise TypeError("an array with gaps")
            kinds.append((value.dtype.name, value.ndim))
            words.append(value.ctypes.data)
            words.extend(value.shape)
        elif isinstance(value, tuple):
            kind, some = _tuple(value)
            kinds.append(kind)
            words.extend(some)
        else:
            kinds.append("b" if isinstance(value, bool | np.bool_) else "u" if isinstance(value, np.uint64) else "i")
            words.append(int(value) & MASK)
    return tuple(kinds), tuple(words)


def _tuple(value: tuple[Any, ...]) -> tuple[Kinds, Words]:
    """Return the kinds and words of a named tuple; other tuples are only as long as they are."""
    if not hasattr(value, "_fields"):
        if any(value):
            raise TypeError("a tuple that is not of zeros")
        return (len(value),), ()
    with _keeping:
        known = _kept.pop(id(value), None)
        if known is None:
            kinds, words = flattened(tuple(value))
            known = value, (type(value), *kinds), words
            if len(_kept) >= KEPT:
                del _kept[next(iter(_kept))]
        _kept[id(value)] = known
    return known[1], known[2]


def written(kinds: Kinds) -> str:
    """Return the kinds as text, the same in every process."""
    parts = (
        written(each) if isinstance(each, tuple) else each.__qualname__ if isinstance(each, type) else repr(each)
        for each in kinds
    )
    return f"({', '.join(parts)})"
