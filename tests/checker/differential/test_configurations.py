"""Under every valid configuration the production scheduler decides as specified, and its broken twins do not"""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from schedcheck.checker.differential.decisions import concluded, difference
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.status import SUCCESS
from schedcheck.model.production.plugins import resource_scores
from schedcheck.model.production.plugins.node_ports import NodePorts
from schedcheck.model.production.plugins.taint_toleration import TaintToleration
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Snapshot
from schedcheck.testing.drawn_configurations import POINTS, Json, profiles_of, random_configuration
from tests.checker.differential.configurations import PREPARED_POINTS, agree, compared, halves, line, main, questions
from tests.checker.differential.test_random import SLOW
from tests.support.building import node, pod


def configured(**points: Json) -> Json:
    """A configuration of one profile with these plugin sets."""
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "default-scheduler", "plugins": points}],
    }


def without(point: str, *names: str) -> Json:
    """A configuration in which these plugins are disabled at the point."""
    return configured(**{point: {"disabled": [{"name": name} for name in names]}})


@pytest.mark.medium
def test_the_production_scheduler_agrees_under_random_configurations(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--size", "150", "--seed", "1"])
    assert capsys.readouterr().out.startswith("150 configurations without a difference: bind ")


def test_every_point_is_configured_and_plugins_are_half_disabled() -> None:
    documents = [random_configuration(Random(seed)) for seed in range(300)]
    written = Counter(point for each in documents for profile in each["profiles"] for point in profile["plugins"])
    assert min(written[point] for point in (*POINTS, "multiPoint")) >= 50
    halved = Counter(name for each in documents for profile in profiles_of(each) for name in halves(profile))
    prepared = {name for before, _ in PREPARED_POINTS for name in DEFAULT_PLUGINS.at(before)}
    assert set(halved) == prepared
    assert Counter(len(each["profiles"]) for each in documents).keys() == {1, 2, 3}


def test_the_counts_are_printed_in_one_line() -> None:
    counted = compared(10, 4)
    assert line(counted).startswith("10 configurations without a difference: ")
    assert sum(counted[what] for what in ("bind", "nominate", "refuse", "end in an error")) == 10


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("NodePorts", 'reading "PreFilterNodePorts" from cycleState: not found'),
        ("NodeResourcesFit", 'error reading "PreFilterNodeResourcesFit" from cycleState: not found'),
        ("VolumeRestrictions", 'cannot read "PreFilterVolumeRestrictions" from cycleState'),
        ("VolumeBinding", "not found"),
        ("PodTopologySpread", 'reading "PreFilterPodTopologySpread" from cycleState: not found'),
        ("InterPodAffinity", 'error reading "PreFilterInterPodAffinity" from cycleState: not found'),
        ("DynamicResources", "not found"),
    ],
)
def test_a_filter_without_its_pre_filter_ends_the_cycle_in_an_error(name: str, text: str) -> None:
    (profile,) = profiles_of(without("preFilter", name))
    asked, there = pod("p", 1), Snapshot.of(nodes=[node("n1", 4), node("n2", 4)])
    made = concluded(asked, there, profile)
    assert made.message == f'running "{name}" filter plugin: {text}'
    assert difference(made, there, profile) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("TaintToleration", 'failed to read "PreScoreTaintToleration" from cycleState: not found'),
        ("PodTopologySpread", 'error reading "PreScorePodTopologySpread" from cycleState: not found'),
        ("InterPodAffinity", 'failed to read "PreScoreInterPodAffinity" from cycleState: not found'),
    ],
)
def test_a_score_without_its_pre_score_ends_the_cycle_in_an_error(name: str, text: str) -> None:
    (profile,) = profiles_of(without("preScore", name))
    asked, there = pod("p", 1), Snapshot.of(nodes=[node("n1", 4), node("n2", 4)])
    made = concluded(asked, there, profile)
    assert made.message == f'running Score plugins: plugin "{name}" failed with: {text}'
    assert difference(made, there, profile) is None


@pytest.mark.parametrize("name", ["NodeAffinity", "NodeVolumeLimits", "VolumeZone"])
def test_some_filters_compute_their_state_without_their_pre_filter(name: str) -> None:
    (profile,) = profiles_of(without("preFilter", name))
    asked, there = pod("p", 1), Snapshot.of(nodes=[node("n1", 4)])
    made = concluded(asked, there, profile)
    assert made.hosts == ("n1",)
    assert difference(made, there, profile) is None


def test_without_score_plugins_the_first_feasible_node_is_chosen_and_any_is_allowed() -> None:
    (profile,) = profiles_of(without("score", "*"))
    there = Snapshot.of(nodes=[node("n1", 0), node("n2", 4), node("n3", 9)])
    made = concluded(pod("p", 1), there, profile)
    assert made.hosts == ("n2",)
    assert difference(made, there, profile) is None
    assert difference(replace(made, hosts=("n3",)), there, profile) is None
    assert difference(replace(made, hosts=("n1",)), there, profile) is not None
    assert difference(replace(made, hosts=("n2",)), there, DEFAULT_PLUGINS) is not None


def test_pods_are_not_a_scored_resource() -> None:
    document = configured()
    strategy = {"type": "LeastAllocated", "resources": [{"name": "pods", "weight": 100}, {"name": "cpu", "weight": 1}]}
    document["profiles"][0]["pluginConfig"] = [{"name": "NodeResourcesFit", "args": {"scoringStrategy": strategy}}]
    (profile,) = profiles_of(document)
    crowded = [pod(f"r{number}", 0, "n1") for number in range(20)]
    there = Snapshot.of(crowded, [node("n1", 40, pods=22), node("n2", 8, pods=22)])
    made = concluded(pod("p", 1), there, profile)
    assert made.hosts == ("n1",)
    assert difference(made, there, profile) is None


def unprepared_ports(self: NodePorts, state: CycleState, info: PodInfo, nodes: Nodes) -> Any:
    """Filter like NodePorts, but with its PreFilter state always present."""
    state.write("PreFilterNodePorts", True)
    return FILTER(self, state, info, nodes)


FILTER = NodePorts.filter
RATED = resource_scores.used_and_room
TWINS = {
    "ports": (NodePorts, "filter", unprepared_ports),
    "taints": (
        TaintToleration,
        "score",
        lambda self, state, info, nodes: np.zeros(len(nodes), np.int64),
    ),
    "pods are rated": (resource_scores, "ALWAYS_RATED", ("cpu", "memory", "ephemeral-storage", "pods")),
    "a preScore that fails": (TaintToleration, "pre_score", lambda self, state, info, nodes: SUCCESS),
}
"""The broken replacements."""
RARELY_FOUND = ("taints", "pods are rated")


@pytest.mark.medium
@pytest.mark.parametrize(
    "twin", [pytest.param(name, marks=[pytest.mark.slow] if name in RARELY_FOUND else []) for name in TWINS]
)
def test_a_scheduler_that_ignores_the_configuration_is_detected(twin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*TWINS[twin])
    often = settings(
        max_examples=2000,
        suppress_health_check=SLOW,
        report_multiple_bugs=False,
        phases=[Phase.generate],
        database=None,
    )
    with pytest.raises(AssertionError):
        often(given(questions(), st.builds(Counter))(agree))()
