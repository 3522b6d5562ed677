"""Properties of behaviours in an exported module have the verdicts of `check`; with less fairness they are violated

The checker of the language judges the modules. TLC judges them in `tests.tla.temporal_parity` (`make answers`).
"""

from dataclasses import replace
from pathlib import Path

import pytest

from schedcheck.checker.check import check as checked
from schedcheck.checker.properties.behaviours import FAIRNESS
from schedcheck.checker.result import Verdict
from schedcheck.model.scenario import Scenario
from schedcheck.tla_export import temporal
from schedcheck.tla_export.export import export
from schedcheck.tla_export.module import model_module
from schedcheck.tla_export.properties import properties_in_tla
from tests.support.building import node, on_nodes, on_pods, pod, scenario
from tests.support.shut_down import drawn
from tests.tla.labelled_steps import by_machine, by_module
from tests.tla.random_clusters import controlled, random_classic, random_cluster
from tests.tla.random_scenarios import random_scenario
from tests.tla.test_verdicts import said

DRAWN = {"published": random_scenario, "kubernetes": random_cluster, "classic": random_classic, "controlled": controlled}
DRAWN["shutdown"] = drawn
SOON = {"published": (4, 5), "kubernetes": (2,), "classic": (7,), "controlled": (0, 7), "shutdown": (7,)}
LATE = {name: [seed for seed in range(14) if seed not in SOON[name]] for name in DRAWN}
CASES = [pytest.param(name, seed) for name, seeds in SOON.items() for seed in seeds]
CASES += [pytest.param(name, seed, marks=pytest.mark.slow) for name, seeds in LATE.items() for seed in seeds]


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_each_step_of_the_machine_has_its_instance_in_the_module(name: str, seed: int, tmp_path: Path) -> None:
    scene = replace(DRAWN[name](seed), constraints=(), properties=("comes_to_rest",))
    assert properties_in_tla(scene).left_out == ()
    assert by_module(scene, tmp_path) == by_machine(scene)


ALTERNATING = scenario(
    pod("db", 1), pod("web", 1), node("m", 1), node("n", 1), absent="db",
    rules=[on_nodes("fail", "m"), on_nodes("return", "m"), on_nodes("fail", "n"), on_nodes("return", "n"), on_pods("arrive", "db", 1)],
)  # fmt: skip
"""A pod whose feasible node fails and returns; another that the environment may send at any time."""

EVICTED = scenario(
    pod("low", 1, on="n", owner=("ReplicaSet", "low")), pod("high", 1, priority=9), node("n", 1), absent="high",
    rules=[on_pods("arrive", "high", 1), on_pods("complete", "high")], controllers=frozenset({"owners", "kubelet"}),
)  # fmt: skip
"""A pod that is evicted for another, and created again."""

QUESTIONS = (
    "eventually_bound(web)",
    "bound_once_feasible(web)",
    "never_starves(web)",
    "comes_to_rest",
    "preemption_ends",
    "evictions_end",
    "all_pods_eventually_bound",
    "replicas_reached(!app, 1)",
    "skew_restored(!app, kubernetes.io/hostname, 1)",
)


def exported_verdicts(scene: Scenario, folder: Path) -> tuple[set[str], set[str]]:
    """The properties that our own checker finds violated, and those left out."""
    export(scene, folder)
    return set(said("MC_test", folder)[1]), {name for name, _ in properties_in_tla(scene).left_out}


def violated(scene: Scenario, asked: str) -> bool:
    return checked(replace(scene, properties=(asked,)), symmetry=False).result.verdict is Verdict.VIOLATED


@pytest.mark.parametrize("fairness", sorted(FAIRNESS))
@pytest.mark.parametrize("scene", [ALTERNATING, EVICTED], ids=["alternating", "evicted"])
@pytest.mark.parametrize("profile", ["corrected", "kubernetes", pytest.param("classic", marks=pytest.mark.slow)])
def test_each_property_of_behaviours_has_the_verdict_of_check(
    scene: Scenario, profile: str, fairness: str, tmp_path: Path
) -> None:
    for number, asked in enumerate(QUESTIONS):
        name = asked if "web" not in asked or scene is ALTERNATING else asked.replace("web", "low")
        given = replace(scene, profile=profile, fairness=fairness, properties=(name,))
        found, left = exported_verdicts(given, tmp_path / str(number))
        assert left == set()
        assert (found != set()) == violated(given, name), name
