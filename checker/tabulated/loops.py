"""The compiled loops: states are expanded over the tables, and their successors looked for among those that are known.

Nothing here knows what a scheduler does: that is in the arrays of `Program`, and in the tables, which the specification
fills. A question that a table does not answer yet is handed back.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from schedcheck.checker.tabulated.layout import Numbers, Truths, Words
from schedcheck.checker.tabulated.program import TURN, WAITS, WAITS_TO_THE_JUDGE, Program

NO_NODE = np.uint64(0xFFFFFFFF)
"""Stands for a node that is not there."""

EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
"""Stands in the set of known states for none."""

AHEAD = 32
"""How many states are looked for at once."""

ADMISSION, EVICTION, CHOICE, OUTCOME = range(4)
"""The questions: of a pod and a node, whether it may go there, and whom it may evict there; of a pod, what follows."""

MOST_SUCCESSORS = 4096
"""How much room a buffer must have for the successors of one more state."""


class Table(NamedTuple):
    """Which row answers a key: `rows` is open to all hashes, -1 where it is empty."""

    rows: Numbers
    keys: Words


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
    """What an expansion hands back: successors, unanswered questions, the states that have them, counts and faults."""

    successors: Words
    origin: Numbers
    missing: Words
    missing_of: Numbers
    recent: Numbers  # the numbers of questions that were handed back, by their hashes
    deferred: Numbers
    generated: Numbers
    ended: Numbers
    least: Words
    is_broken: Numbers


@njit(cache=True, nogil=True, inline="always")
def _mixed(word: np.uint64) -> np.uint64:
    word ^= word >> np.uint64(32)
    word *= np.uint64(0xD6E8FEB86659FD93)
    word ^= word >> np.uint64(32)
    word *= np.uint64(0xD6E8FEB86659FD93)
    word ^= word >> np.uint64(32)
    return word


@njit(cache=True, nogil=True, inline="always")
def hashed(key: Words, words: int) -> np.uint64:
    """The hash of so many words."""
    found = np.uint64(0)
    for number in range(words):
        found = _mixed(found * np.uint64(0x9E3779B97F4A7C15) + key[number])
    return found


@njit(cache=True, nogil=True)
def look_up(rows: Numbers, keys: Words, key: Words) -> int:
    """The row that answers the key, -1 if none does."""
    words = keys.shape[1]
    last = np.uint64(rows.shape[0] - 1)
    place = hashed(key, words) & last
    while True:
        row = rows[place]
        if row < 0:
            return row
        same = True
        for number in range(words):
            if keys[row, number] != key[number]:
                same = False
                break
        if same:
            return row
        place = (place + np.uint64(1)) & last


@njit(cache=True, nogil=True)
def enter(rows: Numbers, keys: Words, row: int) -> None:
    """Put a row where its key is looked for."""
    last = np.uint64(rows.shape[0] - 1)
    place = hashed(keys[row], keys.shape[1]) & last
    while rows[place] >= 0:
        place = (place + np.uint64(1)) & last
    rows[place] = row


@njit(cache=True, nogil=True)
def expand(
    program: Program, answers: Answers, states: Words, todo: Numbers, begin: int, judged: bool, buffers: Buffers
) -> tuple[int, int, int, int]:
    """Expand the states of these numbers from `begin` on, until the buffers are full.

    Gives the place of the first that was not expanded, and how many successors, missing questions and deferred states
    there are.
    """
    words = states.shape[1]
    pods, nodes_end, counters_end = program.ends[0], program.ends[1], program.ends[2]
    budgets_end, fields = program.ends[3], program.ends[4]
    nodes = nodes_end - pods
    evicts = fields > budgets_end
    key_words, column_words = program.key_words, program.column_words
    value = np.empty(fields, np.int64)
    columns = np.empty((nodes, column_words), np.uint64)
    wide = np.empty(key_words, np.uint64)
    node_key = np.empty(1 + column_words + key_words, np.uint64)
    pod_key = np.empty(1 + (nodes + 1) // 2 + key_words, np.uint64)
    askers = np.empty(pods, np.int64)
    choices = np.empty(pods, np.int64)
    outcomes = np.empty(pods, np.int64)
    evictions = np.empty((pods, nodes), np.int64)
    situations = np.empty(pods, np.int64)
    current = np.empty(words, np.uint64)
    spare = np.empty(program.kept.shape[0], np.int64)
    count, missing, deferred = 0, 0, 0
    room = buffers.successors.shape[0] - MOST_SUCCESSORS
    most_missing = buffers.missing.shape[0] - 8 * (nodes + 1)
    for place in range(begin, todo.shape[0]):
        if count > room or missing > most_missing or deferred == buffers.deferred.shape[0]:
            return place, count, missing, deferred
        number = todo[place]
        for word in range(words):
            current[word] = states[number, word]
        for field in range(fields):
            value[field] = np.int64((current[program.word[field]] >> program.shift[field]) & program.mask[field])
        for node in range(nodes):
            for word in range(column_words):
                columns[node, word] = program.node_column[program.node_base[node] + value[pods + node], word]
        for word in range(key_words):
            wide[word] = np.uint64(0)
        highest, waiting, judge_waiting = np.int64(-1), False, np.int64(-1)
        for pod in range(pods):
            own = program.pod_base[pod] + value[pod]
            where = program.points_at[own]
            situation = program.situation[own]
            if where >= 0:
                situation += value[pods + where]
                for word in range(column_words):
                    columns[where, word] += program.column[own, word]
            for word in range(key_words):
                wide[word] += program.wide[own, word]
            situations[pod] = situation
            flags = program.flags[situation]
            if flags:
                if flags & TURN and program.rank[pod] > highest:
                    highest = program.rank[pod]
                if flags & WAITS:
                    waiting = True
                if flags & WAITS_TO_THE_JUDGE and program.rank[pod] > judge_waiting:
                    judge_waiting = program.rank[pod]
        if key_words:
            for node in range(nodes):
                for word in range(key_words):
                    wide[word] += program.node_wide[program.node_base[node] + value[pods + node], word]
            for budget in range(program.budget_wide.shape[0]):
                wide[program.budget_wide[budget, 0]] += np.uint64(value[counters_end + budget]) << np.uint64(
                    program.budget_wide[budget, 1]
                )

        # Who may be taken up, and what the tables say of them.
        known = True
        asking = 0
        for pod in range(pods):
            if not program.flags[situations[pod]] & TURN:
                continue
            if program.highest_only and program.rank[pod] < highest:
                continue
            if program.evicting[pod] >= 0 and value[program.evicting[pod]]:
                continue
            own = program.pod_base[pod] + value[pod]
            asks = own * nodes
            answered = True
            for word in range(key_words):
                node_key[1 + column_words + word] = wide[word] & program.sees[ADMISSION, own, column_words + word]
                pod_key[pod_key.shape[0] - key_words + word] = (
                    wide[word] & program.sees[CHOICE, own, column_words + word]
                )
            for word in range(1 + (nodes + 1) // 2):
                pod_key[word] = np.uint64(0)
            pod_key[0] = np.uint64(own) | (np.uint64(judge_waiting + 1) << np.uint64(32) if judged else np.uint64(0))
            for node in range(nodes):
                answer = NO_NODE
                if program.is_there[program.node_base[node] + value[pods + node]]:
                    node_key[0] = np.uint64(program.near[ADMISSION, asks + node])
                    for word in range(column_words):
                        node_key[1 + word] = columns[node, word] & program.sees[ADMISSION, own, word]
                    row = look_up(answers.admission.rows, answers.admission.keys, node_key)
                    if row < 0:
                        answered = False
                        missing = _missed(buffers, missing, ADMISSION + 4 * (asks + node), number, node_key)
                        continue
                    answer = np.uint64(answers.admitted[row])
                pod_key[1 + node // 2] |= answer << np.uint64(32 * (node % 2))
            if not answered:
                known = False
                continue
            row = look_up(answers.choice.rows, answers.choice.keys, pod_key)
            if row < 0:
                known = False
                missing = _missed(buffers, missing, CHOICE + 4 * asks, number, pod_key)
                continue
            askers[asking] = pod
            choices[asking] = row
            outcomes[asking] = -1
            if answers.asks_more[row]:
                for word in range(1, 1 + (nodes + 1) // 2):
                    pod_key[word] = np.uint64(0)
                for word in range(key_words):
                    node_key[1 + column_words + word] = wide[word] & program.sees[EVICTION, own, column_words + word]
                    pod_key[pod_key.shape[0] - key_words + word] = (
                        wide[word] & program.sees[OUTCOME, own, column_words + word]
                    )
                for node in range(nodes):
                    answer = NO_NODE
                    evictions[asking, node] = -1
                    if program.is_there[program.node_base[node] + value[pods + node]]:
                        node_key[0] = np.uint64(program.near[EVICTION, asks + node])
                        for word in range(column_words):
                            node_key[1 + word] = columns[node, word] & program.sees[EVICTION, own, word]
                        row = look_up(answers.eviction.rows, answers.eviction.keys, node_key)
                        if row < 0:
                            answered = False
                            missing = _missed(buffers, missing, EVICTION + 4 * (asks + node), number, node_key)
                            continue
                        evictions[asking, node] = row
                        answer = np.uint64(answers.evicted[row])
                    pod_key[1 + node // 2] |= answer << np.uint64(32 * (node % 2))
                if answered:
                    row = look_up(answers.outcome.rows, answers.outcome.keys, pod_key)
                    if row < 0:
                        answered = False
                        missing = _missed(buffers, missing, OUTCOME + 4 * asks, number, pod_key)
                    outcomes[asking] = row
                if not answered:
                    known = False
                    continue
            asking += 1
        if not known:
            buffers.deferred[deferred] = number
            deferred += 1
            continue

        # Everything is known: the steps.
        changed = False
        first = count
        for kept in range(program.kept.shape[0]):
            healthy = 0
            for pod in range(pods):
                healthy += program.kept_healthy[kept, situations[pod]]
            spare[kept] = program.kept_spare[kept, healthy]
        for pod in range(pods):
            for move in range(program.moves[situations[pod]], program.moves[situations[pod] + 1]):
                if program.move[move, 3]:
                    due = np.uint64(0)
                    for field in range(budgets_end, fields):
                        due |= np.uint64(value[field])
                    if not due & program.victim[pod]:
                        continue
                counter, budget, kind = program.move[move, 1], program.move[move, 2], program.move[move, 0]
                if (counter >= 0 and value[counter] == 0) or (budget >= 0 and value[budget] == 0):
                    continue
                breaks = program.breaks[move]
                if program.is_eviction[kind]:
                    for kept in range(program.kept.shape[0]):
                        if program.kept_healthy[kept, situations[pod]] > spare[kept]:
                            breaks |= np.uint64(1) << np.uint64(program.kept[kept])
                buffers.generated[kind] += 1
                for word in range(words):
                    buffers.successors[count, word] = current[word] + program.moves_by[move, word]
                if evicts:
                    _due(program, buffers, count)
                if breaks:
                    _keep_least(buffers, count, current, breaks)
                if _is_other(buffers.successors, count, current, words):
                    count += 1
                    changed = True
        for node in range(nodes):
            own = program.node_base[node] + value[pods + node]
            for move in range(program.node_moves[own], program.node_moves[own + 1]):
                counter = program.node_move[move, 1]
                if counter >= 0 and value[counter] == 0:
                    continue
                buffers.generated[program.node_move[move, 0]] += 1
                for word in range(words):
                    buffers.successors[count, word] = current[word] + program.node_moves_by[move, word]
                if program.node_breaks[move]:
                    _keep_least(buffers, count, current, program.node_breaks[move])
                if _is_other(buffers.successors, count, current, words):
                    count += 1
                    changed = True
        for budget in range(program.healthy.shape[0]):
            healthy = 0
            for pod in range(pods):
                healthy += program.healthy[budget, situations[pod]]
            field = counters_end + budget
            allowed = program.spare[budget, healthy]
            if allowed != value[field]:
                for word in range(words):
                    buffers.successors[count, word] = current[word]
                change = np.uint64(allowed - value[field]) << program.shift[field]
                buffers.successors[count, program.word[field]] += change
                buffers.generated[program.recount] += 1
                if _is_other(buffers.successors, count, current, words):
                    count += 1
                    changed = True
        for asker in range(asking):
            pod = askers[asker]
            row = choices[asker]
            for end in range(answers.chosen[row], answers.chosen[row + 1]):
                buffers.generated[answers.choice_kind[end]] += 1
                for word in range(words):
                    buffers.successors[count, word] = current[word] + answers.choice_moves_by[end, word]
                if evicts:
                    _due(program, buffers, count)
                if answers.choice_breaks[end]:
                    _keep_least(buffers, count, current, answers.choice_breaks[end])
                if _is_other(buffers.successors, count, current, words):
                    count += 1
                    changed = True
            chosen = answers.chosen[row + 1] - answers.chosen[row]
            row = outcomes[asker]
            if row < 0:
                continue
            for end in range(answers.outcomes[row], answers.outcomes[row + 1]):
                kind, node = answers.outcome_end[end, 0], answers.outcome_end[end, 1]
                if node < 0:
                    if chosen == 0:
                        buffers.generated[kind] += 1
                        for word in range(words):
                            buffers.successors[count, word] = current[word] + answers.outcome_moves_by[end, word]
                        if evicts:
                            _due(program, buffers, count)
                        if answers.outcome_breaks[end]:
                            _keep_least(buffers, count, current, answers.outcome_breaks[end])
                        if _is_other(buffers.successors, count, current, words):
                            count += 1
                            changed = True
                    continue
                found = evictions[asker, node]
                nominates = (program.pod_base[pod] + value[pod]) * nodes + node
                for option in range(answers.options[found], answers.options[found + 1]):
                    if answers.option_kind[option] != answers.outcome_end[end, 2]:
                        continue
                    breaks = answers.outcome_breaks[end] | answers.option_breaks[option]
                    if program.is_eviction[kind]:
                        for kept in range(program.kept.shape[0]):
                            if answers.option_healthy[option, kept] > spare[kept]:
                                breaks |= np.uint64(1) << np.uint64(program.kept[kept])
                    buffers.generated[kind] += 1
                    for word in range(words):
                        buffers.successors[count, word] = (
                            current[word]
                            + answers.option_moves_by[option, word]
                            + program.nominates_by[nominates, word]
                        )
                    if answers.option_evicts[option]:
                        field = program.evicting[pod]
                        word = program.word[field]
                        buffers.successors[count, word] |= answers.option_evicts[option] << program.shift[field]
                    if evicts:
                        _due(program, buffers, count)
                    if breaks:
                        _keep_least(buffers, count, current, breaks)
                    if _is_other(buffers.successors, count, current, words):
                        count += 1
                        changed = True
        for each in range(first, count):
            buffers.origin[each] = number
        if not changed:
            buffers.ended[1 if waiting else 0] += 1
    return todo.shape[0], count, missing, deferred


@njit(cache=True, nogil=True)
def _due(program: Program, buffers: Buffers, count: int) -> None:
    """Of what is to be evicted leave only who is still there, for whom still waits, or for nobody."""
    pods, budgets_end, fields = program.ends[0], program.ends[3], program.ends[4]
    there = np.uint64(0)
    for field in range(budgets_end, fields):
        there |= (buffers.successors[count, program.word[field]] >> program.shift[field]) & program.mask[field]
    if there == 0:
        return
    there = np.uint64(0)
    for pod in range(pods):
        if program.victim[pod]:
            value = (buffers.successors[count, program.word[pod]] >> program.shift[pod]) & program.mask[pod]
            if program.evictable[program.pod_base[pod] + np.int64(value)]:
                there |= program.victim[pod]
    nobody = fields - 1
    for pod in range(pods):
        field = program.evicting[pod]
        if field < 0:
            continue
        word, shift = program.word[field], program.shift[field]
        due = (buffers.successors[count, word] >> shift) & program.mask[field]
        if due == 0:
            continue
        buffers.successors[count, word] &= ~(program.mask[field] << shift)
        value = (buffers.successors[count, program.word[pod]] >> program.shift[pod]) & program.mask[pod]
        whose = field if program.awaits[program.pod_base[pod] + np.int64(value)] else nobody
        buffers.successors[count, program.word[whose]] |= due << program.shift[whose]
    for field in range(budgets_end, fields):
        word = program.word[field]
        gone = program.mask[field] & ~there
        buffers.successors[count, word] &= ~(gone << program.shift[field])


@njit(cache=True, nogil=True, inline="always")
def _is_other(successors: Words, count: int, current: Words, words: int) -> bool:
    """Whether the successor that was written is another state."""
    other = False
    for word in range(words):
        if successors[count, word] != current[word]:
            other = True
    return other


@njit(cache=True, nogil=True)
def _keep_least(buffers: Buffers, count: int, current: Words, breaks: np.uint64) -> None:
    """Keep the step that was written for each property that it breaks, if it is the least that does."""
    words = current.shape[0]
    for question in range(64):
        if breaks >> np.uint64(question) & np.uint64(1) and _less(buffers, question, count, current):
            buffers.is_broken[question] = 1
            for word in range(words):
                buffers.least[question, word] = buffers.successors[count, word]
                buffers.least[question, words + word] = current[word]


@njit(cache=True, nogil=True)
def _less(buffers: Buffers, question: int, count: int, current: Words) -> bool:
    if not buffers.is_broken[question]:
        return True
    words = current.shape[0]
    for word in range(words):
        new, old = buffers.successors[count, word], buffers.least[question, word]
        if new != old:
            return new < old
    for word in range(words):
        new, old = current[word], buffers.least[question, words + word]
        if new != old:
            return new < old
    return False


@njit(cache=True, nogil=True)
def _missed(buffers: Buffers, missing: int, question: int, number: int, key: Words) -> int:
    """Hand a question back, unless the last with the same place among the recent ones is the same.

    `question` is its kind, and four times the number of the pod value and the node that it is asked of.
    """
    place = hashed(key, key.shape[0]) & np.uint64(buffers.recent.shape[0] - 1)
    earlier = buffers.recent[place]
    if earlier < missing and buffers.missing_of[earlier, 0] % 4 == question % 4:
        same = True
        for word in range(key.shape[0]):
            if buffers.missing[earlier, word] != key[word]:
                same = False
                break
        if same:
            return missing
    buffers.recent[place] = missing
    buffers.missing_of[missing, 0] = question
    buffers.missing_of[missing, 1] = number
    for word in range(key.shape[0]):
        buffers.missing[missing, word] = key[word]
    return missing + 1


@njit(cache=True, nogil=True)
def insert(
    known: Words, part: int, parts: int, states: Words, begin: int, count: int, fresh: Words, found: int, most: int
) -> tuple[int, int]:
    """Put those of the states from `begin` to `count` that belong to the part among the known, and behind `fresh`.

    Gives the place of the first that was not looked at, since there were `most` new ones, and how many are found.
    """
    words = states.shape[1]
    last = np.uint64(known.shape[0] - 1)
    end = found + most
    mine = np.empty(AHEAD, np.int64)
    places = np.empty(AHEAD, np.uint64)
    firsts = np.empty(AHEAD, np.uint64)
    number = begin
    while number < count:
        # The first places of several states are fetched together, as none of them waits for another.
        several = 0
        while number < count and several < AHEAD:
            place = hashed(states[number], words)
            if parts == 1 or np.int64(place >> np.uint64(40)) % parts == part:
                mine[several] = number
                places[several] = place & last
                several += 1
            number += 1
        for each in range(several):
            firsts[each] = known[places[each], 0]
        for each in range(several):
            own, place, first = mine[each], places[each], firsts[each]
            if words == 1 and first == states[own, 0]:
                continue
            if found == end:
                return own, found
            while True:
                if known[place, 0] == EMPTY:
                    for word in range(words):
                        known[place, word] = states[own, word]
                        fresh[found, word] = states[own, word]
                    found += 1
                    break
                same = True
                for word in range(words):
                    if known[place, word] != states[own, word]:
                        same = False
                        break
                if same:
                    break
                place = (place + np.uint64(1)) & last
    return count, found


@njit(cache=True, nogil=True)
def number_states(rows: Numbers, states: Words) -> None:
    """Make it possible to find the number of each state."""
    for row in range(states.shape[0]):
        enter(rows, states, row)


@njit(cache=True, nogil=True)
def numbers_of(rows: Numbers, states: Words, wanted: Words, count: int) -> Numbers:
    """The numbers of the first `count` of the wanted states."""
    found = np.empty(count, np.int64)
    for row in range(count):
        found[row] = look_up(rows, states, wanted[row])
    return found


@njit(cache=True, nogil=True)
def reaching(starts: Numbers, sources: Numbers, goals: Truths) -> Truths:
    """Which states reach a goal, given the sources of the steps to each state."""
    found = goals.copy()
    waiting = np.flatnonzero(goals)
    stack = np.empty(goals.shape[0], np.int64)
    stack[: waiting.shape[0]] = waiting
    left = waiting.shape[0]
    while left:
        left -= 1
        state = stack[left]
        for step in range(starts[state], starts[state + 1]):
            source = sources[step]
            if not found[source]:
                found[source] = True
                stack[left] = source
                left += 1
    return found


@njit(cache=True, nogil=True)
def move_over(known: Words, larger: Words, parts: int) -> None:
    """Put all known states into a larger set."""
    words = known.shape[1]
    last = np.uint64(larger.shape[0] - 1)
    for number in range(known.shape[0]):
        if known[number, 0] != EMPTY:
            place = hashed(known[number], words) & last
            while larger[place, 0] != EMPTY:
                place = (place + np.uint64(1)) & last
            for word in range(words):
                larger[place, word] = known[number, word]


@njit(cache=True, nogil=True)
def judge_nodes(
    program: Program, table: Table, breaks: Words, states: Words, begin: int, buffers: Buffers
) -> tuple[int, int]:
    """Look up what each node with the pods on it breaks; whoever is not in the table is handed back.

    Gives the place of the first state that was not looked at, and how many questions are missing.
    """
    words = states.shape[1]
    pods, nodes_end, fields = program.ends[0], program.ends[1], program.ends[4]
    nodes = nodes_end - pods
    value = np.empty(fields, np.int64)
    column_words = program.column_words
    key = np.empty((nodes, 1 + column_words), np.uint64)
    missing = 0
    for number in range(begin, states.shape[0]):
        if missing > buffers.missing.shape[0] - nodes:
            return number, missing
        for field in range(nodes_end):
            word = states[number, program.word[field]]
            value[field] = np.int64((word >> program.shift[field]) & program.mask[field])
        for node in range(nodes):
            key[node, 0] = np.uint64(node)
            for word in range(column_words):
                key[node, 1 + word] = program.node_column[program.node_base[node] + value[pods + node], word]
        for pod in range(pods):
            own = program.pod_base[pod] + value[pod]
            if program.points_at[own] >= 0:
                for word in range(column_words):
                    key[program.points_at[own], 1 + word] += program.column[own, word]
        for node in range(nodes):
            for word in range(column_words):
                key[node, 1 + word] &= program.judged[word]
            if not program.is_there[program.node_base[node] + value[pods + node]]:
                continue
            row = look_up(table.rows, table.keys, key[node])
            if row < 0:
                missing = _missed(buffers, missing, 0, number, key[node])
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
    return states.shape[0], missing
