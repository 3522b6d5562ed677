"""Scores from sums equal those of the definitions on random clusters and arguments; broken sums are detected"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from frozendict import frozendict
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.drawing.volumes import Question
from schedcheck.checker.incremental.scores import Counted
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.scores import inter_pod_affinity as company
from schedcheck.spec.kubernetes.select_host import scores_of
from schedcheck.spec.objects import Namespace, Pod, Snapshot
from tests.checker.differential.test_random import SLOW


def replicated(snapshot: Snapshot) -> Snapshot:
    """The snapshot with every pod on a node twice, so that pods of one kind occur."""
    twins = tuple(replace(each, name=f"{each.name}-twin") for each in snapshot.pods if each.node_name)
    return Snapshot.of((*snapshot.pods, *twins), snapshot.nodes, snapshot.namespaces)


def agree(question: Question, counted: Counter[str]) -> None:
    """Fail if a score differs, for the pod or for a similar one in another namespace or with other labels."""
    pod, snapshot, plugins = question
    there = replicated(snapshot)
    standing = Counted(cycle(pod, there, plugins).infos)
    other = replace(pod, namespace="elsewhere", labels=frozendict())
    more = replace(there, namespaces=(Namespace("elsewhere", frozendict(app="a")),))
    for asked, cluster in ((pod, there), (other, there), (pod, more), (other, more), (pod, there)):
        made = cycle(asked, cluster, plugins)
        names = tuple(node.name for node in cluster.nodes)
        found, expected = standing.scores(made, names), scores_of(made, names)
        assert found == expected
        counted.update(name for name, raw in expected.raw.items() if len(set(raw.values())) > 1)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["contests", "questions"])
def test_scores_from_sums_equal_those_of_the_definitions(kind: str) -> None:
    counted: Counter[str] = Counter()
    settings(max_examples=150, suppress_health_check=SLOW)(given(FAMILIES[kind])(lambda each: agree(each, counted)))()
    assert counted["NodeResourcesFit"] >= 5
    assert kind == "contests" or min(counted["NodeResourcesBalancedAllocation"], counted["InterPodAffinity"]) >= 5


def by_one_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every pod counts as one of the first kind."""
    kinds = Counted.__dict__["_kinds"].func

    def merged(counted: Counted) -> object:
        found = kinds(counted)
        return tuple((found[0][0], nodes) for _, nodes in found)

    monkeypatch.setattr(Counted, "_kinds", property(merged))


def once_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the pods of a kind on a node only one counts."""
    kinds = Counted.__dict__["_kinds"].func

    def single(counted: Counted) -> object:
        return tuple((pod, tuple((node, 1) for node, _ in nodes)) for pod, nodes in kinds(counted))

    monkeypatch.setattr(Counted, "_kinds", property(single))


def one_answer_for_all_pods(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sums for the first pod are used for every pod."""

    def first(counted: Counted, pod: Pod, snapshot: Snapshot, plugins: Plugins) -> object:
        return counted._votes.setdefault("first", company.domain_scores(pod, snapshot, plugins))

    monkeypatch.setattr(Counted, "domain_scores", first)


def as_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pods on a node are scored without the default requests."""

    def requested(counted: Counted, name: str, resource: str, departures: Departures) -> int:
        return counted._by_name[name].requested(departures).get(resource, 0)

    monkeypatch.setattr(Counted, "_rated_use", requested)


TWINS = (by_one_kind, once_a_kind, one_answer_for_all_pods, as_requested)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: str(twin.__name__))
def test_wrong_sums_are_detected(twin: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    both: st.SearchStrategy[Question] = FAMILIES["questions"] | FAMILIES["contests"]
    found = settings(max_examples=500, suppress_health_check=SLOW, report_multiple_bugs=False, phases=[Phase.generate])(
        given(both)(lambda each: agree(each, Counter()))
    )
    twin(monkeypatch)
    with pytest.raises(AssertionError):
        found()
