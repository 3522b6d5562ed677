"""Write the successors of a state one after another: `move_together`, `move_those_apart`, `decide` and others.

Each function returns the number of successors so far.
"""

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Flags, Numbers, Words
from schedcheck.checker.tabulated.loops.arrays import Answers, Asked, Buffers
from schedcheck.checker.tabulated.loops.asking import value_of
from schedcheck.checker.tabulated.loops.bits import lowest
from schedcheck.checker.tabulated.loops.chunks import Chunks
from schedcheck.checker.tabulated.loops.compiled import bare, inlined
from schedcheck.checker.tabulated.loops.meeting import tally
from schedcheck.checker.tabulated.loops.places import One
from schedcheck.checker.tabulated.loops.program import Program


@inlined
def move_together(
    program: Program, chunks: Chunks, one: One, current: Words, rows: Words, buffers: Buffers, count: int
) -> int:
    """Write the steps that pods and nodes may take whatever other pods and nodes do."""
    used_up = np.uint64(0)
    first = program.ends[1]
    for field in range(first, program.ends[2]):
        if value_of(program, current, field) == 0:
            used_up |= np.uint64(1) << np.uint64(field - first)
    for chunk in range(rows.shape[0]):
        row = rows[chunk]
        if chunks.needs[row] & used_up:
            count = move_if_left(chunks, one, current, row, used_up, buffers, count)
            continue
        tally(buffers.visited, row)
        for step in range(chunks.steps[row], chunks.changing[row]):
            for word in range(len(one)):
                buffers.successors[count, word] = current[word] + chunks.moves_by[step, word]
            count += 1
    return count


@inlined
def move_if_left(
    chunks: Chunks, one: One, current: Words, row: np.uint64, used_up: np.uint64, buffers: Buffers, count: int
) -> int:
    """Write those steps of a row whose counter is not used up."""
    for step in range(chunks.steps[row], chunks.steps[row + np.uint64(1)]):
        if chunks.counter[step] >= 0 and used_up >> np.uint64(chunks.counter[step]) & np.uint64(1):
            continue
        tally(buffers.generated, chunks.kind[step])
        if step < chunks.changing[row]:
            for word in range(len(one)):
                buffers.successors[count, word] = current[word] + chunks.moves_by[step, word]
            count += 1
    return count


@inlined
def _written(program: Program, one: One, current: Words, breaks: np.uint64, buffers: Buffers, count: int) -> int:
    """Complete a step that was just written; return the new count, which is one more if the step changes the state."""
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
def move_those_apart(
    program: Program,
    one: One,
    current: Words,
    apart: np.uint64,
    situations: Numbers,
    spare: Numbers,
    buffers: Buffers,
    count: int,
) -> int:
    """Write the steps of the pods that must be visited one by one."""
    due = np.uint64(0)
    for field in range(program.ends[3], program.ends[4]):
        due |= np.uint64(value_of(program, current, field))
    while apart:
        pod = np.int64(lowest(apart))
        apart &= apart - np.uint64(1)
        for move in range(program.moves[situations[pod]], program.moves[situations[pod] + 1]):
            if program.move[move, 3] and not due & program.victim[pod]:
                continue
            kind, counter, budget = program.move[move, 0], program.move[move, 1], program.move[move, 2]
            if counter >= 0 and value_of(program, current, counter) == 0:
                continue
            if budget >= 0 and value_of(program, current, budget) == 0:
                continue
            breaks = program.breaks[move]
            if program.is_eviction[kind]:
                for kept in range(spare.shape[0]):
                    if program.kept_healthy[kept, situations[pod]] > spare[kept]:
                        breaks |= np.uint64(1) << np.uint64(program.kept[kept])
            tally(buffers.generated, kind)
            for word in range(len(one)):
                buffers.successors[count, word] = current[word] + program.moves_by[move, word]
            count = _written(program, one, current, breaks, buffers, count)
    return count


@inlined
def move_nodes_apart(program: Program, chunks: Chunks, one: One, current: Words, buffers: Buffers, count: int) -> int:
    """Write the steps of the nodes that must be visited one by one."""
    pods = program.ends[0]
    for node in range(program.ends[1] - pods):
        own = program.node_base[node] + value_of(program, current, pods + node)
        if not chunks.node_is_apart[own]:
            continue
        for move in range(program.node_moves[own], program.node_moves[own + 1]):
            counter = program.node_move[move, 1]
            if counter >= 0 and value_of(program, current, counter) == 0:
                continue
            tally(buffers.generated, program.node_move[move, 0])
            for word in range(len(one)):
                buffers.successors[count, word] = current[word] + program.node_moves_by[move, word]
            count = _written(program, one, current, program.node_breaks[move], buffers, count)
    return count


@inlined
def recount(program: Program, one: One, current: Words, situations: Numbers, buffers: Buffers, count: int) -> int:
    """Write the steps in which a budget's allowed disruptions are recounted."""
    for budget in range(program.healthy.shape[0]):
        healthy = 0
        for pod in range(program.ends[0]):
            healthy += program.healthy[budget, situations[pod]]
        field = program.ends[2] + budget
        change = program.spare[budget, healthy] - value_of(program, current, field)
        if change:
            for word in range(len(one)):
                buffers.successors[count, word] = current[word]
            buffers.successors[count, program.word[field]] += np.uint64(change) << program.shift[field]
            tally(buffers.generated, program.recount)
            count = _written(program, one, current, np.uint64(0), buffers, count)
    return count


@inlined
def decide(
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
    """Write the steps of the scheduler."""
    for asker in range(asking):
        row = asked.choices[asker]
        for end in range(answers.chosen[row], answers.chosen[row + 1]):
            tally(buffers.generated, answers.choice_kind[end])
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
                tally(buffers.generated, answers.outcome_end[end, 0])
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
    """Write the evictions of one kind that a pod may ask for on a node."""
    kind, node, of_kind = answers.outcome_end[end, 0], answers.outcome_end[end, 1], answers.outcome_end[end, 2]
    found = asked.evictions[asker, node]
    pod = asked.pods[asker]
    own = program.pod_base[pod] + value_of(program, current, pod)
    nominates = own * (program.ends[1] - program.ends[0]) + node
    for option in range(answers.options[found], answers.options[found + 1]):
        if answers.option_kind[option] != of_kind:
            continue
        breaks = answers.outcome_breaks[end] | answers.option_breaks[option]
        if program.is_eviction[kind]:
            for kept in range(spare.shape[0]):
                if answers.option_healthy[option, kept] > spare[kept]:
                    breaks |= np.uint64(1) << np.uint64(program.kept[kept])
        tally(buffers.generated, kind)
        for word in range(len(one)):
            by = answers.option_moves_by[option, word] + program.nominates_by[nominates, word]
            buffers.successors[count, word] = current[word] + by
        if answers.option_evicts[option]:
            field = program.evicting[pod]
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
    """Update the pods to evict in a successor.

    Victims that are gone are dropped. If the preemptor no longer waits, its victims are kept without a preemptor.
    """
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
    unawaited = fields - 1
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
        whose = field if awaits[pod_base[pod] + np.int64(value)] else unawaited
        successors[count, words[whose]] |= due << shifts[whose]
    for field in range(budgets_end, fields):
        word = words[field]
        gone = masks[field] & ~there
        successors[count, word] &= ~(gone << shifts[field])


@bare
def _keep_least(
    successors: Words, least: Words, is_broken: Numbers, count: int, current: Words, breaks: np.uint64
) -> None:
    """Keep the step just written, for each property that it breaks, if it is the least such step so far."""
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
