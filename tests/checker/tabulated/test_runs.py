"""Sorted runs, encoded in files and merged in one pass, give the same states as sets"""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedcheck.checker.limits.durable import Unusable, scratch
from schedcheck.checker.tabulated.layout.layout import Truths, Words
from schedcheck.checker.tabulated.loops import runs
from schedcheck.checker.tabulated.loops.runs import find, first_of_each, in_pieces, mark_near, not_before
from schedcheck.checker.tabulated.search import kept, merging
from schedcheck.checker.tabulated.search.kept import FORMAT, Held, Kept, Run, encoded, slabs
from schedcheck.checker.tabulated.search.merging import news

Rows = frozenset[tuple[int, ...]]
NUMBERS = (
    st.integers(0, 4) | st.integers(120, 140) | st.integers(2**14 - 2, 2**14 + 2) | st.integers(2**62 - 2, 2**63 - 1)
)


def run_of(rows: Rows, words: int) -> Words:
    return np.array(sorted(rows), np.uint64).reshape(-1, words)


def rows_of(states: Words) -> list[tuple[int, ...]]:
    return [tuple(row) for row in states.tolist()]


def several(words: int) -> st.SearchStrategy[list[Rows]]:
    return st.lists(st.frozensets(st.tuples(*[NUMBERS] * words), max_size=30), min_size=1, max_size=5)


def in_file(states: Words, folder: Path = Path()) -> Kept:
    with scratch(folder, encoded([states], states.shape[1])) as file:
        return Kept(file)


def agree(candidates: list[Rows], known: list[Rows], words: int, made: Callable[[Words], Run] = Held) -> None:
    found = news([made(run_of(each, words)) for each in candidates], [made(run_of(each, words)) for each in known], 2)
    assert [row for piece in found for row in rows_of(piece)] == sorted(
        frozenset[tuple[int, ...]]().union(*candidates).difference(*known)
    )


@pytest.mark.sampled(4)
@pytest.mark.parametrize("words", [1, 2, 3])
@pytest.mark.parametrize("block", [1, 2, 7, 1000])
def test_the_new_states_are_those_of_a_set_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: int, block: int
) -> None:
    monkeypatch.setattr(runs, "BLOCK", block)
    monkeypatch.setattr(merging, "SEGMENT", 2)
    monkeypatch.setattr(kept, "AT_ONCE", 3)

    @settings(max_examples=40, deadline=None)
    @given(several(words), several(words), st.booleans())
    def holds(candidates: list[Rows], known: list[Rows], on_disk: bool) -> None:
        agree(candidates, known, words, (lambda states: in_file(states, tmp_path)) if on_disk else Held)

    holds()


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("strike", lambda *_: None),
        ("first_of_each", lambda states: np.ones(len(states), np.bool_)),
        ("in_order", lambda states: states[::-1].copy()),
    ],
)
def test_a_pass_that_omits_states_is_detected(monkeypatch: pytest.MonkeyPatch, name: str, broken: object) -> None:
    candidates: list[Rows] = [frozenset({(1,), (3,), (5,), (6,)}), frozenset({(2,), (3,), (6,), (9,)})]
    known: list[Rows] = [frozenset({(2,), (7,)}), frozenset({(5,)})]
    agree(candidates, known, 1)
    monkeypatch.setattr(merging, name, broken)
    with pytest.raises(AssertionError):
        agree(candidates, known, 1)


@pytest.mark.parametrize("which", ["low", "high"])
@pytest.mark.parametrize("off", [-1, 1])
def test_a_segment_with_a_bound_off_by_one_is_detected(monkeypatch: pytest.MonkeyPatch, which: str, off: int) -> None:
    monkeypatch.setattr(runs, "BLOCK", 2)
    monkeypatch.setattr(merging, "SEGMENT", 1)
    candidates = [frozenset((number,) for number in range(1, 9)), frozenset((number,) for number in range(5, 14))]
    agree(candidates, [frozenset({(20,)})], 1)
    whole = Run.between

    def between(self: Run, low: Words | None, high: Words | None) -> Words:
        def moved(bound: Words | None) -> Words | None:
            return bound if bound is None else (bound.astype(np.int64) + off).astype(np.uint64)

        return whole(self, moved(low), high) if which == "low" else whole(self, low, moved(high))

    monkeypatch.setattr(Run, "between", between)
    with pytest.raises(AssertionError):
        agree(candidates, [frozenset({(20,)})], 1)


def test_a_pass_that_looks_into_too_few_blocks_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "BLOCK", 2)
    candidates: list[Rows] = [frozenset({(1,), (6,), (9,)})]
    known: list[Rows] = [frozenset({(number,) for number in range(1, 9)})]
    agree(candidates, known, 1)

    def fewer(states: Words, firsts: Words, near: Truths) -> None:
        mark_near(states, firsts, near)
        near[0] = False

    monkeypatch.setattr(kept, "mark_near", fewer)
    with pytest.raises(AssertionError):
        agree(candidates, known, 1)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("words", [1, 2, 3])
@pytest.mark.parametrize("block", [1, 3, 1000])
def test_states_are_read_from_a_file_as_they_were_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: int, block: int
) -> None:
    monkeypatch.setattr(runs, "BLOCK", block)
    monkeypatch.setattr(kept, "AT_ONCE", 2)

    @settings(max_examples=40, deadline=None)
    @given(
        st.frozensets(st.tuples(*[NUMBERS] * words), min_size=1, max_size=30),
        st.lists(st.integers(0, 30), max_size=4),
        st.tuples(*[NUMBERS] * words),
    )
    def holds(rows: Rows, cuts: list[int], other: tuple[int, ...]) -> None:
        states, ordered = run_of(rows, words), sorted(rows)
        pieces = [states[begin:end] for begin, end in pairwise([0, *sorted(cuts), len(states)])]
        with scratch(tmp_path, encoded(pieces, words)) as file:
            run = Kept(file)
        assert (run.shape, run.nbytes, rows_of(np.asarray(run))) == (states.shape, states.nbytes, ordered)
        for begin, end in pairwise([0, *sorted(cuts)]):
            assert rows_of(run[begin:end]) == ordered[begin:end]
        assert [row for slab in slabs(run, 2) for row in rows_of(slab)] == ordered
        assert run.has(np.array(other, np.uint64)) == (other in rows)
        assert all(run.has(row) for row in states)
        low, high = min(ordered[-1], other), max(ordered[0], other)
        found = run.between(np.array(low, np.uint64), np.array(high, np.uint64))
        assert rows_of(found) == [row for row in ordered if low <= row < high]

    holds()


def test_neighbours_take_a_byte(tmp_path: Path) -> None:
    states = np.arange(10_000, dtype=np.uint64).reshape(-1, 1)
    assert 10_000 < sum(map(len, encoded([states], 1))) < 10_300
    assert slabs(states, 2).__next__() is states


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "level-000001.states"
    for content in (b"", np.arange(8, dtype=np.uint64).tobytes()):
        path.write_bytes(content)
        with pytest.raises(Unusable, match=f"level-000001.states: not a file of states in format {FORMAT}"):
            Kept(path)
    with pytest.raises(Unusable, match="cannot be read: No such file"):
        Kept(tmp_path / "none")


@settings(max_examples=100, deadline=None)
@given(st.frozensets(st.tuples(NUMBERS, NUMBERS), max_size=40), st.tuples(NUMBERS, NUMBERS), st.integers(0, 40))
def test_positions_in_a_run_are_those_of_a_sorted_list(rows: Rows, bound: tuple[int, int], begin: int) -> None:
    run, ordered = run_of(rows, 2), sorted(rows)
    begin = min(begin, len(ordered))
    assert not_before(run, begin, np.array(bound, np.uint64)) == max(begin, sum(row < bound for row in ordered))
    place = find(run, len(run), np.array(bound, np.uint64))
    assert place == (ordered.index(bound) if bound in rows else -1)
    assert all(map(len, in_pieces(run)))


def test_repeated_states_are_marked() -> None:
    assert first_of_each(np.array([[1, 2], [1, 2], [1, 3]], np.uint64)).tolist() == [True, False, True]
