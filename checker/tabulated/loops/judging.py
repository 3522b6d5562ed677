"""The compiled loop that looks up, for new states, which properties each node breaks: `judge_nodes`."""

from typing import NamedTuple

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Flags, Words
from schedcheck.checker.tabulated.loops.arrays import RECENT, Buffers
from schedcheck.checker.tabulated.loops.chunks import THERE, Chunks
from schedcheck.checker.tabulated.loops.compiled import bare, inlined
from schedcheck.checker.tabulated.loops.hashing import Table, look_up, mixed
from schedcheck.checker.tabulated.loops.meeting import missed
from schedcheck.checker.tabulated.loops.places import One
from schedcheck.checker.tabulated.loops.program import Program


class Harmless(NamedTuple):
    """A cache of keys of nodes that break nothing; the hash of a key names its place."""

    are: Flags
    columns: Words


@inlined
def _add_up(chunks: Chunks, states: Words, number: int, sums: Words) -> None:
    """Sum what the chunks of a state add."""
    for each in range(sums.shape[0]):
        sums[each] = np.uint64(0)
    for chunk in range(chunks.word.shape[0]):
        bits = (states[number, chunks.word[chunk]] >> chunks.shift[chunk]) & chunks.mask[chunk]
        for each in range(sums.shape[0]):
            sums[each] += chunks.adds[chunks.base[chunk] + bits, each]


@bare
def judge_nodes(
    program: Program,
    chunks: Chunks,
    table: Table,
    breaks: Words,
    harmless: Harmless,
    one: One,
    states: Words,
    sums: Words,
    key: Words,
    buffers: Buffers,
) -> tuple[int, int]:
    """Look up which properties each node breaks with its pods; a key that is not in the table is handed back.

    Return the place of the first state that was not visited, and the number of missing questions.
    """
    words = len(one)
    nodes = program.ends[1] - program.ends[0]
    columns = program.column_words
    there = nodes * columns + program.key_words + THERE
    missing = 0
    for number in range(states.shape[0]):
        if missing > buffers.missing.shape[0] - nodes:
            return number, missing
        _add_up(chunks, states, number, sums)
        for node in range(nodes):
            if not (sums[there + node // 64] >> np.uint64(node % 64)) & np.uint64(1):
                continue
            key[0] = np.uint64(node)
            found = np.uint64(0)
            for word in range(columns):
                key[1 + word] = sums[node * columns + word] & program.judged[word]
                found = mixed(found + key[1 + word])
            at = node * RECENT + np.int64(found & np.uint64(RECENT - 1))
            same = harmless.are[at] != 0
            for word in range(columns):
                same = same and harmless.columns[at, word] == key[1 + word]
            if same:
                continue
            row = look_up(table.rows, table.keys, key)
            if row < 0:
                missing = missed(buffers, missing, 0, number, key)
            elif breaks[row]:
                for question in range(64):
                    if breaks[row] >> np.uint64(question) & np.uint64(1):
                        less = not buffers.is_broken[question]
                        for word in range(words):
                            if less or states[number, word] != buffers.least[question, word]:
                                less = less or states[number, word] < buffers.least[question, word]
                                break
                        if less:
                            buffers.is_broken[question] = 1
                            for word in range(words):
                                buffers.least[question, word] = states[number, word]
            else:
                harmless.are[at] = 1
                for word in range(columns):
                    harmless.columns[at, word] = key[1 + word]
    return states.shape[0], missing
