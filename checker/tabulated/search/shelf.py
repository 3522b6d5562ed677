"""Levels that are expanded and wanted only for a trace: `put_aside`."""

from tempfile import TemporaryFile

from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.runs import in_pieces
from schedcheck.checker.tabulated.search.checkpoint import mapped
from schedcheck.checker.tabulated.search.durable import write

LEAST = 1 << 17
"""So many bytes and more are not left in memory."""


def put_aside(level: Words) -> Words:
    """The level in a file without a name, which stays there until it is looked at; as it is where there is no room."""
    if level.nbytes < LEAST:
        return level
    try:
        with TemporaryFile(buffering=0) as file:
            for piece in in_pieces(level):
                write(file, piece.tobytes())
            return mapped(file, level.shape[1])
    except OSError:
        return level
