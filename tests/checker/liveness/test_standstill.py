"""Where a fair behaviour may stand still for ever, held to the plain definition on random graphs."""

from itertools import chain, combinations

import networkx
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.checker.liveness.standstill import Move, demanded, fair_round, fair_sets

STATES = 5
MOVES = st.lists(
    st.lists(st.tuples(st.integers(-1, STATES - 1), st.sampled_from([None, "a", "b"])), max_size=3),
    min_size=STATES,
    max_size=STATES,
)
SHOWN = st.dictionaries(st.integers(0, STATES - 1), st.integers(0, 1))
"""What the states show in which something is due."""


def stayed_in(moves: list[list[Move]], shown: dict[int, int]) -> set[frozenset[int]]:
    """Every set of states that a fair behaviour can be in for ever, by trying all; not only the largest ones."""
    found = set()
    for chosen in chain.from_iterable(combinations(sorted(shown), n) for n in range(1, len(shown) + 1)):
        members = frozenset(chosen)
        within = networkx.DiGraph()
        within.add_nodes_from(members)
        within.add_edges_from((start, end) for start in members for end, _ in moves[start] if end in members)
        taken = {name for start in members for end, name in moves[start] if end in members}
        offered = {name for start in members for end, name in moves[start] if name is not None and end != start}
        if (
            len({shown[number] for number in members}) == 1
            and networkx.is_strongly_connected(within)
            and offered <= taken
        ):
            found.add(members)
    return found


@given(MOVES, SHOWN)
def test_the_sets_are_the_largest_of_all_that_there_are(moves: list[list[Move]], shown: dict[int, int]) -> None:
    every = stayed_in(moves, shown)
    found = set(fair_sets(moves, shown))
    assert found <= every
    assert all(any(each <= one for one in found) for each in every)


@given(MOVES, SHOWN)
def test_a_round_stays_inside_takes_all_that_is_demanded_and_comes_back(
    moves: list[list[Move]], shown: dict[int, int]
) -> None:
    for members in fair_sets(moves, shown):
        for entry in members:
            here, taken = entry, set()
            for end, name in fair_round(moves, members, entry):
                assert (end, name) in moves[here]
                assert end in members
                taken.add(name)
                here = end
            assert here == entry
            assert demanded(moves, members) <= taken


def test_a_state_without_a_step_is_one_to_stay_in() -> None:
    assert list(fair_sets([[(1, "a")], []], {0: 0, 1: 0})) == [frozenset({1})]


def test_what_can_be_left_again_and_again_is_left() -> None:
    """From the first of two states that lead to each other, somebody leads away: whom fairness does not forget."""
    there_and_back: list[list[Move]] = [[(1, "a"), (-1, "b")], [(0, "a")]]
    assert list(fair_sets(there_and_back, {0: 0, 1: 0})) == []
    there_and_back[0][1] = (-1, None)
    assert list(fair_sets(there_and_back, {0: 0, 1: 0})) == [frozenset({0, 1})]
