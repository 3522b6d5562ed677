"""Objects are values: equal objects are identical in sets and dictionaries, also when unpickled from another process"""

import subprocess
import sys
from dataclasses import replace
from typing import Any

from schedcheck.spec.objects import Snapshot
from tests.support.building import node, pod

ANOTHER_PROCESS = """
import pickle, sys
from tests.support.building import node, pod
from schedcheck.spec.objects import Snapshot
things = (pod("p", 1, labels={"a": "b"}), node("n", 1), Snapshot.of([pod("p", 1)], [node("n", 1)]))
assert all(hash(thing) for thing in things)
sys.stdout.buffer.write(pickle.dumps(things))
"""


def test_a_value_from_a_process_with_another_hash_seed_is_found_in_a_set() -> None:
    import pickle

    done = subprocess.run(
        [sys.executable, "-c", ANOTHER_PROCESS], capture_output=True, check=True, env={"PYTHONHASHSEED": "7"}
    )
    here = {pod("p", 1, labels={"a": "b"}), node("n", 1), Snapshot.of([pod("p", 1)], [node("n", 1)])}
    assert set(pickle.loads(done.stdout)) == here


def test_a_snapshot_is_equal_whatever_the_order_of_its_pods() -> None:
    first, second = pod("a"), pod("b")
    assert Snapshot.of([first, second]) == Snapshot.of([second, first])
    assert hash(Snapshot.of([first, second])) == hash(Snapshot.of([second, first]))


def test_a_snapshot_contains_its_pods_and_nodes_and_no_others() -> None:
    there = Snapshot.of([pod("a")], [node("n")])
    assert pod("a") in there and node("n") in there
    assert pod("b") not in there and node("m") not in there


def test_pods_by_node_contains_the_pods_that_name_a_node() -> None:
    there = Snapshot.of([pod("a", on="n"), pod("b"), pod("c", on="gone")], [node("n")])
    assert there.pods_by_node == {"n": (pod("a", on="n"),), "gone": (pod("c", on="gone"),)}


def test_a_copy_has_the_other_values_and_its_own_hash() -> None:
    """It is what `dataclasses.replace` makes, also after the hash of the first has been computed."""
    first = pod("p", 1, labels={"app": "web"})
    known = hash(first)
    others: tuple[dict[str, Any], ...] = ({}, {"node_name": "n"}, {"node_name": "n", "priority": 7})
    for other in others:
        copy, expected = first.but(**other), replace(first, **other)
        assert copy == expected and hash(copy) == hash(expected) and copy is not first
    assert first == pod("p", 1, labels={"app": "web"}) and hash(first) == known
