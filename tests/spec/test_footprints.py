"""Every definition depends on exactly its footprint, and a footprint that is too narrow is detected"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.spec.classic import filtering, ranking
from schedcheck.spec.classic.policy import DEFAULT
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import (
    NOTHING,
    UNSEEN,
    Footprint,
    OutsideFootprint,
    Width,
    any_pod,
    every_pod,
    footprint,
    looks_at,
)
from schedcheck.spec.kubernetes.filter import FILTERS as KUBE_FILTERS
from schedcheck.spec.kubernetes.filter import FOOTPRINTS, antitone
from schedcheck.spec.kubernetes.filters import node_resources_fit, pod_topology_spread
from schedcheck.spec.kubernetes.pre_filter import PRE_FILTERS, PRE_FOOTPRINTS
from schedcheck.spec.kubernetes.scores.scored import SCORE_PLUGINS
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.published.affinity import pod_affinity
from schedcheck.spec.published.feasibility import FILTERS
from schedcheck.spec.published.preemption import casualty
from schedcheck.spec.published.resources import resources
from schedcheck.spec.published.taints import taints
from schedcheck.spec.published.viability import RATINGS
from schedcheck.spec.storage import CSI, CSINode, PersistentVolume, PersistentVolumeClaim
from tests.spec.footprint_definitions import DEFINITIONS, Asked, Definition, projected, whole
from tests.support.building import HOSTNAME, claiming, near, node, pod, selector, snapshot, stored, term
from tests.support.footprint_cases import CONCERNS, Case, case, changed

QUESTIONS = 4 * len(CONCERNS)
MOST_TRIED = 100 * len(CONCERNS)
CHANGES = 12

CONSTANT = {
    *(f"PreFilter {name}" for name, looked_at in PRE_FOOTPRINTS.items() if looked_at == NOTHING),
    *(f"skipping {each.name}" for each in SCORE_PLUGINS if each.name not in ("PodTopologySpread", "InterPodAffinity")),
}
"""Definitions whose answer never depends on the cluster."""

every_definition = pytest.mark.parametrize("name", DEFINITIONS)


@cache
def question(number: int) -> Asked:
    return whole(case(number), number)


@cache
def other_question(number: int) -> Asked:
    """The same question after a small change."""
    return whole(changed(case(number), number + 7), number)


@cache
def another_question(number: int) -> Asked:
    """The same question after a large change, with other storage and raw scores, asked about the first node."""
    given = case(number)
    for step in range(CHANGES):
        given = changed(given, number + step * len(CONCERNS))
    there = replace(
        given.snapshot, storage=case(number + 1).snapshot.storage, devices=case(number + 1).snapshot.devices
    )
    return whole(replace(given, node=there.nodes[0], snapshot=there), number, scoring=1)


def answers_alike(definition: Definition, asked: Asked, footprint: Footprint) -> bool:
    """Whether the definition gives the same answer on the projection as on the whole snapshot."""
    try:
        return bool(definition.answer(projected(asked, footprint)) == definition.answer(asked))
    except OutsideFootprint:
        return False


@pytest.mark.sampled(25)
@every_definition
def test_a_definition_answers_alike_on_its_projection_and_on_the_whole(name: str) -> None:
    definition = DEFINITIONS[name]
    assert all(answers_alike(definition, question(number), definition.footprint) for number in range(QUESTIONS))


@pytest.mark.sampled(25)
@every_definition
def test_a_change_outside_the_footprint_changes_neither_key_nor_answer(name: str) -> None:
    definition, outside = DEFINITIONS[name], 0
    for number in range(QUESTIONS):
        before, after = question(number), other_question(number)
        same = projected(before, definition.footprint) == projected(after, definition.footprint)
        outside += same and before != after
        assert not same or hash(projected(before, definition.footprint).snapshot) == hash(
            projected(after, definition.footprint).snapshot
        )
        assert not same or definition.answer(before) == definition.answer(after)
    assert outside > 0


@pytest.mark.sampled(25)
@pytest.mark.parametrize("name", sorted({*DEFINITIONS} - CONSTANT))
def test_some_change_within_the_footprint_changes_the_answer(name: str) -> None:
    definition = DEFINITIONS[name]
    telling = (
        number
        for number in range(MOST_TRIED)
        if definition.answer(question(number)) != definition.answer(another_question(number))
    )
    number = next(telling)
    assert projected(question(number), definition.footprint) != projected(
        another_question(number), definition.footprint
    )


@pytest.mark.parametrize("name", sorted(CONSTANT))
def test_no_change_affects_a_constant_definition(name: str) -> None:
    for number in range(QUESTIONS):
        assert DEFINITIONS[name].answer(question(number)) == DEFINITIONS[name].answer(another_question(number))


COMPOSED = ("predicate GeneralPredicates", "victim sets", "evictions", "early evictions")
"""The definitions composed of others, where one path may stand for another."""

DECLARED = [
    name
    for name in DEFINITIONS
    if "beside the nominated" not in name and "skipping" not in name and name not in COMPOSED
]
"""The definitions whose footprint describes only themselves."""

NARROWER = (
    *((name, path) for name in DECLARED for path in sorted(DEFINITIONS[name].footprint.paths)),
    ("predicate GeneralPredicates", "node.labels"),
    ("victim sets", "nodes.allocatable"),
    ("evictions", "budgets"),
    ("early evictions", "budgets"),
)


@pytest.mark.parametrize(("name", "path"), NARROWER)
def test_a_footprint_with_a_missing_path_is_detected(name: str, path: str) -> None:
    definition = DEFINITIONS[name]
    narrow = definition.footprint.without(path)
    assert any(not answers_alike(definition, question(number), narrow) for number in range(MOST_TRIED))


def no_pod(pod: Pod, other: Pod, snapshot: Snapshot) -> bool:
    return False


@pytest.mark.parametrize("name", [name for name in DECLARED if DEFINITIONS[name].footprint.who is not every_pod])
def test_a_footprint_without_pods_is_detected(name: str) -> None:
    definition = DEFINITIONS[name]
    narrow = replace(definition.footprint, who=no_pod)
    assert any(not answers_alike(definition, question(number), narrow) for number in range(MOST_TRIED))


@pytest.mark.parametrize("name", [name for name in DECLARED if DEFINITIONS[name].footprint.keys is not None])
def test_a_footprint_without_topology_keys_is_detected(name: str) -> None:
    definition = DEFINITIONS[name]
    narrow = replace(definition.footprint, keys=lambda pod, snapshot: ())
    assert any(not answers_alike(definition, question(number), narrow) for number in range(MOST_TRIED))


NARROW_FOR_SOME = [name for name in DECLARED if DEFINITIONS[name].footprint.wide_for is not any_pod]


def narrow_where_it_says(name: str, wide_for: Callable[[Pod], object]) -> bool:
    """Whether the definition depends on one node alone in clusters without a pod that widens its footprint."""
    for number in range(MOST_TRIED // 2):
        given = case(number)
        if wide_for(given.pod):
            continue
        there = replace(given.snapshot, pods=tuple(each for each in given.snapshot.pods if not wide_for(each)))
        here = replace(there, pods=there.pods_by_node.get(given.node.name, ()), nodes=(given.node,))
        of_all, of_one = (whole(replace(given, snapshot=each), number) for each in (there, here))
        if DEFINITIONS[name].answer(of_all) != DEFINITIONS[name].answer(of_one):
            return False
    return True


@pytest.mark.parametrize("name", NARROW_FOR_SOME)
def test_a_definition_is_narrow_for_exactly_the_pods_it_declares(name: str) -> None:
    assert narrow_where_it_says(name, DEFINITIONS[name].footprint.wide_for)
    assert not narrow_where_it_says(name, lambda pod: False)


def test_every_definition_has_a_footprint_entry() -> None:
    assert set(FOOTPRINTS) == set(KUBE_FILTERS)
    assert set(PRE_FOOTPRINTS) == set(PRE_FILTERS)
    with_arguments = {"CheckNodeLabelPresence", "CheckServiceAffinity"}
    assert set(filtering.FOOTPRINTS) == {*filtering.NAMES, *with_arguments}
    assert set(DEFINITIONS) > {
        *(f"filter {each.name}" for each in FILTERS),
        *(f"rating {each.name}" for each in RATINGS),
        *(f"plugin {name}" for name in KUBE_FILTERS),
        *(f"PreFilter {name}" for name in PRE_FILTERS),
        *(f"{what} {each.name}" for each in SCORE_PLUGINS for what in ("score", "skipping", "normalising")),
        *(f"predicate {name}" for name in (*filtering.NAMES, *with_arguments)),
        *(f"priority {name}" for name in ranking.NAMES),
    }


def test_a_definition_without_a_footprint_is_detected() -> None:
    with pytest.raises(AttributeError, match="footprint"):
        footprint(every_pod)


TOUCHES: tuple[Callable[[Any], Any], ...] = (
    bool, len, list, lambda each: each.name, lambda each: each[0], lambda each: 1 in each, lambda each: each == 1,
    lambda each: each < 1, lambda each: 1 + each, lambda each: {1} - each,
)  # fmt: skip


@pytest.mark.parametrize("touch", TOUCHES)
def test_touching_a_value_outside_the_footprint_raises(touch: Callable[[Any], Any]) -> None:
    with pytest.raises(OutsideFootprint):
        touch(UNSEEN)


THERE = snapshot(node("m", labels={"zone": "a"}), node("n"), pod("p", on="m", labels={"app": "a"}), pod("q", on="n"))


def test_a_projection_to_one_node_gives_no_access_to_other_nodes() -> None:
    part = footprint(resources).project(pod("new"), THERE.nodes[0], THERE)
    assert [each.name for each in part.pods_by_node["m"]] == ["p"]
    for touch in (lambda: list(part.nodes), lambda: list(part.pods), lambda: part.pods_by_node["m"][0].labels["app"]):
        with pytest.raises(OutsideFootprint):
            touch()


def test_a_footprint_prints_its_paths_and_width() -> None:
    assert str(footprint(taints)) == "node.taints"
    assert str(NOTHING) == "nothing"
    widths = {
        NOTHING: Width.POD,
        footprint(casualty): Width.POD,
        footprint(taints): Width.NODE,
        footprint(node_resources_fit.refusal): Width.NODE,
        footprint(pod_topology_spread.refusal): Width.DOMAINS,
        footprint(SCORE_PLUGINS[0].normalised): Width.ALL,
    }
    assert {looked_at: looked_at.width for looked_at in widths} == widths


def test_without_affinity_terms_pod_affinity_depends_on_one_node_only() -> None:
    company = pod("new", affinity=near(term("zone", selector(app="a"))))
    assert footprint(pod_affinity).width_among([pod("new"), pod("p")]) == Width.NODE
    assert footprint(pod_affinity).width_among([company, pod("p")]) == Width.DOMAINS


def test_the_footprint_of_two_definitions_is_their_union() -> None:
    one, other = looks_at("node.taints")(lambda: None), looks_at("nodes.labels", "services")(lambda: None)
    assert str(footprint(one, other)) == "nodes.labels, nodes.name, nodes.taints, pods.name, services"
    assert str(footprint(one, one)) == "node.taints"


def test_the_projection_contains_only_the_pods_and_labels_that_count() -> None:
    asked = pod("new", affinity=near(term(HOSTNAME, selector(app="a"))))
    part = footprint(pod_affinity).project(asked, THERE.nodes[0], THERE)
    assert [each.name for each in part.pods] == ["p"]
    assert [dict(each.labels) for each in part.nodes] == [{}, {}]


def test_the_projection_to_a_node_contains_only_the_pods_nominated_there() -> None:
    waiting = [pod(f"to-{name}" if name else "to-none", nominated_node_name=name) for name in ("m", "n", "k", "")]
    part = footprint(looks_at("nominated.name")(lambda: None)).project(
        pod("new"), THERE.nodes[0], snapshot(*THERE.nodes, *waiting)
    )
    assert [each.name for each in part.pods] == ["to-m"]


Refused = Callable[[Case], bool]

FULL = stored(
    PersistentVolumeClaim("c", volume_name="v", bind_completed=True),
    PersistentVolume("v", source=CSI("csi.example.com", "h")),
    CSINode("n", allocatable=frozendict({"csi.example.com": 0})),
)
SHARING = Case(
    claiming("c", name="new"), node(), replace(snapshot(node(), claiming("c", name="there", on="n")), storage=FULL)
)
"""On a node over its limit a pod uses a volume that another pod there already uses."""


def by_printed(name: str, given: Case) -> bool:
    each = next(each for each in FILTERS if each.name == name)
    return not each.admits(given.pod, given.node, given.snapshot, NO_FAULTS)


def by_plugin(name: str, given: Case, *, if_antitone: bool) -> bool:
    asked = whole(given, 0)
    refusal = KUBE_FILTERS[name](asked.cycle, asked.info)
    return refusal is not None and (antitone(refusal) or not if_antitone)


def by_predicate(name: str, given: Case) -> bool:
    classic = replace(DEFAULT, most_volumes="1")
    return filtering.failures_of(name, given.pod, given.node, given.snapshot, classic) != ()


def departures(given: Case) -> Iterator[Case]:
    """Yield the case without one of the pods on its node."""
    for gone in given.snapshot.pods_by_node.get(given.node.name, ()):
        yield replace(given, snapshot=given.snapshot - {gone})


def lifted(before: Refused, after: Refused, cases: Iterable[Case]) -> Iterator[Case]:
    """Yield the cases in which removing a pod from the node makes the node infeasible."""
    return (given for given in cases for fewer in departures(given) if after(fewer) and not before(given))


@pytest.mark.parametrize("each", FILTERS, ids=lambda each: each.name)
def test_a_printed_filter_is_antitone_exactly_if_it_says_so(each: Any) -> None:
    def refused(given: Case) -> bool:
        return by_printed(each.name, given)

    tried = map(case, range(QUESTIONS if each.antitone else MOST_TRIED))
    assert any(True for _ in lifted(refused, refused, tried)) != each.antitone


@pytest.mark.parametrize("name", KUBE_FILTERS)
def test_a_rejection_by_a_plugin_is_antitone_if_it_says_so(name: str) -> None:
    def refused(given: Case, *, if_antitone: bool = False) -> bool:
        return by_plugin(name, given, if_antitone=if_antitone)

    cases = [case(number) for number in range(QUESTIONS)]
    assert not list(lifted(refused, lambda given: refused(given, if_antitone=True), cases))


@pytest.mark.parametrize(
    ("name", "cases"), [("InterPodAffinity", map(case, range(MOST_TRIED))), ("NodeVolumeLimits", [SHARING])]
)
def test_other_rejections_may_be_caused_by_a_missing_pod(name: str, cases: Iterable[Case]) -> None:
    def refused(given: Case) -> bool:
        return by_plugin(name, given, if_antitone=False)

    assert any(True for _ in lifted(refused, refused, cases))


@pytest.mark.parametrize("name", sorted(filtering.NAMES))
def test_a_predicate_is_antitone_unless_it_is_listed(name: str) -> None:
    def failed(given: Case) -> bool:
        return by_predicate(name, given)

    listed = name in filtering.NOT_ANTITONE
    tried = map(case, range(MOST_TRIED if listed else QUESTIONS))
    assert any(True for _ in lifted(failed, failed, tried)) == listed
