"""The explored graph: its arrays, its SCCs in lists and by two libraries, and shortest paths"""

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.checker.check import check
from schedcheck.checker.liveness import graph as arrays
from schedcheck.checker.liveness.components import SMALL, by_lists, by_scipy, components
from schedcheck.checker.liveness.graph import INSTANCES, OUTSIDE, Graph, Recorder, graph, instance, to_networkx
from schedcheck.checker.liveness.paths import nearest, prefix
from tests.checker.liveness.labelled import MACHINES, SOME, STATES, Labelled, distances, flags
from tests.support.building import five_pods

PAIRS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=24).map(sorted)


def edges_of(given: Graph) -> list[tuple[int, str, int]]:
    return [
        (source, given.texts[given.actions[edge]], int(given.targets[edge]))
        for source in range(given.states)
        for edge in given.edges_from(source)
    ]


@given(PAIRS)
def test_lists_and_both_libraries_find_the_same_sccs_even_with_duplicate_edges(
    pairs: list[tuple[int, int]],
) -> None:
    sources, targets = (np.array(each, dtype=np.int32) for each in zip(*pairs, strict=True)) if pairs else ([], [])
    offsets = np.searchsorted(np.array(sources), np.arange(9))
    made: networkx.DiGraph[int] = networkx.DiGraph(pairs)
    made.add_nodes_from(range(8))
    expected = {frozenset(members) for members in networkx.strongly_connected_components(made)}
    for way in (by_lists, by_scipy):
        count, labels = way(offsets, np.array(targets, dtype=np.int32))
        assert {frozenset(np.flatnonzero(labels == number).tolist()) for number in range(count)} == expected


@pytest.mark.parametrize("states", [40, SMALL // 4])
def test_rings_are_found_in_a_small_and_in_a_large_graph(states: int) -> None:
    """Rings of ten states, each with an edge to the next ring, every edge twice; a path of them all is not too deep."""
    numbers = np.arange(states)
    ring = np.where(numbers % 10 == 9, numbers - 9, numbers + 1)
    onward = np.minimum(numbers + 10, states - 1)
    targets = np.stack([ring, ring, onward, onward], axis=1).reshape(-1).astype(np.int32)
    for way in (components, by_lists):
        count, labels = way(4 * np.arange(states + 1), targets)
        assert count == states // 10
        assert (labels == labels[numbers - numbers % 10]).all()
        assert len(set(labels.tolist())) == count


@given(MACHINES)
def test_a_graph_has_the_changing_steps_in_order(machine: Labelled) -> None:
    made = machine.graph(STATES)
    expected = sorted((edge for edge in machine.edges if edge[0] != edge[2]), key=lambda edge: edge[0])
    assert [(start, text[-2], end) for start, text, end in edges_of(made)] == expected
    assert made.initial.tolist() == list(machine.initial)
    assert all(made.source(edge) == start for edge, (start, _, _) in enumerate(expected))


@given(MACHINES, st.integers(1, 5))
def test_blocks_contain_every_edge_once(machine: Labelled, size: int) -> None:
    made = machine.graph(STATES)
    patch = pytest.MonkeyPatch()
    with patch.context() as context:
        context.setattr(arrays, "BLOCK", size)
        found = [
            (source, target)
            for block, sources in made.blocks()
            for source, target in zip(sources.tolist(), made.targets[block].tolist(), strict=True)
        ]
    assert found == [(source, target) for source, _, target in edges_of(made)]


@given(MACHINES, SOME, SOME, SOME, st.booleans())
def test_a_prefix_is_a_shortest_one(
    machine: Labelled, start: frozenset[int], inside: frozenset[int], goal: frozenset[int], at_once: bool
) -> None:
    made = machine.graph(STATES)
    found = prefix(made, flags(start & inside), flags(inside), flags(goal), at_once=at_once)
    came = dict.fromkeys(machine.initial, 0) if at_once else distances(machine, machine.initial)
    lengths = [
        came[begin] + length
        for begin in came.keys() & start & inside
        for end, length in distances(machine, [begin], inside).items()
        if end in goal
    ]
    assert (len(found[0]) if found else None) == min(lengths, default=None)
    if found is not None:
        path, end = found
        states = [made.source(path[0]) if path else end, *(int(made.targets[edge]) for edge in path)]
        assert states[-1] == end and end in goal and states[0] in machine.initial
        assert all(made.source(edge) == state for edge, state in zip(path, states, strict=False))


def test_a_missing_path_is_reported() -> None:
    made = Labelled(((0, "o", 1),)).graph(2)
    with pytest.raises(LookupError, match="no path from state 1"):
        nearest(made, 1, lambda edges, targets: targets >= 0, lambda edges, targets: targets == 0)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (([5], [0], [1], [0]), "initial state"),
        (([0], [2], [1], [0]), "source"),
        (([0], [0], [2], [0]), "target"),
        (([0], [0], [-2], [0]), "target"),
        (([0], [0], [1], [1]), "action"),
    ],
)
def test_an_invalid_number_is_an_error(numbers: tuple[list[int], ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        graph(2, *numbers, ["a"], [int])


def test_the_graph_of_an_exploration_is_that_of_the_transition_system() -> None:
    checked = check(five_pods(), keep_graph=True)
    assert checked.graph is not None
    made, states = checked.graph
    assert (made.states, checked.result.distinct) == (2112, 2112)
    expected = [
        (number, str(action), after)
        for number, state in enumerate(states)
        for action, after in checked.machine.steps(state)
        if after != state
    ]
    assert [(source, text, states[target]) for source, text, target in edges_of(made)] == expected
    assert [states[number] for number in made.initial] == list(checked.machine.initial_states())


def test_networkx_has_the_same_graph() -> None:
    machine = Labelled(((0, "o", 1), (0, "w", 1), (1, "s", 0), (2, "e", OUTSIDE)), (0, 2))
    made = to_networkx(machine.graph(3))
    assert isinstance(made, networkx.MultiDiGraph)
    assert list(made.nodes(data="initial")) == [(0, True), (1, False), (2, True), (OUTSIDE, False)]
    assert sorted(made.edges(data="action")) == [
        (0, 1, "Other(o)"),
        (0, 1, "Weak(w)"),
        (1, 0, "Strong(s)"),
        (2, OUTSIDE, "Event(e)"),
    ]
    assert {kind for _, _, kind in made.edges(data="kind")} == {"Other", "Weak", "Strong", "Event"}
    assert OUTSIDE not in to_networkx(Labelled(((0, "o", 1),)).graph(2))


STEPS = ((0, 1, 1), (1, 2, 2), (1, "two", 0), (2, 1, OUTSIDE), (2, 2, 2), (0, "two", 2))
NAMINGS = {INSTANCES: instance, "by type": lambda action: (type(action), "")}


def recorded(recorder: Recorder) -> Recorder:
    recorder.initial.add(0)
    for source, action, target in STEPS:
        recorder.step(source, action, target)
    return recorder


@pytest.mark.parametrize("name", sorted(NAMINGS))
def test_one_recorder_gives_each_graph_that_a_recorder_of_that_naming_alone_gives(name: str) -> None:
    together, alone = recorded(Recorder(NAMINGS)), recorded(Recorder({name: NAMINGS[name]}))
    one, other = together.graph(3, name), alone.graph(3, name)
    assert edges_of(one) == edges_of(other) != []
    assert (one.texts, one.kinds, one.initial.tolist()) == (other.texts, other.kinds, [0])
    assert recorded(Recorder()).kinds() == together.kinds() == {int, str}


def test_a_recorder_without_namings_keeps_the_steps_without_labels() -> None:
    bare = recorded(Recorder({})).graph(3)
    labelled = recorded(Recorder()).graph(3)
    assert [(source, target) for source, _, target in edges_of(bare)] == [(s, t) for s, _, t in edges_of(labelled)]
    assert bare.texts == ("",)
    assert (
        recorded(Recorder({})).gigabytes() < recorded(Recorder()).gigabytes() < recorded(Recorder(NAMINGS)).gigabytes()
    )


def test_a_recorder_without_steps_gives_a_graph_without_edges() -> None:
    recorder = Recorder()
    recorder.initial.add(0)
    made = recorder.graph(1)
    assert (made.states, made.edges, made.texts) == (1, 0, ())
