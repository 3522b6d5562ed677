"""A profile with a memo answers like the original; a footprint that is too narrow is detected"""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schedcheck.checker.drawing.objects import fault_sets, snapshots
from schedcheck.checker.exploring import memo
from schedcheck.checker.exploring.memo import remembering
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import CORRECTED, Profile, profile, scheduler
from schedcheck.spec.published.preemption import subsets
from schedcheck.spec.terms import NO_AFFINITY
from tests.support.building import HOSTNAME, apart, node, pod, selector, snapshot, term

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@st.composite
def related(draw: st.DrawFn, terms: bool) -> list[Snapshot]:
    """Snapshots of the same pods and nodes, with the pods in other places and some nodes gone."""
    first = draw(snapshots())
    pods = [
        each if terms else replace(each, affinity=replace(NO_AFFINITY, node_required=each.affinity.node_required))
        for each in first.pods
    ]
    places = st.sampled_from(["", *(each.name for each in first.nodes)])
    made = []
    for _ in range(4):
        there = [replace(each, node_name=draw(places)) for each in pods if draw(st.integers(0, 4))]
        nodes = [each for each in first.nodes if draw(st.integers(0, 4))]
        made.append(Snapshot.of(there, nodes, first.namespaces))
    return made


def questions(each: Snapshot) -> list[tuple[Pod, Node, Snapshot]]:
    """A question for each pod and node of a snapshot."""
    return [(one, at, each) for one in each.pods for at in each.nodes]


def same(plain: Profile, other: Profile, seen: list[Snapshot]) -> bool:
    """Whether all four operators give the same answers, whatever was asked before."""
    asked = list(chain.from_iterable(map(questions, seen)))
    return all(
        plain.feasibility(*one) == other.feasibility(*one)
        and plain.viability(*one) == other.viability(*one)
        and plain.victim_sets(*one) == other.victim_sets(*one)
        for one in asked * 2
    ) and all(
        plain.casualty(victims) == other.casualty(victims) for each in seen for victims in subsets(frozenset(each.pods))
    )


@pytest.mark.parametrize("terms", [True, False], ids=["with inter-pod terms", "without"])
def test_a_profile_with_a_memo_answers_like_the_original(terms: bool) -> None:
    @settings(max_examples=80, suppress_health_check=SLOW)
    @given(related(terms), fault_sets())
    def answers_alike(seen: list[Snapshot], faults: Any) -> None:
        plain = profile("plain", faults)
        pods = list(chain.from_iterable(each.pods for each in seen))
        other = remembering(plain, pods)
        assert same(plain, other, seen)
        assert all(scheduler(each, plain) == scheduler(each, other) for each in seen)

    answers_alike()


LONELY = pod("a", labels={"app": "x"}, affinity=apart(term("zone", selector(app="x"))))
ZONE = [node(name, labels={HOSTNAME: name, "zone": "z"}) for name in ("m", "n")]
EMPTY = snapshot(LONELY, pod("b", labels={"app": "x"}), *ZONE)
TAKEN = snapshot(LONELY, pod("b", labels={"app": "x"}, on="m"), *ZONE)


def test_a_matching_pod_on_another_node_of_the_domain_is_counted() -> None:
    assert same(CORRECTED, remembering(CORRECTED, EMPTY.pods), [EMPTY, TAKEN])


@pytest.mark.parametrize(
    ("narrow", "seen"),
    [
        (lambda at, each: each.pods_by_node.get(at.name, ()), [EMPTY, TAKEN]),
        (lambda at, each: len(each.pods), [snapshot(pod("a", 1), pod("b", 1, on=place), node("n", 1)) for place in ("", "n")]),
    ],
    ids=["the pods beside, where others count", "how many pods there are"],
)  # fmt: skip
def test_a_footprint_that_is_too_narrow_is_detected(
    narrow: Callable[[Node, Snapshot], Any], seen: list[Snapshot], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memo, "_whole", narrow)
    monkeypatch.setattr(memo, "_beside", narrow)
    assert not same(CORRECTED, remembering(CORRECTED, seen[0].pods), seen)


def test_each_question_is_evaluated_once() -> None:
    asked = []

    def feasibility(one: Pod, at: Node, each: Snapshot) -> bool:
        asked.append((one, at))
        return True

    quick = remembering(replace(CORRECTED, feasibility=feasibility), [])
    seen = snapshot(pod("a"), pod("b", on="n"), node("n"))
    other = snapshot(pod("a"), pod("b", on="n"), pod("c"), node("n"))
    assert all(quick.feasibility(seen.pods[0], seen.nodes[0], each) for each in (seen, other, seen))
    assert len(asked) == 1
