"""The arrays that the compiled loops work in: what the tables say, and what is noted of a state and handed back."""

from typing import NamedTuple

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.loops.hashing import Table

NO_NODE = 0xFFFFFFFF
"""Stands for a node that is not there."""

ADMISSION, EVICTION, CHOICE, OUTCOME = range(4)
"""The questions: of a pod and a node, whether it may go there, and whom it may evict there; of a pod, what follows."""

MOST_SUCCESSORS = 4096
"""How much room a buffer must have for the successors of one more state."""

RECENT = 1 << 11
"""For how many keys of each node is remembered what the tables said."""


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
    handed_back: Numbers  # the numbers of questions, by the hashes of their keys
    deferred: Numbers
    generated: Numbers
    visited: Numbers
    ended: Numbers
    stuck: Words  # the least state that is stuck, where `is_stuck` says that one is
    is_stuck: Numbers
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
