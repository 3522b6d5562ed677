"""`hopeless` is the complement of what can reach a goal, as networkx finds it"""

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.checker.liveness.possibility import hopeless, predecessors_of


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[list[int]], list[bool]]:
    """Edges, some of which leave the graph, and goals."""
    size = draw(st.integers(0, 8))
    ends = st.lists(st.integers(-1, size - 1), max_size=4)
    return [draw(ends) for _ in range(size)], draw(st.lists(st.booleans(), min_size=size, max_size=size))


@given(graphs())
def test_a_state_is_hopeless_if_no_goal_is_reachable_from_it(
    given_graph: tuple[list[list[int]], list[bool]],
) -> None:
    edges, goals = given_graph
    graph = nx.DiGraph([(number, end) for number, ends in enumerate(edges) for end in ends if end >= 0])
    graph.add_nodes_from(range(len(edges)))
    reached = {number for number, goal in enumerate(goals) if goal}
    hopeful = reached.union(*(nx.ancestors(graph, number) for number in reached))
    assert hopeless(predecessors_of(edges), goals) == [number not in hopeful for number in range(len(edges))]


def test_an_edge_that_leaves_the_graph_reaches_no_goal() -> None:
    assert hopeless(predecessors_of([[-1]]), [False]) == [True]
