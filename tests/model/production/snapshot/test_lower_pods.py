"""The lower pods of all nodes as arrays, and the amounts of pods on no node: equal to those of each pod asked alone"""

from random import Random

import numpy as np
import pytest

from schedcheck.model.production.cache.cache import Cache
from schedcheck.model.production.snapshot import guests
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.node_table import NodeTable
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.requests import PODS
from schedcheck.model.production.snapshot.snapshot import Snapshot
from tests.support.building import container, node, pod

PRIORITY = 2


def told(table: NodeTable, row: Numbers) -> dict[str, int]:
    """Return the amounts above 0 by resource."""
    return {name: int(row[column]) for name, column in table.resources.items() if column < len(row) and row[column]}


def taken(info: PodInfo, table: NodeTable) -> dict[str, int]:
    """Return what a pod takes, and its place."""
    return {name: size for name, size in info.occupied(table.departures).items() if size} | {PODS: 1}


def agrees(table: NodeTable) -> bool:
    """Whether the arrays say of each node what its pods say."""
    rows = np.array(sorted(table.row_of.values()), np.int64)
    lower = table.lower(PRIORITY, rows)
    for row in rows.tolist():
        pods = sorted(
            (each for each in table.pods_on(row) if each.pod.priority < PRIORITY), key=lambda each: each.importance
        )
        size = len(pods)
        same = (
            list(lower.infos[row]) == pods
            and lower.sizes[row] == size
            and [told(table, each) for each in lower.amounts[row, :size]] == [taken(each, table) for each in pods]
            and not lower.amounts[row, size:].any()
            and (lower.together[row] == lower.amounts[row].sum(axis=0)).all()
            and lower.priorities[row, :size].tolist() == [each.pod.priority for each in pods]
            and lower.starts[row, :size].tolist() == [each.start for each in pods]
        )
        if not same:
            return False
    return True


def lived(seed: int) -> bool:
    """Change a cluster of a few nodes at random, with new resources and nodes, and compare after each change."""
    chance, cache, snapshot = Random(seed), Cache(), Snapshot()
    names: list[str] = []
    for turn in range(40):
        if not names or chance.random() < 0.2:
            names.append(f"n{turn}")
            cache.add_node(node(names[-1], 8))
        there = list(cache.pods)
        if there and chance.random() < 0.4:
            cache.remove_pod(chance.choice(there))
        more = {f"example.com/r{chance.randrange(6)}": 1} if chance.random() < 0.3 else {}
        made = pod(
            f"p{turn}", 0, chance.choice(names), priority=chance.randrange(4), start_time=chance.choice((None, 1, 2)),
            containers=(container(chance.choice((0, 1, 2)), **more),),
        )  # fmt: skip
        cache.add_pod(PodInfo(made))
        cache.update(snapshot)
        if not agrees(snapshot.table):
            return False
    return True


def test_the_arrays_follow_the_pods_of_each_node() -> None:
    assert all(map(lived, range(10)))


def test_rows_that_are_never_filled_again_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    put = NodeTable.put

    def unnoted(self: NodeTable, info: object) -> None:
        put(self, info)  # type: ignore[arg-type]
        self.changed[:] = 0

    monkeypatch.setattr(NodeTable, "put", unnoted)
    assert not all(map(lived, range(10)))


@pytest.mark.parametrize("most", [3, 1000])
def test_amounts_of_pods_on_no_node_are_those_that_they_take(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guests, "MOST_REMEMBERED", most)
    table, chance = NodeTable(), Random(3)
    infos = [
        PodInfo(pod(f"p{each}", 0, containers=(container(each % 3, **{f"example.com/r{each}": each}),)))
        for each in range(8)
    ]
    for _ in range(30):
        some = chance.sample(infos, chance.randint(1, 8))
        found = table.amounts(some)
        assert found.shape == (len(some), len(table.resources))
        assert [told(table, each) for each in found] == [taken(each, table) for each in some]
