"""The cycle of a PodGroup, pod by pod: an order that ends as the decision says, and none where there is none"""

import json
import time
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from random import Random

import pytest

import schedcheck
from schedcheck.api.decided_groups import Tried, tried_in_turn
from schedcheck.spec.decisions import Bind, Wait
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.group_decisions import WAITS
from schedcheck.spec.kubernetes.pod_groups import Choices, assumed, endings
from schedcheck.spec.objects import Pod, Snapshot
from tests.schedcheck.api.test_decided import decisions, traces
from tests.schedcheck.api.test_schemas import errors
from tests.spec.kubernetes.test_group_claims import NODES, devices, gpu
from tests.support.building import node
from tests.support.pod_groups import GROUPED, group, one_of

EXAMPLES = Path(__file__).parents[3] / "examples"
WHOLE = schedcheck.check(schedcheck.read(EXAMPLES / "pod-groups")).detailed()


def found(action: Bind | Wait, snapshot: Snapshot) -> tuple[Tried, ...] | None:
    return tried_in_turn(action, snapshot, GROUPED, time.monotonic() + 60)


def drawn(seed: int) -> tuple[Snapshot, Pod]:
    """A gang of two or three pods of different sizes, on nodes that may have room for some of them."""
    chance = Random(seed)
    nodes = tuple(node(f"n{each}", chance.randint(0, 3)) for each in range(chance.randint(1, 3)))
    pods = tuple(one_of("red", each, cpu=chance.randint(1, 2)) for each in range(chance.randint(2, 3)))
    gang = replace(group("red"), min_count=chance.choice((None, 1, 2)))
    return replace(Snapshot.of(pods, nodes), pod_groups=(gang,)), pods[0]


def test_each_pod_sees_what_those_before_it_were_allocated() -> None:
    pods, given = (gpu(1, "c1"), gpu(2, "c2")), devices("c1", "c2", free=(2, 0))
    snapshot = replace(Snapshot.of(pods, NODES), pod_groups=(group("red"),), devices=given)
    (action,) = decision(pods[0], snapshot, GROUPED)
    assert isinstance(action, Bind)
    first, second = found(action, snapshot) or ()
    taken = [[each.allocation is not None for each in one.snapshot.devices.claims] for one in (first, second)]
    assert taken == [[False, False], [True, False]]


@pytest.mark.parametrize("seed", range(12))
def test_the_order_ends_as_the_decision_says(seed: int) -> None:
    """The witness tries every order."""
    snapshot, asked = drawn(seed)
    (gang,) = snapshot.pod_groups
    for action in decision(asked, snapshot, GROUPED):
        assert isinstance(action, Bind | Wait)
        if isinstance(action, Wait) and action.left:
            assert found(action, snapshot) is None
            continue
        wanted = {(action.pod, action.node), *action.together} if isinstance(action, Bind) else set()
        told = found(action, snapshot)
        orders = [each for each in permutations(snapshot.pods) if any(set(end.placed) == wanted for end in endings(gang, each, snapshot, Choices(GROUPED)))]  # fmt: skip
        assert orders and told is not None
        assert any(tuple(each.pod for each in told) == order[: len(told)] for order in orders)
        before = snapshot
        for each in told:
            assert each.snapshot == before
            before = before if each.node is None else assumed(each.pod, each.node, before)
        if wanted:
            assert {(each.pod, each.node) for each in told if each.node is not None} == wanted


def test_a_decision_that_no_order_makes_has_none() -> None:
    snapshot = replace(Snapshot.of((one_of("red", 1), one_of("red", 2)), (node("n1", 1), node("n2", 1))), pod_groups=(group("red"),))  # fmt: skip
    first, second = snapshot.pods
    n1, n2 = snapshot.nodes
    assert found(Bind(first, n1, together=((second, n2),)), snapshot) is not None
    assert found(Bind(first, n1, together=((second, n1),)), snapshot) is None
    assert found(Bind(first, n1), snapshot) is None
    assert found(Wait(first, WAITS), snapshot) is None
    assert tried_in_turn(Bind(first, n1, together=((second, n2),)), snapshot, GROUPED, time.monotonic() - 1) is None


def test_a_group_that_does_not_fit_is_shown_up_to_the_pod_that_fails() -> None:
    snapshot = replace(Snapshot.of((one_of("red", 1), one_of("red", 2)), (node("n1", 1),)), pod_groups=(group("red"),))
    first, second = snapshot.pods
    told = found(Wait(first, WAITS), snapshot)
    assert told is not None
    assert [(each.pod, each.node) for each in told] == [(first, snapshot.nodes[0]), (second, None)]


def test_a_page_has_a_table_for_each_pod_of_the_group() -> None:
    answer = json.loads(json.dumps(WHOLE))
    assert errors(answer, "check") == []
    shown = [each for trace in traces(answer) for each in decisions(trace)]
    assert shown
    for action, seen in shown:
        tables = [seen, *seen["then"]]
        bound = [(action["pod"], action["node"]), *map(tuple, action["together"])]
        chosen = [[row for row in each["nodes"] if row["chosen"]] for each in tables]
        assert all(len(rows) == 1 and rows[0]["best"] and rows[0]["feasible"] for rows in chosen)
        assert sorted(bound) == sorted((each["pod"]["name"], rows[0]["nodes"][0]) for each, rows in zip(tables, chosen, strict=True))  # fmt: skip
        assert all(each["candidates"] == [] for each in tables)
        (taken,) = chosen[0]
        (refused,) = [row for row in tables[1]["nodes"] if row["feasible"] is False]
        assert refused["nodes"] == taken["nodes"], "the pod before is assumed"


def test_members_that_wait_on_permit_have_tables_in_which_those_before_count() -> None:
    answer = schedcheck.check(schedcheck.read(EXAMPLES / "gang-deadlock")).detailed()
    assert errors(json.loads(json.dumps(answer)), "check") == []
    shown = [each for trace in traces(answer) for each in decisions(trace)]
    assert [action["kind"] for action, _ in shown] == ["WaitOnPermit", "WaitOnPermit"]
    (first, _), (_, second) = shown
    (full,) = [row for row in second["nodes"] if row["feasible"] is False]
    assert full["nodes"] == [first["node"]]
