"""Levels that are expanded and needed only for a trace: `put_aside`."""

from tempfile import TemporaryFile
from typing import BinaryIO

import numpy as np

from schedcheck.checker.limits.durable import write
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.runs import in_pieces

LEAST = 1 << 17
"""The size in bytes from which a level is moved out of memory."""


def put_aside(level: Words) -> Words:
    """Return the level mapped from a nameless file, or the level itself if it is small or cannot be written."""
    if level.nbytes < LEAST:
        return level
    try:
        with TemporaryFile(buffering=0) as file:
            for piece in in_pieces(level):
                write(file, piece.tobytes())
            return mapped(file, level.shape[1])
    except OSError:
        return level


def mapped(file: BinaryIO, words: int) -> Words:
    """Return the states in a file; they are read from disk when they are used."""
    # Copy-on-write, though nothing writes: the compiled loops accept writable arrays only.
    states: Words = np.asarray(np.memmap(file, np.uint64, "c")).reshape(-1, words)
    return states
