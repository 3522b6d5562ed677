"""Decisions from kept nodes equal the definitions in successive snapshots of random clusters; a stale one is detected"""

from dataclasses import replace

import pytest
from hypothesis import Phase, given, seed, settings

from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.drawing.volumes import Question
from schedcheck.checker.exploring import cycles
from schedcheck.checker.exploring.cycles import ON_ONE_NODE, Cycles
from schedcheck.checker.vectors import judge as vectors
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.spec.kubernetes.control_loop import decision, turn
from schedcheck.spec.kubernetes.filter import filtered
from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.differential.test_random import SLOW
from tests.checker.incremental.test_begun import crowd
from tests.support.sizes import quick_but


def changed(snapshot: Snapshot) -> list[Snapshot]:
    """The snapshot; the same with one pod bound elsewhere, ended, gone or nominated; and as it was."""
    found = [snapshot]
    for place, pod in enumerate(snapshot.pods[:4]):
        others = [node.name for node in snapshot.nodes if node.name != pod.node_name]
        forms: list[Pod | None] = [None, replace(pod, phase="Succeeded")]
        forms += [replace(pod, node_name=name, nominated_node_name="") for name in others[:1]]
        forms += [replace(pod, node_name="", nominated_node_name=name) for name in others[:1]]
        for form in forms:
            pods = [form if number == place else each for number, each in enumerate(snapshot.pods)]
            found.append(replace(snapshot, pods=tuple(each for each in pods if each is not None)))
    return [*found, snapshot]


def agree(question: Question) -> None:
    _, _, plugins = question
    kept = Cycles()
    for snapshot in changed(crowd(question)):
        for pod in sorted(turn(snapshot, plugins), key=str):
            assert kept.decision(pod, snapshot, plugins) == decision(pod, snapshot, plugins)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("many", [0, 1000])
@pytest.mark.parametrize("kind", FAMILIES)
def test_decisions_from_kept_nodes_are_those_of_the_specification(
    kind: str, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cycles, "MANY", many)
    settings(max_examples=15, suppress_health_check=SLOW)(given(FAMILIES[kind])(agree))()


def test_the_filters_that_look_at_one_node_are_these() -> None:
    assert {"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit"} <= (
        ON_ONE_NODE
    )
    assert not ON_ONE_NODE & {"PodTopologySpread", "InterPodAffinity", "VolumeRestrictions"}


def wrong(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    if name == "every filter":
        monkeypatch.setattr(cycles, "ON_ONE_NODE", frozenset(cycles.FOOTPRINTS))
    elif name == "nominations":
        monkeypatch.setattr(Cycles, "_refusal", _without_nominations)
    elif name == "filters of several nodes":
        monkeypatch.setattr(Cycles, "_refusal", _admitted_for_good)
    elif name == "the judge of another snapshot":
        monkeypatch.setattr(cycles, "MANY", 0)
        monkeypatch.setattr(vectors, "CycleJudge", Stale().of)
    else:
        monkeypatch.setattr(Cycles, "_info", _by_name)


class Stale:
    """The judge of the first snapshot, for all."""

    def __init__(self) -> None:
        self.first: list[CycleJudge] = []

    def of(self, snapshot: Snapshot) -> CycleJudge:
        self.first = self.first or [CycleJudge(snapshot)]
        return self.first[0]


def _without_nominations(self: Cycles, made, info, near, running):  # type: ignore[no-untyped-def]
    question = (made.pod, id(info), made.skipped)
    if question not in self._refused:
        self._refused[question] = filtered(made, info)
    return self._refused[question]


def _admitted_for_good(self: Cycles, made, info, near, running):  # type: ignore[no-untyped-def]
    """The filters of one node admit the node, and what the others say is kept as well."""
    if info.node.name in made.nominated:
        return filtered(made, info)
    return _without_nominations(self, made, info, near, running)


def _by_name(self: Cycles, node, pods, ended):  # type: ignore[no-untyped-def]
    return self._kept.setdefault((node, ()), cycles.Left(node, pods, cycles.held(pods)))


@pytest.mark.parametrize(
    "name",
    quick_but(
        ("every filter", "filters of several nodes"),
        ("every filter", "filters of several nodes", "nominations", "pods of a node", "the judge of another snapshot"),
    ),
)
def test_a_twin_that_keeps_too_much_is_detected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong(monkeypatch, name)
    # The first failing example suffices; shrinking it takes a minute.
    often = settings(
        max_examples=60, suppress_health_check=SLOW, report_multiple_bugs=False, phases=[Phase.generate]
    )  # fmt: skip
    with pytest.raises(AssertionError):
        for start in range(20):
            seed(start)(often(given(FAMILIES["questions"] | FAMILIES["contested"] | FAMILIES["contests"])(agree)))()
