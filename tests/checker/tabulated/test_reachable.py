"""What can be reached by compiled rounds is what networkx finds, and what the backward search of the direct explorer finds"""

from functools import partial
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.checker.liveness.graph import unlabelled
from schedcheck.checker.liveness.possibility import Possibility
from schedcheck.checker.tabulated.layout.layout import Truths
from schedcheck.checker.tabulated.results import graph
from schedcheck.checker.tabulated.results.graph import Steps, reachable


def steps(successors: list[list[int]]) -> Steps:
    """The steps between states 0, 1, …; -1 leads beyond a constraint."""
    inside = [[end for end in ends if end >= 0] for ends in successors]
    offsets = np.cumsum([0, *map(len, inside)])
    targets = np.array([end for ends in inside for end in ends], np.int32)
    ways_out = np.array([-1 in ends for ends in successors], np.bool_)
    return Steps(np.zeros((len(successors), 1), np.uint64), offsets, targets, ways_out)


def found(successors: list[list[int]], goals: list[Truths]) -> list[list[bool]]:
    return [each.tolist() for each in reachable(steps(successors), [partial(np.asarray, each) for each in goals])]


def only(size: int, *chosen: int) -> Truths:
    goal = np.zeros(size, np.bool_)
    goal[list(chosen)] = True
    return goal


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[list[int]], list[Truths]]:
    size = draw(st.integers(1, 12))
    successors = [draw(st.lists(st.integers(-1, size - 1), max_size=3)) for _ in range(size)]
    goals = draw(st.lists(st.lists(st.booleans(), min_size=size, max_size=size), max_size=4))
    return successors, [np.array(each, np.bool_) for each in goals]


@given(cases())
def test_what_is_reachable_is_what_two_others_find(case: tuple[list[list[int]], list[Truths]]) -> None:
    successors, goals = case
    pairs = [(source, end) for source, ends in enumerate(successors) for end in ends]
    known = nx.DiGraph([pair for pair in pairs if pair[1] >= 0])
    known.add_nodes_from(range(len(successors)))
    ends = [set(np.flatnonzero(goal).tolist()) for goal in goals]
    before = [end.union(*(nx.ancestors(known, each) for each in end)) for end in ends]
    assert found(successors, goals) == [[number in each for number in range(len(successors))] for each in before]
    sources, targets = (np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))
    possibility = Possibility(unlabelled(len(successors), (), sources, targets))
    assert found(successors, goals) == [(~possibility.hopeless(goal)).tolist() for goal in goals]


@pytest.mark.parametrize("piece", [1, 3, 64])
def test_a_way_that_turns_back_and_forth_is_followed_to_its_end(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way 0, 49, 1, 48, … changes its direction at each step, so that each round brings the goal little farther."""
    monkeypatch.setattr(graph, "PIECE", piece)
    way = [each for pair in zip(range(25), range(49, 24, -1), strict=True) for each in pair]
    successors = [[] for _ in way] + [[]]
    for here, there in pairwise(way):
        successors[here] = [there]
    assert found(successors, [only(51, way[-1])]) == [[True] * 50 + [False]]
    assert found(successors, [only(51, way[20])]) == [[number in way[:21] for number in range(51)]]


def test_more_goals_than_a_word_has_bits_are_kept_apart() -> None:
    size = 130
    successors = [[number + 1] if number % 10 < 9 else [] for number in range(size)]
    expected = [[number // 10 == goal // 10 and number <= goal for number in range(size)] for goal in range(size)]
    assert found(successors, [only(size, goal) for goal in range(size)]) == expected


def test_without_states_or_goals_nothing_is_reached() -> None:
    assert found([[0]], []) == [] and found([], [only(0)]) == [[]]
