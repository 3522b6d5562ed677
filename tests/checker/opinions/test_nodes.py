"""The opinion on nodes agrees with the definitions, and refuses without a cluster only what every cluster refuses"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings

from schedcheck.checker.drawing.questions import FAMILIES as ASKED
from schedcheck.checker.drawing.volumes import Question
from schedcheck.checker.opinions import known as module
from schedcheck.checker.opinions.known import Known
from schedcheck.checker.opinions.nodes import best, filtered, left_out
from schedcheck.spec.binding import completed
from schedcheck.spec.device_objects import PodClaim
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.filter import admitted, verdicts
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.select_host import scores_of
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.refusal import Code
from schedcheck.spec.terms import NO_AFFINITY, LabelSelector, PodAffinityTerm
from schedcheck.spec.values import Labels
from tests.checker.differential.test_random import SLOW
from tests.support.building import node, pod, snapshot

EVERY_KIND = frozenset({"Pod", "Node", "Namespace", "Service", "PersistentVolumeClaim"})


def asked(question: Question) -> tuple[Pod, Snapshot, Plugins] | None:
    """The question with its pod in the snapshot; None for a pod that no scheduler takes up."""
    one, there, plugins = question
    if one.node_name or completed(one):
        return None
    others = tuple(each for each in there.pods if each.key != one.key)
    return one, replace(there, pods=tuple(sorted((*others, one), key=lambda each: each.key))), plugins


def agrees(question: Question, counted: Counter[str]) -> None:
    """Fail if the opinion in a known cluster is not that of the definitions."""
    found = asked(question)
    if found is None:
        return
    one, there, plugins = found
    names = [each.name for each in there.nodes]
    said = filtered(one, there.nodes, names, Known(there, EVERY_KIND), plugins)
    if any(name not in ("error",) for name, _ in said.open):
        counted["open"] += 1
        return
    made = taken_up(one, there, plugins)
    verdict = verdicts(made)
    refusals = {name: each.refusal for name, each in verdict.items() if each.refusal is not None}
    assert dict(said.refused) == {name: each for name, each in refusals.items() if each.code != Code.ERROR}
    counted["refused"] += bool(said.refused)
    feasible = admitted(verdict)
    counted["feasible"] += bool(feasible)
    if len(feasible) > 1 and not said.open:
        scores = scores_of(made, feasible)
        expected = frozenset(scores.best) if scores.error is None else None
        assert best(one, there.nodes, feasible, Known(there, EVERY_KIND), plugins) == expected
        counted["best"] += 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ASKED)
def test_the_opinion_in_a_known_cluster_is_that_of_the_definitions(kind: str) -> None:
    counted: Counter[str] = Counter()
    settings(max_examples=60, suppress_health_check=SLOW)(given(ASKED[kind])(lambda each: agrees(each, counted)))()
    assert counted["refused"] + counted["feasible"] >= 5


def certain(question: Question, counted: Counter[str]) -> None:
    """Fail if a node is refused without the cluster that is feasible in it."""
    found = asked(question)
    if found is None:
        return
    one, there, plugins = found
    names = [each.name for each in there.nodes]
    said = filtered(one, there.nodes, names, Known(), plugins)
    feasible = admitted(verdicts(taken_up(one, there, plugins)))
    assert said.refused.keys().isdisjoint(feasible)
    counted["refused"] += bool(said.refused)


@pytest.mark.medium
def test_a_refusal_without_the_cluster_holds_in_every_cluster() -> None:
    counted: Counter[str] = Counter()
    for kind in ASKED.values():
        settings(max_examples=60, suppress_health_check=SLOW)(given(kind)(lambda each: certain(each, counted)))()
    assert counted["refused"] >= 10


def test_a_filter_that_depends_on_other_pods_and_is_taken_for_certain_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    company = PodAffinityTerm("zone", LabelSelector(Labels({"app": "db"})))
    seeking = pod("p", 1, affinity=replace(NO_AFFINITY, pod_required=(company,)))
    there = snapshot(node("n1", 4, labels=Labels({"zone": "a"})), pod("db", 1, "n1", labels=Labels({"app": "db"})))
    certain((seeking, there, DEFAULT_PLUGINS), Counter())
    monkeypatch.setattr(module, "OF_POD_AND_NODE", module.OF_POD_AND_NODE | {"InterPodAffinity"})
    with pytest.raises(AssertionError):
        certain((seeking, there, DEFAULT_PLUGINS), Counter())


TWO = [node("n1", 4), node("n2", 1)]


@pytest.mark.parametrize(
    ("change", "open_"),
    [
        (lambda one: one, {"InterPodAffinity"}),
        (lambda one: replace(one, containers=(replace(one.containers[0], ports=()),)), {"InterPodAffinity"}),
        (lambda one: replace(one, resource_claims=(PodClaim("gpu"),)), {"InterPodAffinity", "DynamicResources"}),
    ],
)
def test_what_is_open_without_a_cluster(change: Callable[[Pod], Pod], open_: set[str]) -> None:
    said = filtered(change(pod("p", 2)), TWO, ["n1", "n2", "n3"], Known(), DEFAULT_PLUGINS)
    assert {name for name, _ in said.open} == open_ | {"node"}
    assert list(said.refused) == ["n2"] and said.refused["n2"].reasons == ("Insufficient cpu",)


def test_a_pod_counts_on_its_node_and_a_nominated_one_where_it_waits() -> None:
    there = snapshot(node("n1", 2), node("n2", 2), pod("a", 2, "n1"), pod("b", 2, priority=9, nominated_node_name="n2"))
    said = filtered(pod("p", 1), there.nodes, ["n1", "n2"], Known(there, EVERY_KIND), DEFAULT_PLUGINS)
    assert set(said.refused) == {"n1", "n2"} and said.open == ()


def test_a_pod_that_the_cluster_has_on_a_node_is_asked_about_as_unbound() -> None:
    there = snapshot(node("n1", 2), pod("p", 2, "n1"))
    said = filtered(pod("p", 2), there.nodes, ["n1"], Known(there, EVERY_KIND), DEFAULT_PLUGINS)
    assert said.refused == {}


def test_nodes_that_are_sent_replace_those_of_the_cluster() -> None:
    there = snapshot(node("n1", 1))
    known = Known(there, EVERY_KIND)
    assert filtered(pod("p", 2), [node("n1", 4)], ["n1"], known, DEFAULT_PLUGINS).refused == {}
    assert list(filtered(pod("p", 2), [], ["n1"], known, DEFAULT_PLUGINS).refused) == ["n1"]


def test_a_feasible_node_that_was_not_sent_is_left_out_only_if_all_were_looked_at() -> None:
    there = snapshot(node("n1", 2), node("n2", 2))
    known = Known(there, EVERY_KIND)
    assert left_out(pod("p", 1), (), ["n1"], known, DEFAULT_PLUGINS) == {"n2"}
    assert left_out(pod("p", 1), (), ["n1", "n2"], known, DEFAULT_PLUGINS) == frozenset()
    nominated = pod("p", 1, nominated_node_name="n1")
    assert left_out(nominated, (), ["n1"], known, DEFAULT_PLUGINS) == frozenset()
    assert left_out(pod("p", 1), (), ["n1"], Known(), DEFAULT_PLUGINS) == frozenset()
    many = Known(snapshot(*(node(f"n{number}", 2) for number in range(300))), EVERY_KIND)
    sent = [f"n{number}" for number in range(150)]
    assert left_out(pod("p", 1), (), sent, many, DEFAULT_PLUGINS) == frozenset()
    assert len(left_out(pod("p", 1), (), sent[:50], many, DEFAULT_PLUGINS)) == 250
