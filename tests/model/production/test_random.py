"""On random clusters with random plugin arguments, the production scheduler decides as specified"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from frozendict import frozendict
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from schedcheck.model.production.cycle.algorithm import Search, Suggestion, scheduled
from schedcheck.model.production.cycle.diagnosis import CycleError
from schedcheck.model.production.framework import filtering, scoring
from schedcheck.model.production.plugins import pod_topology_spread, resource_scores
from schedcheck.model.production.plugins.inter_pod_affinity import InterPodAffinity
from schedcheck.model.production.snapshot.node_table import NodeTable
from schedcheck.model.production.snapshot.snapshot import Trial
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.filter import refusals, verdicts, with_nominated
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, AddedAffinity, Arguments, Plugins, ScoringStrategy
from schedcheck.spec.kubernetes.select_host import choice, scores_of
from schedcheck.spec.objects import HostPort, Node, NodeImage, Pod, Snapshot, SpreadConstraint
from schedcheck.spec.terms import PreferredNodeTerm, Requirement
from tests.model.production.cluster import cluster
from tests.model.production.test_recorded import told
from tests.support import strategies
from tests.support.building import HOSTNAME, selector

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
RESOURCES = ("cpu", "memory", "example.com/gpu")


@st.composite
def constraints(draw: st.DrawFn) -> SpreadConstraint:
    return SpreadConstraint(
        draw(st.integers(1, 2)),
        draw(st.sampled_from(("zone", "app", HOSTNAME))),
        draw(st.booleans()),
        strategies.admitted_selector(draw(strategies.label_selectors())),
        draw(st.integers(1, 3)),
        draw(st.booleans()),
        draw(st.booleans()),
    )


@st.composite
def richer_pods(draw: st.DrawFn, pod: Pod) -> Pod:
    """The pod with fields that the other strategies omit: ports, images, spread constraints, start time, termination."""
    ports = draw(st.sampled_from(((), (), (HostPort(80),), (HostPort(80, ip="10.0.0.1"),))))
    image = draw(st.sampled_from(("", "a", "a:latest", "b:1")))
    containers = tuple(replace(each, ports=ports, image=image) for each in pod.containers)
    spread = draw(st.lists(constraints(), max_size=2).map(tuple)) if draw(st.booleans()) else ()
    affinity = strategies.admitted(pod.affinity)
    terminating = pod.node_name != "" and draw(st.booleans())
    return replace(pod, containers=containers, spread=spread, affinity=affinity, terminating=terminating)


@st.composite
def arguments(draw: st.DrawFn) -> Arguments:
    weights = st.lists(st.tuples(st.sampled_from(RESOURCES), st.integers(1, 3)), min_size=1, max_size=3)
    resources = tuple(dict(draw(weights)).items())
    points = sorted(draw(st.sets(st.integers(0, 100), min_size=1, max_size=4)))
    shape = tuple((point, draw(st.integers(0, 10))) for point in points)
    kind = draw(st.sampled_from(("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")))
    terms = strategies.node_terms().map(strategies.admitted_term)
    required = draw(st.none() | st.lists(terms, min_size=1, max_size=1).map(tuple))
    preferred = draw(st.lists(st.builds(PreferredNodeTerm, st.integers(1, 9), terms), max_size=1).map(tuple))
    defaults = draw(st.none() | st.lists(constraints(), max_size=2).map(tuple))
    if defaults is not None:
        defaults = tuple(replace(each, selector=None) for each in defaults)
    return Arguments(
        added_affinity=AddedAffinity(required, preferred) if draw(st.booleans()) else AddedAffinity(),
        ignored_resources=frozenset(draw(st.sets(st.sampled_from(RESOURCES)))),
        ignored_groups=frozenset(draw(st.sets(st.sampled_from(("example.com", "other.com"))))),
        scoring_strategy=ScoringStrategy(kind, resources, shape if kind == "RequestedToCapacityRatio" else ()),
        balanced=tuple(name for name, _ in resources),
        default_constraints=defaults,
        hard_pod_affinity_weight=draw(st.sampled_from((0, 1, 7))),
        ignore_preferred_terms_of_existing_pods=draw(st.booleans()),
    )


@st.composite
def questions(draw: st.DrawFn) -> tuple[Pod, Snapshot, Plugins]:
    there: Snapshot = draw(strategies.snapshots(6))
    nodes = tuple(_richer_node(each, draw) for each in there.nodes)
    names = [node.name for node in nodes]
    pods = tuple(draw(richer_pods(each)) for each in there.pods if each.phase in ("Pending", "Running"))
    waiting = st.sampled_from(("", *names))
    pods = tuple(each if each.node_name else replace(each, nominated_node_name=draw(waiting)) for each in pods)
    seen = tuple(pod for pod in pods if (pod.node_name or pod.nominated_node_name) in names)
    asked: Pod = draw(richer_pods(draw(strategies.pods("asked"))))
    asked = replace(asked, node_name="", phase="Pending", nominated_node_name=draw(waiting))
    given_arguments = draw(arguments()) if draw(st.booleans()) else Arguments()
    return asked, replace(there, pods=seen, nodes=nodes), replace(DEFAULT_PLUGINS, arguments=given_arguments)


@st.composite
def spread_over_hosts(draw: st.DrawFn) -> tuple[Pod, Snapshot, Plugins]:
    """Questions about pods with a preferred hostname spread constraint."""
    asked, there, plugins = draw(questions())
    constraint = SpreadConstraint(
        1, HOSTNAME, False, selector(Requirement("none", "DoesNotExist")), taints_honored=True
    )
    return replace(asked, spread=(constraint,)), there, plugins


def _richer_node(node: Node, draw: Any) -> Node:
    """The node with images, and with its name as hostname label."""
    size = draw(st.sampled_from((0, 30 * 2**20, 900 * 2**20)))
    images = (NodeImage(("a:latest", "b:1"), size),) if draw(st.booleans()) else ()
    return replace(node, images=images, labels=frozendict({**node.labels, HOSTNAME: node.name}))


def choices_agree(question: tuple[Pod, Snapshot, Plugins]) -> None:
    asked, there, plugins = question
    made = cycle(asked, there, plugins)
    expected = choice(made)
    here = cluster(there, plugins, pending=[asked])
    framework, state, info = here.cycle(asked)
    try:
        found = scheduled(framework, state, info, here.handle.snapshot, Search(percentage=100))
    except CycleError as error:
        assert (expected.kind, expected.error) == ("error", str(error)) or not there.nodes
        return
    if isinstance(found, Suggestion):
        assert (expected.kind, expected.mode, sorted(expected.hosts)) == ("scheduled", found.mode, sorted(found.hosts))
        return
    assert expected.kind == "unschedulable"
    for name, verdict in verdicts(made).items():
        status = found.error.diagnosis.statuses.get(here.handle.snapshot.table.row_of[name])
        assert verdict.refusal is not None
        told = (status.plugin, status.code.value, sorted(status.reasons))
        assert told == (verdict.refusal.plugin, verdict.refusal.code, sorted(verdict.refusal.reasons)), name


def filters_agree(question: tuple[Pod, Snapshot, Plugins]) -> None:
    asked, there, plugins = question
    made = cycle(asked, there, plugins)
    here = cluster(there, plugins, pending=[asked])
    framework, state, info = here.cycle(asked)
    before = filtering.pre_filtered(framework, state, info, here.handle.snapshot)
    assert before.status.success == (made.rejection is None)
    if made.rejection is not None:
        assert (before.status.plugin, before.status.reasons) == (made.rejection.plugin, made.rejection.reasons)
        return
    nodes = here.handle.snapshot.all()
    places, infos = filtering.reckoned_with(framework, info, nodes)
    crowded = filtering.with_pods(framework, state, info, nodes, places, infos)
    said = dict(zip(nodes.names(), filtering.all_verdicts(framework, state, info, nodes), strict=True))
    also = dict(zip(crowded[2].names(), filtering.all_verdicts(framework, *crowded), strict=True)) if places else {}
    for each in made.infos:
        assert [told(status) for status in said[each.node.name]] == [_told(one) for one in refusals(made, each)]
        joined = with_nominated(made, each)
        assert (joined is not None) == (each.node.name in also)
        if joined is not None:
            assert [told(one) for one in also[each.node.name]] == [_told(one) for one in refusals(made, joined)]


def _told(refusal: Any) -> dict[str, object]:
    """A rejection of the specification in the form of a status."""
    return {"plugin": refusal.plugin, "code": str(refusal.code), "reasons": sorted(refusal.reasons)}


def scores_agree(question: tuple[Pod, Snapshot, Plugins]) -> None:
    """Assert equal scores for all nodes, feasible or not, as if there were no filters."""
    asked, there, plugins = question
    expected = scores_of(cycle(asked, there, plugins), tuple(node.name for node in there.nodes))
    here = cluster(there, plugins, pending=[asked])
    framework, state, info = here.cycle(asked)
    nodes = here.handle.snapshot.all()
    status = scoring.pre_scored(framework, state, info, nodes)
    found = scoring.scored(framework, state, info, nodes) if status.success else scoring.Scored(status)
    assert (found.status.message or None) == expected.error
    for ours, theirs in ((found.raw, expected.raw), (found.normalised, expected.normalised)):
        by_node = {name: dict(zip(nodes.names(), scores.tolist(), strict=True)) for name, scores in ours.items()}
        assert by_node == {name: dict(scores) for name, scores in theirs.items()}
    assert dict(zip(nodes.names(), found.total.tolist(), strict=False)) == dict(expected.total)


Question = tuple[Pod, Snapshot, Plugins]
Check = Callable[[Question], None]


@pytest.mark.parametrize("check", [choices_agree, filters_agree, scores_agree], ids=lambda check: check.__name__)
def test_the_production_scheduler_agrees_with_the_specification(check: Check) -> None:
    settings(max_examples=150, deadline=None, suppress_health_check=SLOW)(given(questions())(check))()


TWINS: tuple[tuple[Any, str, Any, Check, Callable[[], st.SearchStrategy[Question]]], ...] = (
    (resource_scores, "most_allocated", resource_scores.least_allocated, scores_agree, questions),
    (resource_scores, "by_shape", lambda shape, used, room: used * 100 // room, scores_agree, questions),
    (
        InterPodAffinity,
        "score",
        lambda self, state, pod, nodes: np.zeros(len(nodes), np.int64),
        scores_agree,
        questions,
    ),
    (Trial, "change", lambda self, worlds, infos, sign: None, filters_agree, questions),
    (NodeTable, "holders", lambda self, port: set(), filters_agree, questions),
    (pod_topology_spread, "HOSTNAME", "", scores_agree, spread_over_hosts),
)
"""Broken replacements, the check that must then fail, and the questions on which it fails."""


@pytest.mark.parametrize("place", range(len(TWINS)), ids=lambda place: TWINS[place][1])
def test_a_broken_twin_is_detected_on_random_clusters(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name, twin, check, asking = TWINS[place]
    monkeypatch.setattr(owner, name, twin)
    at_first_sight = settings(
        max_examples=4000,
        deadline=None,
        suppress_health_check=SLOW,
        report_multiple_bugs=False,
        phases=[Phase.generate],
        database=None,
    )
    with pytest.raises(AssertionError):
        at_first_sight(given(asking())(check))()
