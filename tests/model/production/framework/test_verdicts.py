"""The rejection kept for each node is the last recorded one, and reasons are counted over the kept ones"""

from collections import Counter
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.model.production.framework.status import Code, Status, unschedulable
from schedcheck.model.production.framework.verdicts import CODES, FEW_NUMBERS, NodeStatuses, NodeVerdicts, _kinds
from schedcheck.model.production.snapshot.snapshot import Nodes
from tests.model.production.cluster import cluster
from tests.support.building import node, snapshot

SIZE = 5
EXPLAINED = tuple((name, lambda number, name=name: (f"{name} says {number}",)) for name in ("A", "B"))
SAID = st.tuples(st.integers(0, len(EXPLAINED) - 1), st.integers(0, len(CODES) - 1), st.integers(0, 2))
"""The numbers of a plugin, a code and a list of reasons."""


def nodes() -> Nodes:
    return cluster(snapshot(*(node(f"n{number}") for number in range(SIZE)))).handle.snapshot.all()


def outcome(said: list[tuple[int, int, int]]) -> NodeVerdicts:
    plugins, codes, reasons = (np.array(column) for column in zip(*said, strict=True))
    plugins = np.where(codes == 0, -1, plugins)
    return NodeVerdicts(nodes(), plugins.astype(np.int64), codes.astype(np.int8), reasons.astype(np.int64), EXPLAINED)


def status(plugin: int, code: int, reason: int) -> Status:
    name = "AB"[plugin]
    return Status(CODES[code], (f"{name} says {reason}",), name)


@given(st.lists(st.lists(SAID, min_size=SIZE, max_size=SIZE), min_size=1, max_size=3))
def test_the_last_rejection_of_each_node_is_kept_word_for_word(passes: list[list[tuple[int, int, int]]]) -> None:
    statuses, expected = NodeStatuses(), {}
    for said in passes:
        recorded = outcome(said)
        statuses.record(recorded)
        expected |= {int(row): status(*each) for row, each in zip(recorded.nodes.rows, said, strict=True) if each[1]}
    absent = statuses.absent
    assert [statuses.get(row) for row in range(SIZE)] == [expected.get(row, absent) for row in range(SIZE)]
    assert statuses.get(None) == statuses.get(SIZE) == absent
    assert statuses.explicit() == len(expected)
    for code in (Code.UNSCHEDULABLE, Code.UNRESOLVABLE):
        rows = statuses.with_code(code, np.arange(SIZE))
        assert list(rows) == [row for row in range(SIZE) if expected.get(row, absent).code is code]
    counted = Counter(reason for each in expected.values() for reason in each.reasons)
    counted.update(dict.fromkeys(absent.reasons, SIZE - len(expected)))
    assert +statuses.reasons(SIZE) == +counted


def test_a_status_may_be_stored_beyond_the_current_rows() -> None:
    statuses = NodeStatuses(absent=unschedulable("absent"))
    statuses.put(3, unschedulable("one"))
    statuses.put(1, unschedulable("other"))
    assert [statuses.get(row).reasons for row in range(5)] == [
        ("absent",),
        ("other",),
        ("absent",),
        ("one",),
        ("absent",),
    ]
    assert statuses.reasons(4) == {"one": 1, "other": 1, "absent": 2}
    assert list(statuses.with_code(Code.UNSCHEDULABLE, np.array([1, 6]))) == [1, 6]


def test_kinds_of_small_numbers_are_those_of_large_ones() -> None:
    chance = Random(1)
    for _ in range(50):
        told = np.array([chance.randrange(9) for _ in range(chance.randint(1, 30))], np.int64)
        (few, kinds), (many, same) = _kinds(told), _kinds(told + FEW_NUMBERS)
        assert told[few].tolist() == told[many].tolist() == sorted(set(told.tolist()))
        assert kinds.tolist() == same.tolist() and told[few][kinds].tolist() == told.tolist()
