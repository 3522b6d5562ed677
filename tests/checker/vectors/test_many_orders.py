"""With more reprieve orders than can be tried, a nomination is proved, refuted or unknown"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.checker.differential import decisions
from schedcheck.checker.differential.decisions import TOO_MANY_ORDERS, compared
from schedcheck.checker.vectors import trials
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.checker.vectors.trials import TooManyOrders
from schedcheck.spec.decisions import Nominate, Wait
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Container, Node, Pod, Snapshot
from tests.support.building import UNIT

HOST = Node("n", allocatable=frozendict(cpu=10_000, pods=110))


def pod(name: str, cpu: int, **more: object) -> Pod:
    return replace(Pod(name, containers=(Container(frozendict(cpu=cpu * UNIT)),)), **more)  # type: ignore[arg-type]


VICTIMS = tuple(pod(f"v{each}", 1, node_name="n", labels=frozendict(app=str(each)), start_time=1) for each in range(10))
PREEMPTOR = pod("p", 2, priority=1)
CROWD = Snapshot.of((*VICTIMS, PREEMPTOR), (HOST,))
"""Ten equally important pods of different kinds, any two of which may have to be evicted: 10! orders."""


def test_a_nomination_found_in_one_order_is_permitted() -> None:
    made = compared(CROWD, DEFAULT_PLUGINS)
    assert (len(made.agreed), made.differences, made.unknown) == (1, (), ())
    (decided,) = made.agreed[0][1]
    assert isinstance(decided, Nominate) and len(decided.victims) == 2


def test_a_nomination_found_in_no_tried_order_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """In fact every order is permitted, and so is the nomination."""
    other = Nominate(PREEMPTOR, HOST, frozenset(VICTIMS[:2]))
    with pytest.raises(TooManyOrders):
        CycleJudge(CROWD).judged(PREEMPTOR, DEFAULT_PLUGINS, frozenset({other}))
    monkeypatch.setattr(decisions, "concluded_decisions", lambda *_: frozenset({other}))
    assert compared(CROWD, DEFAULT_PLUGINS).unknown == ((PREEMPTOR, TOO_MANY_ORDERS),)


def test_if_all_orders_are_tried_such_a_nomination_is_permitted(monkeypatch: pytest.MonkeyPatch) -> None:
    few = Snapshot.of((*VICTIMS[:4], PREEMPTOR), (replace(HOST, allocatable=frozendict(cpu=4_000, pods=110)),))
    other = frozenset({Nominate(PREEMPTOR, few.nodes[0], frozenset(VICTIMS[:2]))})
    assert other <= CycleJudge(few).judged(PREEMPTOR, DEFAULT_PLUGINS, other).decisions
    monkeypatch.setattr(trials, "ORDERS", 23)
    with pytest.raises(TooManyOrders):
        CycleJudge(few).judged(PREEMPTOR, DEFAULT_PLUGINS, other)


def test_waiting_although_an_eviction_is_possible_is_a_difference_in_any_order() -> None:
    waiting = frozenset({Wait(PREEMPTOR, "", False)})
    allowed = CycleJudge(CROWD).judged(PREEMPTOR, DEFAULT_PLUGINS, waiting).decisions
    assert allowed and all(isinstance(each, Nominate) for each in allowed)
