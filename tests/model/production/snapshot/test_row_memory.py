"""Numbers by row are computed again after a change of the row, and only then"""

from random import Random

import numpy as np

from schedcheck.model.production.snapshot import row_memory
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.node_info import NodeInfo
from schedcheck.model.production.snapshot.node_table import NodeTable
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.row_memory import RowMemory
from schedcheck.model.production.snapshot.snapshot import Nodes
from tests.support.building import node, pod


class Counting:
    """The cpu requested on each node, and the rows for which it was computed."""

    def __init__(self) -> None:
        self.rows: list[int] = []

    def __call__(self, nodes: Nodes) -> Numbers:
        self.rows += nodes.rows.tolist()
        return nodes.requested(0)


def put(table: NodeTable, name: str, *cpus: float) -> None:
    info = NodeInfo(node(name, 9))
    for number, cpu in enumerate(cpus):
        info.add(PodInfo(pod(f"{name}-{number}", cpu, name)))
    table.put(info)


def every(table: NodeTable) -> Nodes:
    return Nodes(table, np.array(sorted(table.row_of.values()), np.int64))


def test_only_changed_rows_are_computed_again() -> None:
    table, memory, cpu = NodeTable(1), RowMemory(), Counting()
    put(table, "a", 1)
    put(table, "b", 2)
    assert memory.of("cpu", every(table), cpu).tolist() == [1000, 2000]
    assert memory.of("cpu", every(table), cpu).tolist() == [1000, 2000]
    put(table, "b", 2, 3)
    assert memory.of("cpu", every(table), cpu).tolist() == [1000, 5000]
    assert cpu.rows == [0, 1, 1]
    assert memory.of("pods", every(table), lambda nodes: nodes.requested(3)).tolist() == [1, 2]


def test_the_row_of_a_removed_node_and_another_table_are_computed_anew() -> None:
    table, memory, cpu = NodeTable(1), RowMemory(), Counting()
    put(table, "a", 1)
    memory.of("cpu", every(table), cpu)
    table.remove("a")
    put(table, "b", 4)
    assert table.row_of == {"b": 0}
    assert memory.of("cpu", every(table), cpu).tolist() == [4000]
    other = NodeTable(1)
    put(other, "a", 1)
    put(other, "b", 7)
    assert memory.of("cpu", every(other), cpu).tolist() == [1000, 7000]


def test_a_row_with_amounts_that_another_row_had_is_not_computed_again() -> None:
    table, memory, cpu = NodeTable(1), RowMemory(), Counting()
    put(table, "a", 1)
    put(table, "b", 2)
    assert memory.of("cpu", every(table), cpu).tolist() == [1000, 2000]
    put(table, "a", 3)
    put(table, "b", 3)
    assert memory.of("cpu", every(table), cpu).tolist() == [3000, 3000]
    assert cpu.rows == [0, 1, 0]
    put(table, "b", 2, 1, 1)
    assert memory.of("cpu", every(table), cpu).tolist() == [3000, 4000]
    assert cpu.rows == [0, 1, 0, 1]


def test_trials_are_not_remembered() -> None:
    table, memory, cpu = NodeTable(1), RowMemory(), Counting()
    put(table, "a", 1)
    tried = every(table).tried()
    assert tried.trial is not None
    tried.trial.change([0], [PodInfo(pod("x", 2))], 1)
    assert memory.of("cpu", tried, cpu).tolist() == [3000]
    assert memory.of("cpu", every(table), cpu).tolist() == [1000]
    assert memory.of("cpu", tried, cpu).tolist() == [3000]


def test_after_random_changes_the_numbers_are_those_of_the_table() -> None:
    chance, table, memory = Random(19), NodeTable(1), RowMemory()
    for _ in range(300):
        name = f"n{chance.randrange(12)}"
        if name in table.row_of and chance.random() < 0.3:
            table.remove(name)
        else:
            put(table, name, *(chance.choice((1, 2, 3)) for _ in range(chance.randrange(4))))
        some = Nodes(table, np.array([row for row in table.row_of.values() if chance.random() < 0.7], np.int64))
        key = chance.randrange(row_memory.MOST_REMEMBERED + 20)
        assert memory.of(key, some, lambda nodes: nodes.requested(0)).tolist() == some.requested(0).tolist()


def test_a_change_without_a_new_version_would_be_missed() -> None:
    table, memory, cpu = NodeTable(1), RowMemory(), Counting()
    put(table, "a", 1)
    memory.of("cpu", every(table), cpu)
    before = table.changed.copy()
    put(table, "a", 2)
    table.changed = before
    assert memory.of("cpu", every(table), cpu).tolist() == [1000]
    assert cpu.rows == [0]
