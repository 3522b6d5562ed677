"""Sorted runs merged in one pass give the same result as sets"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops import runs
from schedcheck.checker.tabulated.loops.runs import find, first_of_each, in_pieces, news, not_above, strike

Rows = frozenset[tuple[int, ...]]
NUMBERS = st.integers(0, 4) | st.integers(2**62 - 2, 2**63 - 1)


def run_of(rows: Rows, words: int) -> Words:
    return np.array(sorted(rows), np.uint64).reshape(-1, words)


def rows_of(states: Words) -> list[tuple[int, ...]]:
    return [tuple(row) for row in states.tolist()]


def several(words: int) -> st.SearchStrategy[list[Rows]]:
    return st.lists(st.frozensets(st.tuples(*[NUMBERS] * words), max_size=30), min_size=1, max_size=5)


def agree(candidates: list[Rows], known: list[Rows], words: int) -> None:
    found = list(news([run_of(each, words) for each in candidates], [run_of(each, words) for each in known]))
    assert [row for piece in found for row in rows_of(piece)] == sorted(
        frozenset[tuple[int, ...]]().union(*candidates).difference(*known)
    )


@pytest.mark.sampled(4)
@pytest.mark.parametrize("words", [1, 2, 3])
@pytest.mark.parametrize("piece", [1, 2, 7, 1000])
def test_the_new_states_are_those_of_a_set_difference(monkeypatch: pytest.MonkeyPatch, words: int, piece: int) -> None:
    monkeypatch.setattr(runs, "PIECE", piece)

    @settings(max_examples=60, deadline=None)
    @given(several(words), several(words))
    def holds(candidates: list[Rows], known: list[Rows]) -> None:
        agree(candidates, known, words)

    holds()


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("strike", lambda states, is_new, run, place: place),
        ("first_of_each", lambda states: np.ones(len(states), np.bool_)),
        ("not_above", lambda run, begin, bound: min(len(run), not_above(run, begin, bound) + 1)),
    ],
)
def test_a_pass_that_omits_states_is_detected(monkeypatch: pytest.MonkeyPatch, name: str, broken: object) -> None:
    monkeypatch.setattr(runs, "PIECE", 2)
    candidates: list[Rows] = [frozenset({(1,), (3,), (5,), (6,)}), frozenset({(2,), (3,), (6,), (9,)})]
    known: list[Rows] = [frozenset({(2,), (7,)}), frozenset({(5,)})]
    agree(candidates, known, 1)
    monkeypatch.setattr(runs, name, broken)
    with pytest.raises(AssertionError):
        agree(candidates, known, 1)


@settings(max_examples=100, deadline=None)
@given(st.frozensets(st.tuples(NUMBERS, NUMBERS), max_size=40), st.tuples(NUMBERS, NUMBERS), st.integers(0, 40))
def test_positions_in_a_run_are_those_of_a_sorted_list(rows: Rows, bound: tuple[int, int], begin: int) -> None:
    run, ordered = run_of(rows, 2), sorted(rows)
    begin = min(begin, len(ordered))
    assert not_above(run, begin, np.array(bound, np.uint64)) == max(begin, sum(row <= bound for row in ordered))
    place = find(run, len(run), np.array(bound, np.uint64))
    assert place == (ordered.index(bound) if bound in rows else -1)
    assert all(map(len, in_pieces(run)))


def test_known_states_are_struck_and_the_next_pass_continues_from_there() -> None:
    run, is_new = run_of(frozenset({(2,), (4,), (9,)}), 1), np.ones(3, np.bool_)
    place = strike(run_of(frozenset({(1,), (2,), (5,)}), 1), is_new, run, 0)
    assert (is_new.tolist(), place) == ([True, False, True], 2)
    assert first_of_each(np.array([[1, 2], [1, 2], [1, 3]], np.uint64)).tolist() == [True, False, True]
