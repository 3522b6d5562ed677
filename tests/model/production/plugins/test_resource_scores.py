"""The scores of all nodes at once are those that the specification gives one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.model.production.plugins.resource_scores import by_shape, least_allocated, most_allocated
from schedcheck.spec.viability.node_resources_fit import broken_line, least_requested, most_requested

NODES = st.lists(st.tuples(st.integers(0, 120), st.integers(1, 100)), min_size=1, max_size=20)
SHAPES = st.lists(
    st.tuples(st.integers(0, 100), st.integers(0, 10)), min_size=1, max_size=5, unique_by=lambda at: at[0]
)


def columns(nodes: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    used, room = zip(*nodes, strict=True)
    return np.array(used, np.int64), np.array(room, np.int64)


@given(NODES)
def test_what_is_left_and_what_is_used(nodes: list[tuple[int, int]]) -> None:
    used, room = columns(nodes)
    assert least_allocated(used, room).tolist() == [least_requested(*each) for each in nodes]
    within = [(min(each), each[1]) for each in nodes]
    assert most_allocated(*columns(within)).tolist() == [most_requested(*each) for each in within]


@given(SHAPES, NODES)
def test_what_a_shape_says(shape: list[tuple[int, int]], nodes: list[tuple[int, int]]) -> None:
    points = tuple(sorted(shape))
    # A shape says 0 to 10, a plugin 0 to 100.
    line = tuple((used, 10 * score) for used, score in points)
    shares = [100 if used > room else used * 100 // room for used, room in nodes]
    assert by_shape(points, *columns(nodes)).tolist() == [broken_line(line, share) for share in shares]
