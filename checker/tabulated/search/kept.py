"""Sorted runs of packed states: encoded in a file (`Kept`) or in memory (`Held`), read a few blocks at a time.

A file has the blocks (`loops/runs.py`), the index, and six words: `FORMAT`, the numbers of states, of words of a state,
of states a block, of blocks, and the bytes of all blocks. The index has the first state of each block, and its end.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from weakref import finalize

import numpy as np

from schedcheck.checker.limits.durable import Unusable
from schedcheck.checker.tabulated.layout.layout import Flags, Numbers, Words
from schedcheck.checker.tabulated.loops import runs
from schedcheck.checker.tabulated.loops.runs import decode, encode, find, mark_near, most_bytes, not_before

FORMAT = 2
"""The version of the format of a file; version 1 had nothing but the words."""

TRAILER = 6
AT_ONCE = 16
"""The most blocks that are read or written at once."""

NAMELESS = "a file of spilled states"


class Run:
    """A sorted run in blocks; `firsts` has the first state of each block."""

    def __init__(self, count: int, block: int, firsts: Words) -> None:
        self.count = count
        self.block = block
        self.firsts = firsts

    def __len__(self) -> int:
        return self.count

    def blocks(self, begin: int, end: int) -> Words:
        """Return the states of the blocks from `begin` to `end`. Raises Unusable."""
        raise NotImplementedError

    def between(self, low: Words | None, high: Words | None) -> Words:
        """Return the states from `low` on that are before `high`; None stands for no bound. Raises Unusable."""
        begin = 0 if low is None else max(0, not_before(self.firsts, 0, low) - 1)
        end = len(self.firsts) if high is None else not_before(self.firsts, begin, high)
        states = self.blocks(begin, end)
        first = 0 if low is None else not_before(states, 0, low)
        return states[first : len(states) if high is None else not_before(states, first, high)]

    def near(self, states: Words) -> Iterator[Words]:
        """Yield the blocks in which some of these sorted states may be, a few at a time. Raises Unusable."""
        begin = max(0, not_before(self.firsts, 0, states[0]) - 1)
        end = not_before(self.firsts, begin, states[-1])
        end += end < len(self.firsts) and not (self.firsts[end] != states[-1]).any()
        firsts = self.firsts[begin:end]
        near = np.zeros(len(firsts), np.bool_)
        if len(firsts):
            mark_near(states, firsts, near)
        for first, last in _stretches(np.flatnonzero(near) + begin):
            for at in range(first, last + 1, AT_ONCE):
                yield self.blocks(at, min(at + AT_ONCE, last + 1))


class Held(Run):
    """A sorted run in memory."""

    def __init__(self, states: Words) -> None:
        super().__init__(len(states), runs.BLOCK, np.ascontiguousarray(states[:: runs.BLOCK]))
        self._states = states

    def blocks(self, begin: int, end: int) -> Words:
        """Return the states of the blocks from `begin` to `end`."""
        return self._states[begin * self.block : end * self.block]


class Kept(Run):
    """A sorted run in a file, which is read where it is sliced. Raises Unusable."""

    def __init__(self, file: Path | BinaryIO) -> None:
        """`file` is a path, or a nameless file, which disappears with this run and may be closed by the caller."""
        self._named = file if isinstance(file, Path) else None
        if not isinstance(file, Path):
            self._number = os.dup(file.fileno())
            finalize(self, os.close, self._number)
        size = self._size()
        trailer = np.frombuffer(self._read(size - 8 * TRAILER, 8 * TRAILER) if size >= 8 * TRAILER else b"", np.int64)
        sizes = [*map(int, trailer), *[0] * TRAILER]
        count, self.words, block, number, length = sizes[1:TRAILER]
        if sizes[0] != FORMAT or size != length + 8 * (number * (self.words + 1) + TRAILER):
            raise Unusable(f"{self._named or NAMELESS}: not a file of states in format {FORMAT}")
        index = np.frombuffer(self._read(length, size - length - 8 * TRAILER), np.uint64)
        super().__init__(count, block, index[: number * self.words].reshape(number, self.words))
        self._ends: Numbers = np.concatenate(([0], index[number * self.words :])).astype(np.int64)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of states and of words."""
        return self.count, self.words

    @property
    def nbytes(self) -> int:
        """The number of bytes of the states, decoded."""
        return 8 * self.words * self.count

    def __getitem__(self, part: slice) -> Words:
        begin, end, step = part.indices(self.count)
        assert step == 1, "states are read one after another"
        first = begin // self.block
        states = self.blocks(first, -(-max(begin, end) // self.block))
        return states[begin - first * self.block : end - first * self.block]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Words:
        return self[:]

    def has(self, target: Words) -> bool:
        """Whether this is one of the states. Raises Unusable."""
        return any(find(states, len(states), target) >= 0 for states in self.near(target.reshape(1, -1)))

    def blocks(self, begin: int, end: int) -> Words:
        """Return the states of the blocks from `begin` to `end`. Raises Unusable."""
        states = np.empty((max(0, min(end * self.block, self.count) - begin * self.block), self.words), np.uint64)
        for at in range(begin, end if len(states) else begin, AT_ONCE):
            last = min(at + AT_ONCE, end)
            data = np.frombuffer(self._read(self._ends[at], self._ends[last] - self._ends[at]), np.uint8)
            part = states[(at - begin) * self.block : (last - begin) * self.block]
            if decode(data, self.block, part) != len(data):
                raise Unusable(f"{self._named or NAMELESS}: damaged: not what was written")
        return states

    def _size(self) -> int:
        """Return the size of the file in bytes."""
        with self._told():
            return (os.stat(self._number) if self._named is None else self._named.stat()).st_size

    def _read(self, begin: int, size: int) -> bytes:
        """Return this part of the file."""
        with self._told():
            if self._named is None:
                return _read(self._number, begin, size)
            with open(self._named, "rb", buffering=0) as file:
                return _read(file.fileno(), begin, size)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Raise Unusable for an error of the system."""
        try:
            yield
        except OSError as error:
            raise Unusable(f"{self._named or NAMELESS}: cannot be read: {error.strerror or error}") from None


Level = Words | Kept
"""The states of a level: in memory, or in a file."""


def encoded(pieces: Iterable[Words], words: int) -> Iterator[bytes]:
    """Yield the content of the file of a run, given in pieces of any length."""
    count, length, block = 0, 0, runs.BLOCK
    firsts, ends = [np.empty((0, words), np.uint64)], [np.empty(0, np.int64)]
    for states in _of_length(pieces, AT_ONCE * block):
        data: Flags = np.empty(most_bytes(len(states), words), np.uint8)
        last: Numbers = np.empty(-(-len(states) // block), np.int64)
        size = encode(states, block, data, last)
        firsts.append(states[::block].copy())
        ends.append(last + length)
        count, length = count + len(states), length + size
        yield data[:size].tobytes()
    first, end = np.concatenate(firsts), np.concatenate(ends)
    trailer = np.array([FORMAT, count, words, block, len(first), length], np.int64)
    yield first.tobytes() + end.tobytes() + trailer.tobytes()


def slabs(states: Level, size: int) -> Iterator[Words]:
    """Yield the states: at once if they are in memory, else at most `size` at a time, in order. Raises Unusable."""
    if not isinstance(states, Kept):
        yield states
        return
    for begin in range(0, len(states), size):
        yield states[begin : begin + size]


def _of_length(pieces: Iterable[Words], length: int) -> Iterator[Words]:
    """Yield the same states in pieces of this length; the last may be shorter."""
    left: list[Words] = []
    size = 0
    for piece in pieces:
        left.append(piece)
        size += len(piece)
        if size >= length:
            whole = np.concatenate(left)
            end = size - size % length
            for begin in range(0, end, length):
                yield whole[begin : begin + length]
            left, size = [whole[end:].copy()], size - end
    if size:
        yield np.concatenate(left)


def _stretches(numbers: Numbers) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each stretch of consecutive numbers."""
    if len(numbers):
        breaks = np.flatnonzero(np.diff(numbers) != 1)
        yield from zip(
            map(int, numbers[np.concatenate(([0], breaks + 1))]),
            map(int, numbers[np.concatenate((breaks, [len(numbers) - 1]))]),
            strict=True,
        )


def _read(number: int, begin: int, size: int) -> bytes:
    """Return this part of the open file, shorter only at its end."""
    parts = []
    while size > 0 and (part := os.pread(number, size, begin)):
        parts.append(part)
        begin, size = begin + len(part), size - len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
