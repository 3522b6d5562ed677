"""The arrays of the compiled loops: the tables, the scratch space for one state, and the buffers they hand back."""

from typing import NamedTuple

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.loops.hashing import Table
from schedcheck.checker.tabulated.loops.sources import unchanged

NO_NODE = 0xFFFFFFFF
"""Stands for an absent node."""

ADMISSION, EVICTION, CHOICE, OUTCOME = range(4)
"""The questions. About a pod and a node: admission, and evictions; about a pod: its node, and other outcomes."""

MOST_SUCCESSORS = 4096
"""The room that a buffer must have for the successors of one more state."""

RECENT = 1 << 11
"""The number of keys of each node for which answers are cached."""


@unchanged
class Answers(NamedTuple):
    """The tables and their rows.

    The answers to ADMISSION and EVICTION are numbers that stand for everything that matters of a node. EVICTION also
    has options, each with its kind, what it adds to the words of the state, and the pods to evict later. CHOICE and
    OUTCOME have ends and what these add. An end of OUTCOME that evicts has a node and a kind of options there instead.
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
    """The results of an expansion: successors, unanswered questions, deferred states, counts and violations.

    `origin` has the number of the predecessor of each successor, if it has any rows. `visited` counts how often all
    steps of a row of a chunk were taken, `generated` counts the other steps by their kind.
    """

    successors: Words
    origin: Numbers
    missing: Words
    missing_of: Numbers
    handed_back: Numbers  # numbers of questions, by the hashes of their keys
    deferred: Numbers
    generated: Numbers
    visited: Numbers
    ended: Numbers
    stuck: Words  # the least stuck state, if `is_stuck`
    is_stuck: Numbers
    least: Words
    is_broken: Numbers


class Recent(NamedTuple):
    """A cache of the last answers for each node, which saves searching the tables.

    The hash of a node's key names the place in it: the key, and the rows of the answers for each pod value that may
    ask (-1 for none).
    """

    keys: Words
    admitted: Numbers
    evicted: Numbers


class Asked(NamedTuple):
    """The pods to be scheduled in a state, with their rows in the tables."""

    pods: Numbers
    choices: Numbers
    outcomes: Numbers
    evictions: Numbers
    at: Numbers
    node_key: Words
    pod_key: Words


class Scratch(NamedTuple):
    """Scratch space of the loop for one state."""

    sums: Words
    rows: Words
    situations: Numbers
    current: Words
    spare: Numbers
