"""The arrays of a scenario that the compiled loops read: `Program`."""

from typing import NamedTuple

from schedcheck.checker.tabulated.layout.layout import Flags, Numbers, Words
from schedcheck.checker.tabulated.loops.sources import unchanged

TURN, WAITS, WAITS_TO_THE_JUDGE = 1, 2, 4


@unchanged
class Program(NamedTuple):
    """The arrays of a scenario.

    The values of all pods are numbered together; such a number is a *pod value*. Node values are numbered likewise. A
    pod value with the value of the node it points at is a *situation*. Fields are in the order pods, nodes, counters,
    budgets, evictions; `ends` has the end of each part.
    """

    ends: Numbers
    word: Numbers
    shift: Words
    mask: Words
    pod_base: Numbers  # by pod, its first pod value
    points_at: Numbers  # by pod value, the slot of its node or -1
    column: Words  # by pod value, what it adds to the column of the node it points at
    wide: Words  # by pod value, what it adds to the wide key
    situation: Numbers  # by pod value, its first situation
    flags: Flags  # by situation, TURN, WAITS and WAITS_TO_THE_JUDGE
    healthy: Flags  # by budget and situation, whether the pod is healthy to the budget
    spare: Numbers  # by budget and number of healthy pods, the disruptions allowed
    moves: Numbers  # by situation, its first move; one more entry at the end
    move: Numbers  # by move, its kind, the fields of its counter and budget or -1, and whether it needs an eviction
    moves_by: Words  # by move, what it adds to the words of the state
    breaks: Words  # by move, the properties that it breaks
    node_base: Numbers  # by node, its first node value
    is_there: Flags  # by node value
    node_column: Words
    node_wide: Words
    budget_wide: Numbers  # by budget, the word and shift in the wide key of what it allows
    node_moves: Numbers
    node_move: Numbers
    node_moves_by: Words
    node_breaks: Words
    rank: Numbers  # by pod, the rank of its priority
    victim: Words  # by pod, its bit in the fields of evictions
    evictable: Flags  # by pod value
    awaits: Flags  # by pod value, whether pods may still be evicted for it
    evicting: Numbers  # by pod, its field of evictions, or -1
    is_eviction: Flags  # by kind of action
    kept: Numbers  # by budget that must be kept, the number of the property
    kept_healthy: Flags  # as `healthy`, for these budgets
    kept_spare: Numbers  # as `spare`, for these budgets
    recount: int
    highest_only: int
    key_words: int
    column_words: int
    sees: Words  # by question and pod value, the bits it sees of a column's words, then of the wide words
    judged: Words  # the bits of a column's words that questions about nodes see
    near: Numbers  # by ADMISSION or EVICTION, pod value and node: equal numbers for the same question
    nominates_by: Words  # by pod value and node, what nominating the pod to it adds to the words of the state

    @property
    def pods(self) -> int:
        """The number of pods."""
        return int(self.ends[0])

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return int(self.ends[1] - self.ends[0])

    @property
    def words(self) -> int:
        """The number of words of a state."""
        return int(self.moves_by.shape[1])
