"""The node table: amounts are 64-bit words, and growing it keeps the existing values"""

import pytest

from schedcheck.model.production.snapshot.node_info import NodeInfo
from schedcheck.model.production.snapshot.node_table import NodeTable, word
from schedcheck.model.production.snapshot.pod_info import PodInfo
from tests.support.building import node, pod

GREATEST = 9_223_372_036_854_775_807


@pytest.mark.parametrize(
    ("number", "held"), [(0, 0), (2**62, 2**62), (GREATEST - 1, GREATEST - 1), (GREATEST, GREATEST), (2**64, GREATEST)]
)
def test_an_amount_beyond_64_bits_is_capped(number: int, held: int) -> None:
    assert word(number) == held


@pytest.mark.parametrize("room", [1, 2, 8])
def test_every_node_keeps_its_amounts_when_the_table_grows(room: int) -> None:
    table = NodeTable(room)
    for number in range(20):
        info = NodeInfo(node(f"n{number}", number, allocatable={f"example.com/{number}": number + 1}))
        info.add(PodInfo(pod(f"p{number}", 1, f"n{number}")))
        table.put(info)
    for number in range(20):
        row = table.row_of[f"n{number}"]
        assert table.allocatable[row, table.resources["cpu"]] == 1000 * number
        assert table.allocatable[row, table.resources["memory"]] == 0
        assert table.allocatable[row, table.resources[f"example.com/{number}"]] == number + 1
        assert table.allocatable[row].sum() == 1000 * number + 110 + number + 1
        assert [each.pod.name for each in table.pods_on(row)] == [f"p{number}"]
    assert len(table.allocatable) >= table.size == 20
