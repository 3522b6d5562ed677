"""`hopeless` is the complement of what can reach a goal, as networkx finds it"""

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.checker.liveness.graph import Graph, unlabelled
from schedcheck.checker.liveness.possibility import Possibility


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[list[int]], list[bool]]:
    """Edges, some of which leave the graph, and goals."""
    size = draw(st.integers(0, 8))
    ends = st.lists(st.integers(-1, size - 1), max_size=4)
    return [draw(ends) for _ in range(size)], draw(st.lists(st.booleans(), min_size=size, max_size=size))


def graph_of(edges: list[list[int]]) -> Graph:
    pairs = [(number, end) for number, ends in enumerate(edges) for end in ends]
    sources, targets = (np.array([pair[side] for pair in pairs], dtype=np.int32) for side in (0, 1))
    return unlabelled(len(edges), (), sources, targets)


@given(graphs())
def test_a_state_is_hopeless_if_no_goal_is_reachable_from_it(
    given_graph: tuple[list[list[int]], list[bool]],
) -> None:
    edges, goals = given_graph
    graph = nx.DiGraph([(number, end) for number, ends in enumerate(edges) for end in ends if end >= 0])
    graph.add_nodes_from(range(len(edges)))
    reached = {number for number, goal in enumerate(goals) if goal}
    hopeful = reached.union(*(nx.ancestors(graph, number) for number in reached))
    found = Possibility(graph_of(edges)).hopeless(np.array(goals, dtype=np.bool_))
    assert found.tolist() == [number not in hopeful for number in range(len(edges))]


def test_an_edge_that_leaves_the_graph_reaches_no_goal() -> None:
    graph = graph_of([[-1], [0], [-1, 2]])
    possibility, none = Possibility(graph), np.zeros(3, dtype=np.bool_)
    assert possibility.hopeless(none).tolist() == [True, True, True]
    assert possibility.ways_out.tolist() == [True, False, True]
    assert possibility.surely_hopeless(none).tolist() == [False, False, False]
