"""Every fault switch: the smallest case on which the printed and the repaired definition differ"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

import pytest
from hypothesis import HealthCheck, given, settings

from schedcheck.checker.drawing.objects import fault_sets, snapshots
from schedcheck.spec.binding import occupants, unbound
from schedcheck.spec.faults import ALL_FAULTS, NO_FAULTS, Fault, Faults
from schedcheck.spec.objects import Node, Pod, Snapshot, Taint, Toleration
from schedcheck.spec.profiles import ARTICLE, CORRECTED, profile, scheduler
from schedcheck.spec.published.affinity import existing_anti_affinity, node_affinity, pod_affinity
from schedcheck.spec.published.control_loop import decision
from schedcheck.spec.published.feasibility import FILTERS, feasibility
from schedcheck.spec.published.resources import resources
from schedcheck.spec.published.schedulability import schedulability
from schedcheck.spec.published.taints import taints
from schedcheck.spec.published.viability import viability
from schedcheck.spec.requests import request
from schedcheck.spec.selectors import match_ns
from schedcheck.spec.terms import Affinity, Requirement
from tests.support.building import (
    GPU,
    HOSTNAME,
    apart,
    container,
    near,
    node,
    node_term,
    pod,
    preferring,
    selector,
    snapshot,
    term,
)

Answer = Callable[[Faults], Hashable]


@dataclass(frozen=True)
class Case:
    """A fault, an answer that it changes, the printed answer and the repaired one."""

    fault: Fault
    answer: Answer
    printed: Hashable
    repaired: Hashable


def admitted(
    admits: Callable[[Pod, Node, Snapshot, Faults], bool], one: Pod, at: Node, *others: Pod
) -> Callable[[Faults], bool]:
    return lambda faults: admits(one, at, snapshot(one, at, *others), faults)


def decided(*things: Pod | Node) -> Callable[[Faults], frozenset[str]]:
    return lambda faults: frozenset(map(str, scheduler(snapshot(*things), profile("one fault", faults))))


def viable(one: Pod, at: Node, *others: Pod) -> Callable[[Faults], int]:
    return lambda faults: viability(one, at, snapshot(one, at, *others), "cpu", faults)


def requiring(*requirements: Requirement) -> Pod:
    return pod("p", affinity=Affinity(node_required=(node_term(*requirements),)))


HERE = {HOSTNAME: "n"}
LOW, TOP, FULL = pod("low", 1, on="n"), pod("top", 1, priority=1), node("n", 1)
OWN_GROUP = pod("p", labels={"app": "x"}, affinity=near(term(selected=selector(app="x"))))
TERMS = near(term(selected=selector(app="x")), term(selected=selector(tier="y")))
TWO_TERMS = pod("p", affinity=TERMS)
APP_X, TIER_Y = pod("q", on="n", labels={"app": "x"}), pod("r", on="n", labels={"tier": "y"})
SHY = pod("q", on="n", affinity=apart(term(selected=selector())))
AVOIDING = pod("p", affinity=preferring(7, term(selected=selector()), anti=True))
WAITING = frozenset({"p"})
TWICE = pod("p", containers=(container(1), container(1)))
SET, EMPTY = Requirement("a", "Exists"), Requirement("b", "Exists")

CASES = [
    Case(Fault.OVERLAPPING_CASE, decided(pod("p"), node("n")), {"Bind(p, n)", "Preempt(p, n, {})"}, {"Bind(p, n)"}),
    Case(Fault.VICTIMS_UNCHECKED, decided(LOW, TOP, FULL), {"Preempt(top, n, {})"}, {"Preempt(top, n, {low})"}),
    Case(
        Fault.PREEMPTION_POLICY_IGNORED,
        decided(LOW, replace(TOP, preemption_policy="Never"), FULL),
        {"Preempt(top, n, {low})"},
        {"Wait(top)"},
    ),
    Case(Fault.UNKNOWN_NODE_UNBOUND, decided(pod("p", on="gone"), node("n")), {"Bind(p, n)"}, set()),
    Case(
        Fault.COMPLETED_PODS_COUNT,
        lambda faults: len(unbound(snapshot(pod("p", phase="Failed")), faults)),
        1,
        0,
    ),
    Case(
        Fault.COMPLETED_PODS_COUNT,
        lambda faults: len(occupants(FULL, snapshot(replace(LOW, phase="Succeeded"), FULL), faults)),
        1,
        0,
    ),
    Case(Fault.PHASE_DEMANDED, admitted(schedulability, pod("p"), node("n")), False, True),
    Case(
        Fault.CORDON_UNTOLERATED,
        admitted(schedulability, pod("p", tolerations=(Toleration(operator="Exists"),)), node("n", unschedulable=True)),
        False,
        True,
    ),
    Case(Fault.SUM_OVER_SET, lambda faults: request(TWICE, "cpu", faults), 1000, 2000),
    Case(Fault.MAX_OF_NONE, admitted(resources, pod("p"), node("n")), False, True),
    Case(Fault.BOUND_PODS_IGNORED, admitted(resources, TOP, FULL, LOW), True, False),
    Case(Fault.BOUND_PODS_IGNORED, admitted(resources, pod("p"), node("n", pods=1), pod("q", on="n")), True, False),
    *(
        Case(
            Fault.EXACT_TOLERATION,
            admitted(taints, pod("p", tolerations=(one,)), node("n", taints=(GPU,))),
            False,
            True,
        )
        for one in (
            Toleration("gpu", "", "", "NoSchedule"),
            Toleration("gpu", "Equal", "", ""),
            Toleration("", "Exists", "", "NoSchedule"),
        )
    ),
    Case(
        Fault.SOFT_TAINT_FILTERS,
        admitted(taints, pod("p"), node("n", taints=(Taint("gpu", "PreferNoSchedule"),))),
        False,
        True,
    ),
    Case(Fault.NO_TERMS_NO_NODE, admitted(node_affinity, pod("p"), node("n")), False, True),
    Case(
        Fault.REQUIREMENT_FOR_TERM,
        admitted(node_affinity, requiring(SET, EMPTY), node("n", labels={"b": ""})),
        True,
        False,
    ),
    Case(Fault.EXITS_MISSPELT, lambda faults: match_ns(SET, {"a": ""}, faults), False, True),
    Case(
        Fault.TEXT_IS_NO_NUMBER,
        lambda faults: match_ns(Requirement("a", "Gt", ("1",)), {"a": "2"}, faults),
        False,
        True,
    ),
    Case(
        Fault.TEXT_IS_NO_NUMBER,
        lambda faults: match_ns(Requirement("a", "Lt", ("2",)), {"a": "1"}, faults),
        False,
        True,
    ),
    Case(Fault.NO_FIRST_OF_GROUP, admitted(pod_affinity, OWN_GROUP, node("n", labels=HERE)), False, True),
    Case(Fault.TERMS_ONE_BY_ONE, admitted(pod_affinity, TWO_TERMS, node("n", labels=HERE), APP_X, TIER_Y), True, False),
    Case(
        Fault.EXISTING_ANTI_AFFINITY_IGNORED,
        admitted(existing_anti_affinity, pod("p"), node("n", labels=HERE), SHY),
        True,
        False,
    ),
    Case(Fault.ANTI_AFFINITY_ADDED, viable(AVOIDING, node("n", labels=HERE), pod("q", on="n")), 7, -7),
    Case(Fault.RESOURCES_UNRATED, viable(pod("p", 1), node("n", 4)), 0, 75),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.fault)
def test_the_printed_answer_differs_from_the_repaired_one(case: Case) -> None:
    assert case.answer(NO_FAULTS) == case.repaired
    assert case.answer(frozenset({case.fault})) == case.printed


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.fault)
@pytest.mark.parametrize("other", list(Fault))
def test_only_its_own_fault_or_a_more_basic_one_changes_a_case(case: Case, other: Fault) -> None:
    """A fault that rejects every pod, or ignores the bound pods, masks the faults above it."""
    beneath = {
        Fault.PHASE_DEMANDED,
        Fault.MAX_OF_NONE,
        Fault.NO_TERMS_NO_NODE,
        Fault.BOUND_PODS_IGNORED,
        Fault.OVERLAPPING_CASE,
        Fault.VICTIMS_UNCHECKED,
        Fault.RESOURCES_UNRATED,
        Fault.REQUIREMENT_FOR_TERM,
        Fault.EXITS_MISSPELT,
        Fault.EXACT_TOLERATION,
    }
    if other is not case.fault and other not in beneath:
        assert case.answer(frozenset({other})) == case.repaired


def test_every_fault_has_a_case() -> None:
    assert {case.fault for case in CASES} == set(Fault)


def test_article_has_all_faults_and_corrected_has_none() -> None:
    assert (ARTICLE.faults, CORRECTED.faults) == (ALL_FAULTS, NO_FAULTS)
    assert ARTICLE.rated_resource == CORRECTED.rated_resource == "cpu"


def test_as_printed_no_real_node_is_feasible() -> None:
    """No real node has a phase."""
    assert not feasibility(pod("p"), node("n"), snapshot(node("n")), ALL_FAULTS)


def test_as_printed_a_pod_without_terms_or_init_containers_fits_nowhere() -> None:
    running = node("n", phase="Running")
    one = pod(
        "p", init_containers=(container(),), affinity=Affinity(node_required=(node_term(Requirement("a", "NotIn")),))
    )
    assert feasibility(one, running, snapshot(running), ALL_FAULTS)
    assert not feasibility(replace(one, init_containers=()), running, snapshot(running), ALL_FAULTS)
    assert not feasibility(replace(one, affinity=Affinity()), running, snapshot(running), ALL_FAULTS)


@pytest.mark.medium
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(snapshots(), fault_sets())
def test_a_filter_gives_a_reason_exactly_if_it_rejects(seen: Snapshot, faults: Faults) -> None:
    for one in seen.pods:
        for at in seen.nodes:
            for each in FILTERS:
                assert (each.reason(one, at, seen, faults) is None) == each.admits(one, at, seen, faults), each.name
                assert each.reason(one, at, seen, faults) != ""


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(snapshots(), fault_sets())
def test_every_operator_gives_an_answer_under_every_set_of_faults(seen: Snapshot, faults: Faults) -> None:
    """Nothing in `spec` raises, and every scheduled pod gets at least one decision."""
    used = profile("any", faults)
    for one in seen.pods:
        assert decision(one, seen, used)
    assert bool(scheduler(seen, used)) == bool(unbound(seen, faults))
