"""The arrays of a scenario that the compiled loops go through: `Program`."""

from typing import NamedTuple

from schedcheck.checker.tabulated.layout.layout import Flags, Numbers, Words

TURN, WAITS, WAITS_TO_THE_JUDGE = 1, 2, 4


class Program(NamedTuple):
    """The arrays of a scenario.

    A value of a pod is numbered over all pods, a *pod value*, and a node's likewise; a pod value with the number of the
    value of the node that it points at is a *situation*. Fields are in the order pods, nodes, counters, budgets,
    evictions; `ends` has the end of each part.
    """

    ends: Numbers
    word: Numbers
    shift: Words
    mask: Words
    pod_base: Numbers  # of each pod, its first pod value
    points_at: Numbers  # of each pod value, the node's slot or -1
    column: Words  # of each pod value, what it adds to the column of the node that it points at
    wide: Words  # of each pod value, what it adds to the wide key
    situation: Numbers  # of each pod value, its first situation
    flags: Flags  # of each situation, TURN, WAITS and WAITS_TO_THE_JUDGE
    healthy: Flags  # of each budget and situation, whether the pod is healthy to the budget
    spare: Numbers  # of each budget and number of healthy pods, how many may go
    moves: Numbers  # of each situation, its first move; one more at the end
    move: (
        Numbers  # of each move, its kind, the fields of its counter and budget or -1, and whether it needs an eviction
    )
    moves_by: Words  # of each move, what it adds to the words of the state
    breaks: Words  # of each move, the properties that it breaks
    node_base: Numbers  # of each node, its first node value
    is_there: Flags  # of each node value
    node_column: Words
    node_wide: Words
    budget_wide: Numbers  # of each budget, the word and shift at which what it allows stands in the wide key
    node_moves: Numbers
    node_move: Numbers
    node_moves_by: Words
    node_breaks: Words
    rank: Numbers  # of each pod, the rank of its priority
    victim: Words  # of each pod, its bit in the fields of evictions
    evictable: Flags  # of each pod value
    awaits: Flags  # of each pod value, whether it may still be evicted for
    evicting: Numbers  # of each pod, its field of evictions, or -1
    is_eviction: Flags  # of each kind of action
    kept: Numbers  # of each budget that must be kept, the number of the property
    kept_healthy: Flags  # as `healthy`, of these budgets
    kept_spare: Numbers  # as `spare`
    recount: int
    highest_only: int
    key_words: int
    column_words: int
    sees: Words  # of each question and pod value that asks it, what it sees of the words of a column, and of the wide ones
    judged: Words  # what is seen of the words of a column by what is asked of nodes
    near: Numbers  # of ADMISSION and EVICTION, each pod value and node, a number: those have the same that are asked alike
    nominates_by: (
        Words  # of each pod value and node, what the nomination of the pod to it adds to the words of the state
    )
