"""Defects that change no decision of a cycle: wrong verdicts and scores of nodes that do not win are detected"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from schedcheck.checker.differential.beside import beside
from schedcheck.checker.differential.decisions import concluded, concluded_decisions, difference
from schedcheck.checker.extenders.as_values import judged
from schedcheck.model.production.cycle import algorithm
from schedcheck.model.production.framework.verdicts import UNRESOLVED, verdicts
from schedcheck.model.production.plugins.node_affinity import NodeAffinity
from schedcheck.model.production.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from schedcheck.model.production.plugins.node_resources_fit import NodeResourcesFit
from schedcheck.model.production.plugins.node_unschedulable import NodeUnschedulable
from schedcheck.model.production.plugins.taint_toleration import TaintToleration, untolerated_preferences
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Taint
from schedcheck.spec.terms import Affinity, NodeSelectorTerm, PreferredNodeTerm, Requirement
from tests.support.building import node, pod, snapshot

BALANCED = "NodeResourcesBalancedAllocation"
FIRST = PreferredNodeTerm(10, NodeSelectorTerm((Requirement("disk", "In", ("ssd",)),)))
SECOND = PreferredNodeTerm(5, NodeSelectorTerm((Requirement("disk", "In", ("hdd",)),)))
ASKED = pod("p", 1, affinity=Affinity(node_preferred=(FIRST, SECOND)))
THERE = snapshot(
    node("n1", 16, labels={"disk": "ssd"}),
    node("n2", 8, taints=(Taint("t", "PreferNoSchedule"),)),
    node("n3", 4, unschedulable=True),
    node("n4", 4, labels={"disk": "hdd"}),
    ASKED,
)
"""Every score prefers n1 to n2 and n4; n3 is cordoned."""


def refusing_preferences(patch: pytest.MonkeyPatch) -> None:
    def refused(self: Any, state: Any, info: Any, nodes: Any) -> Any:
        wrong = untolerated_preferences(info.pod, nodes) > 0
        return verdicts(wrong.astype(np.int8) * UNRESOLVED, "node(s) had untolerated taint(s)")

    patch.setattr(TaintToleration, "filter", refused)


def admitting_cordoned(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(NodeUnschedulable, "filter", lambda self, state, info, nodes: verdicts(np.zeros(len(nodes), np.int8)))


def in_other_words(patch: pytest.MonkeyPatch) -> None:
    says = NodeUnschedulable.filter
    patch.setattr(
        NodeUnschedulable,
        "filter",
        lambda *given: replace(says(*given), texts=lambda _: ("node(s) were cordoned",)),
    )


def halving_losers(patch: pytest.MonkeyPatch) -> None:
    rates = NodeResourcesFit.score

    def halved(*given: Any) -> Any:
        found = rates(*given)
        return np.where(found < found.max(), found // 2, found)

    patch.setattr(NodeResourcesFit, "score", halved)


def all_or_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(NodeAffinity, "normalize", lambda self, state, info, nodes, scores: (scores == scores.max()) * 100)


def doubled_before_normalising(patch: pytest.MonkeyPatch) -> None:
    rates = NodeAffinity.score
    patch.setattr(NodeAffinity, "score", lambda *given: rates(*given) * 2)


def less_in_total(patch: pytest.MonkeyPatch) -> None:
    rated = algorithm._rated

    def less(*given: Any) -> Any:
        found = rated(*given)
        return replace(found, total=np.where(found.total < found.total.max(), found.total - 1, found.total))

    patch.setattr(algorithm, "_rated", less)


TWINS: tuple[tuple[Callable[[pytest.MonkeyPatch], None], set[str]], ...] = (
    (refusing_preferences, {"n2"}),
    (admitting_cordoned, {"n3"}),
    (in_other_words, {"n3"}),
    (halving_losers, {"raw score of NodeResourcesFit for n2", "raw score of NodeResourcesFit for n4"}),
    (all_or_nothing, {"normalised score of NodeAffinity for n4"}),
    (doubled_before_normalising, {"raw score of NodeAffinity for n1", "raw score of NodeAffinity for n4"}),
    (less_in_total, {"total score for n2", "total score for n4"}),
)
"""Each defect with what differs first: nodes with another verdict, or scores."""


def test_a_cycle_without_a_defect_differs_in_nothing() -> None:
    assert difference(concluded(ASKED, THERE, DEFAULT_PLUGINS), THERE, DEFAULT_PLUGINS) is None


def test_the_compared_scores_are_those_by_hand() -> None:
    """Taints: 0, 1 and 0, reversed. Affinity: 10, 0 and 5 of at most 10."""
    made = concluded(ASKED, THERE, DEFAULT_PLUGINS)
    assert made.scores is not None and made.found is not None
    assert made.found.names() == ["n1", "n2", "n4"]
    assert made.scores.raw["TaintToleration"].tolist() == [0, 1, 0]
    assert made.scores.normalised["TaintToleration"].tolist() == [100, 0, 100]
    assert made.scores.weighted["TaintToleration"].tolist() == [300, 0, 300]
    assert made.scores.normalised["NodeAffinity"].tolist() == [100, 0, 50]


@pytest.mark.parametrize("place", range(len(TWINS)), ids=lambda place: TWINS[place][0].__name__)
def test_a_defect_that_changes_no_decision_is_detected(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    twin, expected = TWINS[place]
    twin(monkeypatch)
    made = concluded(ASKED, THERE, DEFAULT_PLUGINS)
    assert concluded_decisions(made, THERE) == judged(ASKED, THERE, DEFAULT_PLUGINS, ()).decisions
    found = difference(made, THERE, DEFAULT_PLUGINS)
    assert found is not None and found.made == found.allowed
    differing = {name for name, _, _ in found.refusals} or {what for what, _, _ in found.details}
    assert expected <= differing
    kind = min(expected)[:3]
    assert expected == {each for each in differing if each.startswith(kind)}


def test_a_nominated_node_that_is_tried_first_leaves_the_others_unexamined() -> None:
    there = snapshot(*THERE.nodes, replace(ASKED, nominated_node_name="n4"))
    asked = there.pods[0]
    made = concluded(asked, there, DEFAULT_PLUGINS)
    assert (made.hosts, made.mode, made.scores) == (("n4",), "nominated", None)
    assert difference(made, there, DEFAULT_PLUGINS) is None


def test_scores_that_only_one_side_has_are_a_difference() -> None:
    made = concluded(ASKED, THERE, DEFAULT_PLUGINS)
    said = judged(ASKED, THERE, DEFAULT_PLUGINS, ())
    assert beside(replace(made, scores=None), said, every=True)[1] == (("scoring", "none", "scores"),)
    assert beside(made, replace(said, rated=None), every=True)[1] == (("scoring", "scores", "none"),)
    assert beside(made, replace(said, verdicts=None), every=True) == ((), ())


UNPREPARED = replace(
    DEFAULT_PLUGINS,
    points=DEFAULT_PLUGINS.points.set(
        "preScore", tuple(each for each in DEFAULT_PLUGINS.at("preScore") if each != BALANCED)
    ),
)


def test_a_pod_without_requests_is_not_balanced_without_pre_score() -> None:
    """kube-scheduler returns 0 for every node then."""
    made = concluded(pod("p"), THERE, UNPREPARED)
    assert made.scores is not None
    assert made.scores.raw[BALANCED].tolist() == [0, 0, 0]
    assert BALANCED not in (concluded(pod("p"), THERE, DEFAULT_PLUGINS).scores or made.scores).raw
    assert difference(made, THERE, UNPREPARED) is None


def test_a_balance_of_a_pod_without_requests_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        NodeResourcesBalancedAllocation, "score", lambda self, state, info, nodes: np.full(len(nodes), 75)
    )
    found = difference(concluded(pod("p"), THERE, UNPREPARED), THERE, UNPREPARED)
    assert found is not None and found.made == found.allowed
