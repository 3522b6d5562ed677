"""The scores of all nodes at once equal the specification's scores of each node"""

from dataclasses import replace
from statistics import pstdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.model.production.framework.filtering import pre_filtered
from schedcheck.model.production.framework.scoring import pre_scored, scored
from schedcheck.model.production.plugins.node_resources_balanced_allocation import deviation
from schedcheck.model.production.plugins.resource_scores import by_shape, least_allocated, most_allocated
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, ScoringStrategy
from schedcheck.spec.kubernetes.scores.node_resources_fit import broken_line, least_requested, most_requested
from schedcheck.spec.objects import Pod
from tests.model.production.cluster import cluster
from tests.support.building import container, node, pod, snapshot

NODES = st.lists(st.tuples(st.integers(0, 120), st.integers(1, 100)), min_size=1, max_size=20)
SHAPES = st.lists(
    st.tuples(st.integers(0, 100), st.integers(0, 10)), min_size=1, max_size=5, unique_by=lambda at: at[0]
)


def columns(nodes: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    used, room = zip(*nodes, strict=True)
    return np.array(used, np.int64), np.array(room, np.int64)


@given(NODES)
def test_least_and_most_allocated_equal_the_specification(nodes: list[tuple[int, int]]) -> None:
    used, room = columns(nodes)
    assert least_allocated(used, room).tolist() == [least_requested(*each) for each in nodes]
    within = [(min(each), each[1]) for each in nodes]
    assert most_allocated(*columns(within)).tolist() == [most_requested(*each) for each in within]


@given(SHAPES, NODES)
def test_a_shape_scores_as_in_the_specification(shape: list[tuple[int, int]], nodes: list[tuple[int, int]]) -> None:
    points = tuple(sorted(shape))
    # A shape scores from 0 to 10, a plugin from 0 to 100.
    line = tuple((used, 10 * score) for used, score in points)
    shares = [100 if used > room else used * 100 // room for used, room in nodes]
    assert by_shape(points, *columns(nodes)).tolist() == [broken_line(line, share) for share in shares]


def rated(asked: Pod, kind: str) -> int:
    """The NodeResourcesFit score of an empty node with ten cpus and four devices, both of which are scored."""
    strategy = ScoringStrategy(kind, (("cpu", 1), ("gpu/x", 1)))
    plugins = replace(DEFAULT_PLUGINS, arguments=replace(DEFAULT_PLUGINS.arguments, scoring_strategy=strategy))
    there = cluster(snapshot(node("n", 10, allocatable={"gpu/x": 4})), plugins)
    framework, state, info = there.cycle(asked)
    nodes = there.handle.snapshot.all()
    pre_filtered(framework, state, info, there.handle.snapshot)
    assert pre_scored(framework, state, info, nodes).success
    return int(scored(framework, state, info, nodes).raw["NodeResourcesFit"][0])


def test_an_extended_resource_counts_only_for_pods_that_request_it() -> None:
    without, some = pod("p", 5), pod("p", containers=(container(5, **{"gpu/x": 1}),))
    assert (rated(without, "MostAllocated"), rated(without, "LeastAllocated")) == (50, 50)
    assert (rated(some, "MostAllocated"), rated(some, "LeastAllocated")) == ((50 + 25) // 2, (50 + 75) // 2)


PARTS = st.lists(st.lists(st.none() | st.integers(0, 20), min_size=5, max_size=5), min_size=1, max_size=4)


@given(PARTS)
def test_the_deviation_is_that_of_the_fractions_that_are_present(nodes: list[list[int | None]]) -> None:
    columns = list(zip(*nodes, strict=True))
    parts = [np.array([0.0 if each is None else each / 20 for each in column]) for column in columns]
    there = [np.array([each is not None for each in column]) for column in columns]
    present = [[each / 20 for each in node if each is not None] for node in nodes]
    expected = [pstdev(each) if len(each) > 1 else 0.0 for each in present]
    assert deviation(parts, there, len(nodes)).tolist() == pytest.approx(expected, abs=1e-12)
