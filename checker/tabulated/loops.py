"""The compiled loop over states: `expand`.

Nothing here knows what a scheduler does: that is in the arrays of `Program` and `Chunks`, and in the tables, which the
specification fills. A question that a table does not answer yet is handed back.
"""

from typing import NamedTuple

import numpy as np

from schedcheck.checker.tabulated.bits import lowest
from schedcheck.checker.tabulated.chunks import (
    APART,
    NODES_APART,
    THERE,
    TURNS,
    WAITING,
    WAITING_TO_THE_JUDGE,
    Chunks,
)
from schedcheck.checker.tabulated.compiled import bare, inlined
from schedcheck.checker.tabulated.hashing import Table, look_up, mixed
from schedcheck.checker.tabulated.layout import Flags, Numbers, Words
from schedcheck.checker.tabulated.places import One
from schedcheck.checker.tabulated.program import TURN, WAITS, WAITS_TO_THE_JUDGE, Program

NO_NODE = np.uint64(0xFFFFFFFF)
"""Stands for a node that is not there."""

ADMISSION, EVICTION, CHOICE, OUTCOME = range(4)
"""The questions: of a pod and a node, whether it may go there, and whom it may evict there; of a pod, what follows."""

MOST_SUCCESSORS = 4096
"""How much room a buffer must have for the successors of one more state."""


class Answers(NamedTuple):
    """The tables and their rows.

    The answers of ADMISSION and EVICTION are numbers that stand for all that matters of a node. EVICTION also has
    options: which of its own kinds each is, what it adds to the words of the state, whom it would evict later. CHOICE
    has ends, and what these add; OUTCOME too, or instead the node and the kind of the options there.
    """

    admission: Table
    admitted: Numbers
    eviction: Table
    evicted: Numbers
    options: Numbers
    option_kind: Numbers
    option_moves_by: Words
    option_healthy: Numbers
    option_evicts: Words
    option_breaks: Words
    choice: Table
    asks_more: Numbers
    chosen: Numbers
    choice_kind: Numbers
    choice_moves_by: Words
    choice_breaks: Words
    outcome: Table
    outcomes: Numbers
    outcome_end: Numbers
    outcome_moves_by: Words
    outcome_breaks: Words


class Buffers(NamedTuple):
    """What an expansion hands back: successors, unanswered questions, the states that have them, counts and faults.

    `origin` has the number of the state that each successor was found from, if it has room for any. `visited` counts how
    often the steps of each row of a chunk were taken, `generated` the steps that are not in it.
    """

    successors: Words
    origin: Numbers
    missing: Words
    missing_of: Numbers
    deferred: Numbers
    generated: Numbers
    visited: Numbers
    ended: Numbers
    least: Words
    is_broken: Numbers


class Recent(NamedTuple):
    """What the tables said last of each node, so that they need not be searched: where the hash of its key says, the key,
    and what was said of each pod value that may ask, -1 where nothing was.
    """

    keys: Words
    admitted: Numbers
    evicted: Numbers


class Asked(NamedTuple):
    """The pods that are taken up in a state, and the rows that say what follows."""

    pods: Numbers
    choices: Numbers
    outcomes: Numbers
    evictions: Numbers
    at: Numbers
    node_key: Words
    pod_key: Words


class Scratch(NamedTuple):
    """What the loop notes of a state."""

    sums: Words
    rows: Words
    situations: Numbers
    current: Words
    spare: Numbers


RECENT = 1 << 11
"""For how many keys of each node is remembered what the tables said."""


@inlined
def _value(program: Program, current: Words, field: int | np.int64) -> np.int64:
    return np.int64((current[program.word[field]] >> program.shift[field]) & program.mask[field])


@bare
def expand(
    program: Program,
    chunks: Chunks,
    answers: Answers,
    recent: Recent,
    asked: Asked,
    scratch: Scratch,
    one: One,
    states: Words,
    todo: Numbers,
    judged: bool,
    buffers: Buffers,
) -> tuple[int, int, int, int]:
    """Expand the states of these numbers, until the buffers are full.

    Gives the place of the first that was not expanded, and how many successors, missing questions and deferred states
    there are.
    """
    pods, nodes_end, counters_end = program.ends[0], program.ends[1], program.ends[2]
    nodes = nodes_end - pods
    key_words = program.key_words
    masks = nodes + key_words
    counts_the_healthy = program.kept.shape[0] + program.healthy.shape[0] > 0
    sums, rows, situations, current, spare = (
        scratch.sums,
        scratch.rows,
        scratch.situations,
        scratch.current,
        scratch.spare,
    )
    count, missing, deferred = 0, 0, 0
    room = buffers.successors.shape[0] - MOST_SUCCESSORS
    most_missing = buffers.missing.shape[0] - 8 * (nodes + 1)
    for place in range(todo.shape[0]):
        if count > room or missing > most_missing or deferred == buffers.deferred.shape[0]:
            return place, count, missing, deferred
        number = todo[place]
        for word in range(len(one)):
            current[word] = states[number, word]
        for each in range(sums.shape[0]):
            sums[each] = np.uint64(0)
        for chunk in range(rows.shape[0]):
            row = chunks.base[chunk] + ((current[chunks.word[chunk]] >> chunks.shift[chunk]) & chunks.mask[chunk])
            rows[chunk] = row
            for each in range(sums.shape[0]):
                sums[each] += chunks.adds[row, each]
        if counts_the_healthy or sums[masks + APART]:
            _situate(program, current, sums, masks, situations)
        for budget in range(program.budget_wide.shape[0]):
            allowed = np.uint64(_value(program, current, counters_end + budget))
            sums[nodes + program.budget_wide[budget, 0]] += allowed << np.uint64(program.budget_wide[budget, 1])

        asking = 0
        if sums[masks + TURNS]:
            asking, missing = _ask(
                program, chunks, answers, recent, asked, current, sums, judged, buffers, number, missing
            )
            if asking < 0:
                buffers.deferred[deferred] = number
                deferred += 1
                continue

        first = count
        for kept in range(spare.shape[0]):
            healthy = 0
            for pod in range(pods):
                healthy += program.kept_healthy[kept, situations[pod]]
            spare[kept] = program.kept_spare[kept, healthy]
        count = _move(program, chunks, one, current, rows, buffers, count)
        if sums[masks + APART]:
            count = _move_those_apart(program, one, current, sums[masks + APART], situations, spare, buffers, count)
        if sums[masks + NODES_APART]:
            count = _move_nodes_apart(program, chunks, one, current, buffers, count)
        if program.healthy.shape[0]:
            count = _recount(program, one, current, situations, buffers, count)
        if asking:
            count = _decide(program, answers, asked, asking, one, current, spare, buffers, count)
        if buffers.origin.shape[0]:
            for each in range(first, count):
                buffers.origin[each] = number
        if count == first:
            buffers.ended[1 if sums[masks + WAITING] else 0] += 1
    return todo.shape[0], count, missing, deferred


@inlined
def _situate(program: Program, current: Words, sums: Words, masks: int, situations: Numbers) -> None:
    """The situation of each pod, and whether it is its turn where only that tells."""
    pods = program.ends[0]
    for pod in range(pods):
        own = program.pod_base[pod] + _value(program, current, pod)
        where = program.points_at[own]
        situation = program.situation[own]
        if where >= 0:
            situation += _value(program, current, pods + where)
        situations[pod] = situation
        bit = np.uint64(1) << np.uint64(pod)
        if sums[masks + APART] & bit:
            flags = program.flags[situation]
            if flags & TURN:
                sums[masks + TURNS] |= bit
            if flags & WAITS:
                sums[masks + WAITING] |= bit
            if flags & WAITS_TO_THE_JUDGE:
                sums[masks + WAITING_TO_THE_JUDGE] |= bit


@inlined
def _ask(
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
    """What the tables say of the pods that may be taken up.

    Gives how many these are, -1 if something is not known yet, and how many questions are missing.
    """
    pods = program.ends[0]
    nodes = program.ends[1] - pods
    masks = nodes + program.key_words
    node_key, pod_key = asked.node_key, asked.pod_key
    for word in range(program.key_words):
        node_key[2 + word] = sums[nodes + word]
        pod_key[pod_key.shape[0] - program.key_words + word] = sums[nodes + word]
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
    _recall(program, recent, asked, sums)
    known = True
    asking = 0
    while turns:
        pod = np.int64(lowest(turns))
        turns &= turns - np.uint64(1)
        if program.evicting[pod] >= 0 and _value(program, current, program.evicting[pod]):
            continue
        own = program.pod_base[pod] + _value(program, current, pod)
        ask = chunks.asks_as[own]
        answered = True
        for word in range(1 + (nodes + 1) // 2):
            pod_key[word] = np.uint64(0)
        pod_key[0] = np.uint64(own) | (judge_waiting << np.uint64(32))
        for node in range(nodes):
            answer = NO_NODE
            at = asked.at[node]
            if at >= 0:
                said = recent.admitted[at, ask]
                if said < 0:
                    node_key[0] = np.uint64(own * nodes + node)
                    node_key[1] = sums[node]
                    row = look_up(answers.admission.rows, answers.admission.keys, node_key)
                    if row < 0:
                        answered = False
                        missing = missed(buffers, missing, ADMISSION, number, node_key)
                        continue
                    said = answers.admitted[row]
                    recent.admitted[at, ask] = said
                answer = np.uint64(said)
            pod_key[1 + node // 2] |= answer << np.uint64(32 * (node % 2))
        if not answered:
            known = False
            continue
        row = look_up(answers.choice.rows, answers.choice.keys, pod_key)
        if row < 0:
            known = False
            missing = missed(buffers, missing, CHOICE, number, pod_key)
            continue
        asked.pods[asking] = pod
        asked.choices[asking] = row
        asked.outcomes[asking] = -1
        if answers.asks_more[row]:
            for word in range(1, 1 + (nodes + 1) // 2):
                pod_key[word] = np.uint64(0)
            for node in range(nodes):
                answer = NO_NODE
                asked.evictions[asking, node] = -1
                at = asked.at[node]
                if at >= 0:
                    row = recent.evicted[at, ask]
                    if row < 0:
                        node_key[0] = np.uint64(own * nodes + node)
                        node_key[1] = sums[node]
                        row = look_up(answers.eviction.rows, answers.eviction.keys, node_key)
                        if row < 0:
                            answered = False
                            missing = missed(buffers, missing, EVICTION, number, node_key)
                            continue
                        recent.evicted[at, ask] = row
                    asked.evictions[asking, node] = row
                    answer = np.uint64(answers.evicted[row])
                pod_key[1 + node // 2] |= answer << np.uint64(32 * (node % 2))
            if answered:
                row = look_up(answers.outcome.rows, answers.outcome.keys, pod_key)
                if row < 0:
                    answered = False
                    missing = missed(buffers, missing, OUTCOME, number, pod_key)
                asked.outcomes[asking] = row
            if not answered:
                known = False
                continue
        asking += 1
    return asking if known else -1, missing


@inlined
def _recall(program: Program, recent: Recent, asked: Asked, sums: Words) -> None:
    """Where that stands which the tables said of each node; nothing is said yet of one that was not seen of late."""
    nodes = program.ends[1] - program.ends[0]
    masks = nodes + program.key_words
    wide = np.uint64(0)
    for word in range(nodes, masks):
        wide = mixed(wide + sums[word])
    for node in range(nodes):
        asked.at[node] = -1
        if not (sums[masks + THERE + node // 64] >> np.uint64(node % 64)) & np.uint64(1):
            continue
        at = node * RECENT + np.int64(mixed(wide + sums[node]) & np.uint64(RECENT - 1))
        asked.at[node] = at
        same = recent.keys[at, 0] == sums[node]
        for word in range(program.key_words):
            same = same and recent.keys[at, 1 + word] == sums[nodes + word]
        if not same:
            recent.keys[at, 0] = sums[node]
            for word in range(program.key_words):
                recent.keys[at, 1 + word] = sums[nodes + word]
            for ask in range(recent.admitted.shape[1]):
                recent.admitted[at, ask] = -1
                recent.evicted[at, ask] = -1


@inlined
def _move(program: Program, chunks: Chunks, one: One, current: Words, rows: Words, buffers: Buffers, count: int) -> int:
    """The steps that pods and nodes may take whatever the others do."""
    used_up = np.uint64(0)
    first = program.ends[1]
    for field in range(first, program.ends[2]):
        if _value(program, current, field) == 0:
            used_up |= np.uint64(1) << np.uint64(field - first)
    for chunk in range(rows.shape[0]):
        row = rows[chunk]
        if chunks.needs[row] & used_up:
            count = _move_if_left(chunks, one, current, row, used_up, buffers, count)
            continue
        buffers.visited[row] += 1
        for step in range(chunks.steps[row], chunks.changing[row]):
            for word in range(len(one)):
                buffers.successors[count, word] = current[word] + chunks.moves_by[step, word]
            count += 1
    return count


@inlined
def _move_if_left(
    chunks: Chunks, one: One, current: Words, row: np.uint64, used_up: np.uint64, buffers: Buffers, count: int
) -> int:
    """Those of the steps of a row whose counter is not used up."""
    for step in range(chunks.steps[row], chunks.steps[row + np.uint64(1)]):
        if chunks.counter[step] >= 0 and used_up >> np.uint64(chunks.counter[step]) & np.uint64(1):
            continue
        buffers.generated[chunks.kind[step]] += 1
        if step < chunks.changing[row]:
            for word in range(len(one)):
                buffers.successors[count, word] = current[word] + chunks.moves_by[step, word]
            count += 1
    return count


@inlined
def _written(program: Program, one: One, current: Words, breaks: np.uint64, buffers: Buffers, count: int) -> int:
    """A step was written: how many there are now, which is one more if it changes something."""
    if program.ends[4] > program.ends[3]:
        _due(
            program.ends,
            program.word,
            program.shift,
            program.mask,
            program.pod_base,
            program.victim,
            program.evictable,
            program.awaits,
            program.evicting,
            buffers.successors,
            count,
        )
    if breaks:
        _keep_least(buffers.successors, buffers.least, buffers.is_broken, count, current, breaks)
    other = False
    for word in range(len(one)):
        other = other or buffers.successors[count, word] != current[word]
    return count + 1 if other else count


@inlined
def _move_those_apart(
    program: Program,
    one: One,
    current: Words,
    apart: np.uint64,
    situations: Numbers,
    spare: Numbers,
    buffers: Buffers,
    count: int,
) -> int:
    """The steps of the pods that must be looked at one by one."""
    due = np.uint64(0)
    for field in range(program.ends[3], program.ends[4]):
        due |= np.uint64(_value(program, current, field))
    while apart:
        pod = np.int64(lowest(apart))
        apart &= apart - np.uint64(1)
        for move in range(program.moves[situations[pod]], program.moves[situations[pod] + 1]):
            if program.move[move, 3] and not due & program.victim[pod]:
                continue
            kind, counter, budget = program.move[move, 0], program.move[move, 1], program.move[move, 2]
            if counter >= 0 and _value(program, current, counter) == 0:
                continue
            if budget >= 0 and _value(program, current, budget) == 0:
                continue
            breaks = program.breaks[move]
            if program.is_eviction[kind]:
                for kept in range(spare.shape[0]):
                    if program.kept_healthy[kept, situations[pod]] > spare[kept]:
                        breaks |= np.uint64(1) << np.uint64(program.kept[kept])
            buffers.generated[kind] += 1
            for word in range(len(one)):
                buffers.successors[count, word] = current[word] + program.moves_by[move, word]
            count = _written(program, one, current, breaks, buffers, count)
    return count


@inlined
def _move_nodes_apart(program: Program, chunks: Chunks, one: One, current: Words, buffers: Buffers, count: int) -> int:
    """The steps of the nodes that must be looked at by themselves."""
    pods = program.ends[0]
    for node in range(program.ends[1] - pods):
        own = program.node_base[node] + _value(program, current, pods + node)
        if not chunks.node_is_apart[own]:
            continue
        for move in range(program.node_moves[own], program.node_moves[own + 1]):
            counter = program.node_move[move, 1]
            if counter >= 0 and _value(program, current, counter) == 0:
                continue
            buffers.generated[program.node_move[move, 0]] += 1
            for word in range(len(one)):
                buffers.successors[count, word] = current[word] + program.node_moves_by[move, word]
            count = _written(program, one, current, program.node_breaks[move], buffers, count)
    return count


@inlined
def _recount(program: Program, one: One, current: Words, situations: Numbers, buffers: Buffers, count: int) -> int:
    """What the budgets allow, counted again."""
    for budget in range(program.healthy.shape[0]):
        healthy = 0
        for pod in range(program.ends[0]):
            healthy += program.healthy[budget, situations[pod]]
        field = program.ends[2] + budget
        change = program.spare[budget, healthy] - _value(program, current, field)
        if change:
            for word in range(len(one)):
                buffers.successors[count, word] = current[word]
            buffers.successors[count, program.word[field]] += np.uint64(change) << program.shift[field]
            buffers.generated[program.recount] += 1
            count = _written(program, one, current, np.uint64(0), buffers, count)
    return count


@inlined
def _decide(
    program: Program,
    answers: Answers,
    asked: Asked,
    asking: int,
    one: One,
    current: Words,
    spare: Numbers,
    buffers: Buffers,
    count: int,
) -> int:
    """What the scheduler may do."""
    for asker in range(asking):
        row = asked.choices[asker]
        for end in range(answers.chosen[row], answers.chosen[row + 1]):
            buffers.generated[answers.choice_kind[end]] += 1
            for word in range(len(one)):
                buffers.successors[count, word] = current[word] + answers.choice_moves_by[end, word]
            count = _written(program, one, current, answers.choice_breaks[end], buffers, count)
        is_bound = answers.chosen[row + 1] > answers.chosen[row]
        row = asked.outcomes[asker]
        if row < 0:
            continue
        for end in range(answers.outcomes[row], answers.outcomes[row + 1]):
            if answers.outcome_end[end, 1] >= 0:
                count = _evict(program, answers, asked, asker, end, one, current, spare, buffers, count)
            elif not is_bound:
                buffers.generated[answers.outcome_end[end, 0]] += 1
                for word in range(len(one)):
                    buffers.successors[count, word] = current[word] + answers.outcome_moves_by[end, word]
                count = _written(program, one, current, answers.outcome_breaks[end], buffers, count)
    return count


@inlined
def _evict(
    program: Program,
    answers: Answers,
    asked: Asked,
    asker: int,
    end: int,
    one: One,
    current: Words,
    spare: Numbers,
    buffers: Buffers,
    count: int,
) -> int:
    """Whom a pod may evict on a node: the options there of one kind."""
    kind, node, of_kind = answers.outcome_end[end, 0], answers.outcome_end[end, 1], answers.outcome_end[end, 2]
    found = asked.evictions[asker, node]
    for option in range(answers.options[found], answers.options[found + 1]):
        if answers.option_kind[option] != of_kind:
            continue
        breaks = answers.outcome_breaks[end] | answers.option_breaks[option]
        if program.is_eviction[kind]:
            for kept in range(spare.shape[0]):
                if answers.option_healthy[option, kept] > spare[kept]:
                    breaks |= np.uint64(1) << np.uint64(program.kept[kept])
        buffers.generated[kind] += 1
        for word in range(len(one)):
            buffers.successors[count, word] = current[word] + answers.option_moves_by[option, word]
        if answers.option_evicts[option]:
            field = program.evicting[asked.pods[asker]]
            due = answers.option_evicts[option] << program.shift[field]
            buffers.successors[count, program.word[field]] |= due
        count = _written(program, one, current, breaks, buffers, count)
    return count


@bare
def _due(
    ends: Numbers,
    words: Numbers,
    shifts: Words,
    masks: Words,
    pod_base: Numbers,
    victim: Words,
    evictable: Flags,
    awaits: Flags,
    evicting: Numbers,
    successors: Words,
    count: int,
) -> None:
    """Of what is to be evicted leave only who is still there, for whom still waits, or for nobody."""
    pods, budgets_end, fields = ends[0], ends[3], ends[4]
    there = np.uint64(0)
    for field in range(budgets_end, fields):
        there |= (successors[count, words[field]] >> shifts[field]) & masks[field]
    if there == 0:
        return
    there = np.uint64(0)
    for pod in range(pods):
        if victim[pod]:
            value = (successors[count, words[pod]] >> shifts[pod]) & masks[pod]
            if evictable[pod_base[pod] + np.int64(value)]:
                there |= victim[pod]
    nobody = fields - 1
    for pod in range(pods):
        field = evicting[pod]
        if field < 0:
            continue
        word, shift = words[field], shifts[field]
        due = (successors[count, word] >> shift) & masks[field]
        if due == 0:
            continue
        successors[count, word] &= ~(masks[field] << shift)
        value = (successors[count, words[pod]] >> shifts[pod]) & masks[pod]
        whose = field if awaits[pod_base[pod] + np.int64(value)] else nobody
        successors[count, words[whose]] |= due << shifts[whose]
    for field in range(budgets_end, fields):
        word = words[field]
        gone = masks[field] & ~there
        successors[count, word] &= ~(gone << shifts[field])


@bare
def _keep_least(
    successors: Words, least: Words, is_broken: Numbers, count: int, current: Words, breaks: np.uint64
) -> None:
    """Keep the step that was written for each property that it breaks, if it is the least that does."""
    words = current.shape[0]
    for question in range(64):
        if breaks >> np.uint64(question) & np.uint64(1) and _less(
            successors, least, is_broken, question, count, current
        ):
            is_broken[question] = 1
            for word in range(words):
                least[question, word] = successors[count, word]
                least[question, words + word] = current[word]


@bare
def _less(successors: Words, least: Words, is_broken: Numbers, question: int, count: int, current: Words) -> bool:
    if not is_broken[question]:
        return True
    words = current.shape[0]
    for word in range(words):
        new, old = successors[count, word], least[question, word]
        if new != old:
            return new < old
    for word in range(words):
        new, old = current[word], least[question, words + word]
        if new != old:
            return new < old
    return False


@bare
def missed(buffers: Buffers, missing: int, question: int, number: int, key: Words) -> int:
    """Hand a question back, unless it is one of the last that were."""
    for earlier in range(max(0, missing - 16), missing):
        if buffers.missing_of[earlier, 0] == question:
            same = True
            for word in range(key.shape[0]):
                if buffers.missing[earlier, word] != key[word]:
                    same = False
                    break
            if same:
                return missing
    buffers.missing_of[missing, 0] = question
    buffers.missing_of[missing, 1] = number
    for word in range(key.shape[0]):
        buffers.missing[missing, word] = key[word]
    return missing + 1
