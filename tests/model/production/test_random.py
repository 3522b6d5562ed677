"""On random clusters with random plugin arguments, the production scheduler decides as specified"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from schedcheck.checker.drawing.questions import questions, spread_over_hosts
from schedcheck.checker.drawing.volumes import Question
from schedcheck.model.production.cycle.algorithm import Search, Suggestion, scheduled
from schedcheck.model.production.cycle.diagnosis import CycleError
from schedcheck.model.production.framework import filtering, scoring
from schedcheck.model.production.plugins import pod_topology_spread, resource_scores
from schedcheck.model.production.plugins.inter_pod_affinity import InterPodAffinity
from schedcheck.model.production.snapshot.node_table import NodeTable
from schedcheck.model.production.snapshot.snapshot import Trial
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.filter import refusals, verdicts, with_nominated
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.select_host import choice, scores_of
from schedcheck.spec.objects import Pod, Snapshot
from tests.model.production.cluster import cluster
from tests.model.production.test_recorded import told
from tests.support.verdicts import all_verdicts

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


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
    places, infos = filtering.reckoned_with(framework, state, info, nodes)
    crowded = filtering.with_pods(framework, state, info, nodes, places, infos)
    said = dict(zip(nodes.names(), all_verdicts(framework, state, info, nodes), strict=True))
    also = dict(zip(crowded[2].names(), all_verdicts(framework, *crowded), strict=True)) if infos else {}
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
    filtering.pre_filtered(framework, state, info, here.handle.snapshot)
    nodes = here.handle.snapshot.all()
    status = scoring.pre_scored(framework, state, info, nodes)
    found = scoring.scored(framework, state, info, nodes) if status.success else scoring.Scored(status)
    assert (found.status.message or None) == expected.error
    for ours, theirs in ((found.raw, expected.raw), (found.normalised, expected.normalised)):
        by_node = {name: dict(zip(nodes.names(), scores.tolist(), strict=True)) for name, scores in ours.items()}
        assert by_node == {name: dict(scores) for name, scores in theirs.items()}
    assert dict(zip(nodes.names(), found.total.tolist(), strict=False)) == dict(expected.total)


Check = Callable[[Question], None]


@pytest.mark.sampled(1)
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


@pytest.mark.sampled(3)
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
