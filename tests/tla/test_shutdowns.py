"""Graceful node shutdowns in TLA+: modules of random scenarios have the counts of `check`; broken ones do not

The checker of the language runs the modules; TLC's own counts of the examples are in tla/manifest.json.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.tla_export.module import NotExportable, model_module
from schedcheck.tla_export.shipped import FOLDER
from tests.support.building import node, pod
from tests.support.shut_down import drawn
from tests.tla.exported import of_check, of_module
from tests.tla.operators.asking import unlike
from tests.tla.operators.node_shutdowns import TWINS
from tests.tla.operators.settings import kubernetes

CASES = [seed for seed in range(50) if seed not in (21, 39)]
"""Two of the scenarios have thousands of states."""
FEW = 3
"""The number of cases that are tried by default."""


@pytest.mark.parametrize(
    "seed", [pytest.param(each, marks=[pytest.mark.slow] if each >= FEW else []) for each in CASES]
)
def test_the_module_of_a_random_scenario_has_the_counts_of_check(seed: int, tmp_path: Path) -> None:
    assert of_module(drawn(seed), tmp_path) == of_check(drawn(seed))


SMALL = Scenario(
    name="small",
    profile="kubernetes",
    pods=(
        pod("low", 1, "n1", phase="Running", priority=3, owner=("ReplicaSet", "low")),
        pod("new", 1),
        pod("top", 1, "n1", phase="Running", priority=30),
    ),
    nodes=(node("n1", 3),),
    rules=(Rule("shutdown", nodes=("n1",), bound=1), Rule("ready", nodes=("n1",), bound=1)),
    controllers=frozenset({"kubelet", "owners"}),
    shutdown_priorities=(0, 7, 25),
    properties=("type_correct",),
)
"""Two groups, one between them without pods, and a pod that is bound meanwhile."""

BROKEN = {
    "groups come in the opposite order": ("NodeShutdown", "GroupOf(Each.Spec.Priority) = i", "4 - GroupOf(Each.Spec.Priority) = i"),
    "the next group begins at once": ("NodeShutdown", "Shutdown.Killed # {} \\/ ", ""),
    "a late pod is left alone": ("KubeShutdownCluster", "Shutdown.Killed \\union Shutdown.Overdue\n", "Shutdown.Killed\n"),
    "a group never ends": ("NodeShutdown", "!.Killed = @ \\intersect Here", "!.Killed = @"),
    "a node is off before its pods": ("KubeShutdownCluster", "Shutdown.Killed = {} /\\ ", ""),
    "pods are started meanwhile": ("KubeShutdownCluster", "Running(Snapshot) \\subseteq Running(Before)", "TRUE"),
    "the node is ready again meanwhile": ("KubeShutdownCluster", "Conditions(Snapshot) \\subseteq Conditions(Before)", "TRUE"),
    "no pod is rejected": ("KubeShutdownCluster", "Identity(Pod) \\notin KnownTo(Shutdown)", "FALSE"),
    "owners replace no failed pod": ("KubeShutdownCluster", "Pod.Owner[1] \\in Recreating", "FALSE"),
}  # fmt: skip
"""A text of a module and what stands instead of it, for each meaning that is broken."""
SOON = ("groups come in the opposite order", "pods are started meanwhile")


def test_the_module_of_a_small_scenario_has_the_counts_of_check(tmp_path: Path) -> None:
    assert of_module(SMALL, tmp_path) == of_check(SMALL)


@pytest.mark.parametrize(
    "broken", [pytest.param(each, marks=[] if each in SOON else [pytest.mark.slow]) for each in BROKEN]
)
def test_a_broken_module_has_other_counts(broken: str, tmp_path: Path) -> None:
    assert of_module(SMALL, tmp_path, BROKEN[broken]) != of_check(SMALL)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ShutdownPriorities[i] <= Priority", "ShutdownPriorities[i] < Priority"),
        ("Max({1} \\union", "Max({2} \\union"),
        (" /\\ ~Completed(Pod)}", "}"),
        (", !.Waiting = Tail(@)]", "]"),
        ("!.Overdue = @ \\union Shutdown.Killed", "!.Overdue = Shutdown.Killed"),
        ("!.Overdue = @ \\intersect Here", "!.Overdue = @"),
        ("\\E Node \\in Nodes(Snapshot) : Node.Name = Each.Node", "TRUE"),
    ],
)
def test_a_broken_operator_differs_from_its_twin(old: str, new: str) -> None:
    text = (FOLDER / "NodeShutdown.tla").read_text(encoding="utf-8")
    assert text.count(old) == 1
    setting = kubernetes("default", range(40), DEFAULT_PLUGINS)
    assert next(unlike(TWINS, setting, {}, {"NodeShutdown": text.replace(old, new)}), None)


def test_bounds_of_groups_are_divided_as_the_priorities_of_pods_are() -> None:
    thousands = replace(
        SMALL,
        pods=tuple(replace(each, priority=each.priority // 3 * 1000) for each in SMALL.pods),
        shutdown_priorities=(-1500, 1, 1000, 9001),
    )
    assert "\nMC_ShutdownPriorities ==\n  <<-1, 1, 1, 10>>\n" in model_module(thousands, "MC_small")[0]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"profile": "classic"}, "the event shutdown together with the profile classic has no module in tla/"),
        ({"rules": (*SMALL.rules, Rule("restart", pods=(("default", "low"),)))}, "the event restart has no action"),
    ],
)
def test_what_tla_does_not_model_is_refused_by_name(fields: dict[str, object], told: str) -> None:
    with pytest.raises(NotExportable, match=told):
        model_module(replace(SMALL, **fields), "MC_small")


def test_the_symmetry_of_shutdowns_is_refused_by_name() -> None:
    with pytest.raises(NotExportable, match="the symmetry of scenarios with the event shutdown"):
        model_module(SMALL, "MC_small", symmetry=True)
