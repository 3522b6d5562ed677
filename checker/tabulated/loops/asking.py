"""Look up the answers of the tables for a state: `ask`."""

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.loops.arrays import (
    ADMISSION,
    CHOICE,
    EVICTION,
    NO_NODE,
    OUTCOME,
    RECENT,
    Answers,
    Asked,
    Buffers,
    Recent,
)
from schedcheck.checker.tabulated.loops.bits import lowest
from schedcheck.checker.tabulated.loops.chunks import THERE, TURNS, WAITING_TO_THE_JUDGE, Chunks
from schedcheck.checker.tabulated.loops.compiled import inlined
from schedcheck.checker.tabulated.loops.hashing import Table, look_up, mixed
from schedcheck.checker.tabulated.loops.meeting import missed
from schedcheck.checker.tabulated.loops.program import Program


@inlined
def value_of(program: Program, current: Words, field: int | np.int64) -> np.int64:
    """Return the number that the state has in a field."""
    return np.int64((current[program.word[field]] >> program.shift[field]) & program.mask[field])


@inlined
def ask(
    program: Program,
    chunks: Chunks,
    answers: Answers,
    recent: Recent,
    asked: Asked,
    current: Words,
    sums: Words,
    judged: bool,
    buffers: Buffers,
    number: int,
    missing: int,
) -> tuple[int, int]:
    """Look up the answers for the pods that may be scheduled next.

    Return the number of these pods (-1 if an answer is missing), and the number of missing questions so far.
    """
    nodes = program.ends[1] - program.ends[0]
    turns, judge_waiting = may_ask(program, chunks, sums, judged)
    recall(program, recent, asked, sums)
    known = True
    asking = 0
    while turns:
        pod = np.int64(lowest(turns))
        turns &= turns - np.uint64(1)
        if program.evicting[pod] >= 0 and value_of(program, current, program.evicting[pod]):
            continue
        own = program.pod_base[pod] + value_of(program, current, pod)
        ask = chunks.asks_as[own]
        asks = own * max(nodes, 1)
        asked.pod_key[0] = np.uint64(own) | (judge_waiting << np.uint64(32))
        begin_keys(program, asked, sums, own, ADMISSION, CHOICE)
        answered, missing = ask_of_nodes(
            program, answers.admission, answers.admitted, recent.admitted, asked, sums, buffers, ADMISSION, own, ask,
            asking, number, missing,
        )  # fmt: skip
        if not answered:
            known = False
            continue
        row = look_up(answers.choice.rows, answers.choice.keys, asked.pod_key)
        if row < 0:
            known = False
            missing = missed(buffers, missing, CHOICE + 4 * asks, number, asked.pod_key)
            continue
        asked.pods[asking] = pod
        asked.choices[asking] = row
        asked.outcomes[asking] = -1
        if answers.asks_more[row]:
            begin_keys(program, asked, sums, own, EVICTION, OUTCOME)
            answered, missing = ask_of_nodes(
                program, answers.eviction, answers.evicted, recent.evicted, asked, sums, buffers, EVICTION, own, ask,
                asking, number, missing,
            )  # fmt: skip
            if answered:
                row = look_up(answers.outcome.rows, answers.outcome.keys, asked.pod_key)
                if row < 0:
                    answered = False
                    missing = missed(buffers, missing, OUTCOME + 4 * asks, number, asked.pod_key)
                asked.outcomes[asking] = row
            if not answered:
                known = False
                continue
        asking += 1
    return asking if known else -1, missing


@inlined
def may_ask(program: Program, chunks: Chunks, sums: Words, judged: bool) -> tuple[np.uint64, np.uint64]:
    """Return the pods that may be scheduled next, and one more than the highest rank that waits to the judge."""
    masks = (program.ends[1] - program.ends[0]) * program.column_words + program.key_words
    judge_waiting = np.uint64(0)
    turns = sums[masks + TURNS]
    if judged:
        for rank in range(chunks.of_rank.shape[0]):
            if chunks.of_rank[rank] & sums[masks + WAITING_TO_THE_JUDGE]:
                judge_waiting = np.uint64(rank + 1)
    if program.highest_only:
        for rank in range(chunks.of_rank.shape[0]):
            if chunks.of_rank[rank] & sums[masks + TURNS]:
                turns = chunks.of_rank[rank] & sums[masks + TURNS]
    return turns, judge_waiting


@inlined
def begin_keys(program: Program, asked: Asked, sums: Words, own: np.int64, of_node: int, of_pod: int) -> None:
    """Fill in the keys of a pod's two questions what they see beside the nodes, and clear the answers of the nodes."""
    nodes, columns = program.ends[1] - program.ends[0], program.column_words
    node_key, pod_key, wide = asked.node_key, asked.pod_key, nodes * columns
    last = pod_key.shape[0] - program.key_words
    for word in range(program.key_words):
        node_key[1 + columns + word] = sums[wide + word] & program.sees[of_node, own, columns + word]
        pod_key[last + word] = sums[wide + word] & program.sees[of_pod, own, columns + word]
    for word in range(1, 1 + (nodes + 1) // 2):
        pod_key[word] = np.uint64(0)


@inlined
def ask_of_nodes(
    program: Program,
    table: Table,
    values: Numbers,
    known: Numbers,
    asked: Asked,
    sums: Words,
    buffers: Buffers,
    kind: int,
    own: np.int64,
    ask: np.int64,
    asking: int,
    number: int,
    missing: int,
) -> tuple[bool, int]:
    """Look up the question of this kind for each node, and put the answers into the key of the pod's next question.

    `known` has the rows of recent answers. Return whether all are answered, and the number of missing questions.
    """
    nodes, columns = program.ends[1] - program.ends[0], program.column_words
    node_key, pod_key, asks = asked.node_key, asked.pod_key, own * max(nodes, 1)
    answered = True
    for node in range(nodes):
        answer = np.uint64(NO_NODE)
        asked.evictions[asking, node] = -1
        at = asked.at[node]
        if at >= 0:
            row = known[at, ask] if known.shape[0] else np.int32(-1)
            if row < 0:
                node_key[0] = np.uint64(program.near[kind, asks + node])
                for word in range(columns):
                    node_key[1 + word] = sums[node * columns + word] & program.sees[kind, own, word]
                row = look_up(table.rows, table.keys, node_key)
                if row < 0:
                    answered = False
                    missing = missed(buffers, missing, kind + 4 * (asks + node), number, node_key)
                    continue
                if known.shape[0]:
                    known[at, ask] = row
            asked.evictions[asking, node] = row
            answer = np.uint64(values[row])
        pod_key[1 + node // 2] |= answer << np.uint64(32 * (node % 2))
    return answered, missing


@inlined
def recall(program: Program, recent: Recent, asked: Asked, sums: Words) -> None:
    """Find the place of each node in the cache of recent answers; a place that holds another key is emptied first.

    A cache of no places, for threads that have no room for one, keeps nothing.
    """
    nodes = program.ends[1] - program.ends[0]
    columns = program.column_words
    masks = nodes * columns + program.key_words
    wide = np.uint64(0)
    for word in range(nodes * columns, masks):
        wide = mixed(wide + sums[word])
    for node in range(nodes):
        asked.at[node] = -1
        if not (sums[masks + THERE + node // 64] >> np.uint64(node % 64)) & np.uint64(1):
            continue
        if recent.keys.shape[0] == 0:
            asked.at[node] = 0
            continue
        found = wide
        for word in range(columns):
            found = mixed(found + sums[node * columns + word])
        at = node * RECENT + np.int64(found & np.uint64(RECENT - 1))
        asked.at[node] = at
        same = True
        for word in range(columns):
            same = same and recent.keys[at, word] == sums[node * columns + word]
        for word in range(program.key_words):
            same = same and recent.keys[at, columns + word] == sums[nodes * columns + word]
        if not same:
            for word in range(columns):
                recent.keys[at, word] = sums[node * columns + word]
            for word in range(program.key_words):
                recent.keys[at, columns + word] = sums[nodes * columns + word]
            for ask in range(recent.admitted.shape[1]):
                recent.admitted[at, ask] = -1
                recent.evicted[at, ask] = -1
