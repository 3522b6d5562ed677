"""The number of states by symmetry is that of all states, and runs that spill are compared with it."""

import math
from functools import cache
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from benchmarks import spilling
from benchmarks.explore import explorer_of, grown
from benchmarks.spilling import by_counting, by_symmetry, lines, orbit_sizes
from schedcheck.checker.check import check
from schedcheck.checker.exploring.symmetry import pod_classes
from tests.support.building import five_pods, node, on_pods, pod, scenario, seven_pods

ALIKE = scenario(
    *(pod(name, 1) for name in ("p1", "p2", "p3")),
    *(pod(name, 2, priority=1) for name in ("q1", "q2")),
    *(node(name, 2) for name in ("n1", "n2")),
    absent="*",
    rules=[on_pods("arrive", "p1 p2 p3 q1 q2"), on_pods("complete", "p1 p2 p3")],
)
"""Five pods of two classes, and two nodes that are alike but are not exchanged."""


@cache
def expected() -> int:
    """The number of all states."""
    return check(ALIKE, engine="direct", symmetry=False).result.distinct


def test_the_sizes_of_orbits_add_up_to_the_states_of_the_direct_explorer() -> None:
    orbits, states = by_symmetry(ALIKE)
    assert orbits < states == expected()


def test_the_states_in_which_pods_fit_are_those_that_are_found() -> None:
    """The numbers of TLC for five and for seven pods, and of the explorer for the reference scenario."""
    assert [by_counting(each) for each in (five_pods(), seven_pods())] == [2_112, 108_816]
    assert [by_counting(grown(pods)) for pods in (9, 11, 13)] == [1_032_576, 14_075_776, 123_902_720]


def test_the_size_of_an_orbit_is_the_number_of_its_images() -> None:
    explorer = explorer_of(ALIKE, 1)
    explorer.run()
    plan, classes = explorer.plan, pod_classes(ALIKE, frozenset())
    assert sorted(map(len, classes)) == [2, 3]
    swaps = explorer_of(ALIKE, 1, (classes, [(0,), (1,)])).orbits
    assert swaps is not None
    names = [each.name for each in ALIKE.pods]
    for words in np.concatenate([np.asarray(level) for level in explorer.levels])[::97]:
        state = plan.unpacked(words)
        kinds = [None if each is None else (each.phase, each.terminating, each.node_name) for each in state.pods]
        images = {
            tuple(kinds[place] for place in order)
            for order in permutations(range(len(names)))
            if all(any({place, other} <= set(members) for members in classes) for place, other in enumerate(order))
        }
        assert orbit_sizes(plan, swaps, classes, words.reshape(1, -1)) == len(images)


def test_sizes_that_ignore_equal_pods_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spilling, "_kinds", lambda plan, swaps, states, pod: np.full(len(states), pod))
    assert by_symmetry(ALIKE)[1] > expected()
    monkeypatch.undo()
    monkeypatch.setattr(math, "factorial", lambda number: 1)
    assert by_symmetry(ALIKE)[1] < expected()


@pytest.mark.medium
def test_a_run_in_a_process_of_its_own_has_the_states_that_symmetry_gives(tmp_path: Path) -> None:
    counted, first, plain, second = lines(5, [None, 0.5], tmp_path)
    states = check(grown(5), engine="tabulated", symmetry=False).result.distinct
    assert counted == f"5 pods by counting: {states:,} states"
    assert f"of {states:,} states" in first
    assert f"in memory: {states:,} states" in plain
    assert f"0.5 GiB: {states:,} states" in second
    assert list(tmp_path.glob("5-0.5/level-*.states"))
