"""Snapshots with equal keys have equal decisions; a key that leaves out too much is detected"""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import Phase, given, settings

from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.drawing.volumes import Question
from schedcheck.checker.exploring import looked_at
from schedcheck.checker.exploring.cycles import Cycles
from schedcheck.checker.exploring.looked_at import LookedAt
from schedcheck.spec.kubernetes.control_loop import decision, turn
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, Snapshot, SpreadConstraint
from tests.checker.differential.test_random import SLOW
from tests.checker.incremental.test_begun import crowd
from tests.support.building import apart, node, pod, preferring, selector, snapshot, term


def moved(whole: Snapshot) -> list[Snapshot]:
    """The snapshot, and each in which one pod of it is gone, terminates, or is bound or nominated to another node."""
    found = [whole]
    for place, moving in enumerate(whole.pods):
        others = [there.name for there in whole.nodes if there.name != moving.node_name][:2]
        forms: list[Pod | None] = [None, replace(moving, terminating=True)]
        forms += [replace(moving, node_name=name, nominated_node_name="") for name in others]
        forms += [replace(moving, node_name="", nominated_node_name=name) for name in others]
        for form in forms:
            pods = [form if number == place else each for number, each in enumerate(whole.pods)]
            found.append(replace(whole, pods=tuple(each for each in pods if each is not None)))
    return found


def with_closed(whole: Snapshot) -> Snapshot:
    """The snapshot with its first node cordoned."""
    first, *rest = whole.nodes
    return replace(whole, nodes=(replace(first, unschedulable=True), *rest))


def agree(question: Question, counted: Counter[str]) -> None:
    plugins = question[2]
    kept = Cycles()
    for each in moved(with_closed(crowd(question))):
        for waiting in sorted(turn(each, plugins), key=str):
            before = len(kept._decided)
            assert kept.decision(waiting, each, plugins) == decision(waiting, each, plugins)
            counted["known"] += len(kept._decided) == before


@pytest.mark.parametrize("kind", FAMILIES)
def test_snapshots_with_equal_keys_have_equal_decisions(kind: str) -> None:
    counted: Counter[str] = Counter()
    settings(max_examples=6, suppress_health_check=SLOW)(given(FAMILIES[kind])(lambda each: agree(each, counted)))()
    assert counted["known"] >= 10


def test_a_key_in_which_every_node_is_closed_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LookedAt, "_closed", lambda *_: True)
    found = settings(max_examples=60, suppress_health_check=SLOW, report_multiple_bugs=False, phases=[Phase.generate])(
        given(FAMILIES["questions"])(lambda each: agree(each, Counter()))
    )
    with pytest.raises(AssertionError):
        found()


A, SHUT = node("a", 4, labels={"zone": "y"}), node("b", 4, labels={"zone": "y"}, unschedulable=True)
OPEN = node("c", 4, labels={"zone": "z"})
X = selector(app="x")
EVENLY = SpreadConstraint(1, "zone", required=False, selector=X)


def made(asked: Pod, *snapshots: Snapshot) -> int:
    """The number of decisions that are made for the pod in these snapshots, in which each is that of the definition."""
    kept = Cycles()
    for each in snapshots:
        assert kept.decision(asked, each, DEFAULT_PLUGINS) == decision(asked, each, DEFAULT_PLUGINS)
    return len(kept._decided)


def test_a_pod_on_a_closed_node_that_nothing_relates_is_not_looked_at() -> None:
    asked = pod("asked", 1)
    for name, expected in (("b", 1), ("a", 2)):
        other = pod("other", 4, on=name)
        assert made(asked, snapshot(A, SHUT, asked), snapshot(A, SHUT, asked, other)) == expected


AFAR = {
    "anti-affinity of the other": (pod("asked", 1, labels={"app": "x"}), {"affinity": apart(term("zone", X))}),
    "anti-affinity": (pod("asked", 1, affinity=apart(term("zone", X))), {"labels": {"app": "x"}}),
    "preference of the other": (
        pod("asked", 1, labels={"app": "x"}),
        {"affinity": preferring(100, term("zone", X), anti=True)},
    ),
    "soft spread": (pod("asked", 1, labels={"app": "x"}, spread=(EVENLY,)), {"labels": {"app": "x"}}),
}


def looked_at_afar(asked: Pod, fields: dict[str, Any]) -> None:
    other = pod("other", 1, on="b", **fields)
    assert made(asked, snapshot(A, SHUT, OPEN, asked), snapshot(A, SHUT, OPEN, asked, other)) == 2


@pytest.mark.parametrize("case", AFAR)
def test_a_pod_on_a_closed_node_that_matters_on_others_is_looked_at(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at_afar(*AFAR[case])
    monkeypatch.setattr(LookedAt, "_from_afar", lambda *_: ())
    with pytest.raises(AssertionError):
        looked_at_afar(*AFAR[case])


def test_a_pending_pod_is_looked_at_once_it_is_nominated_to_an_open_node() -> None:
    asked = pod("asked", 1)
    for name, expected in (("", 1), ("b", 1), ("a", 2)):
        other = pod("other", 4, nominated_node_name=name)
        assert made(asked, snapshot(A, SHUT, asked), snapshot(A, SHUT, asked, other)) == expected


def test_the_filters_that_look_at_the_node_alone_are_these() -> None:
    assert frozenset({"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity"}) == looked_at.NODE_ALONE
