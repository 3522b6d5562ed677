"""Rollouts in TLA+: modules of random workloads have the counts of `check`; broken ones do not

The checker of the language runs the modules; TLC's own counts of the examples are in tla/manifest.json.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.checker.check import check
from schedcheck.checker.result import Verdict
from schedcheck.manifests import read
from schedcheck.manifests import scenario as read_scenario
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.tla_export.export import export, module_name
from schedcheck.tla_export.module import NotExportable, model_module
from schedcheck.tla_export.properties import properties_in_tla
from schedcheck.tla_export.shipped import FOLDER
from schedcheck.tla_export.systems import system_of
from schedcheck.tla_export.temporal import FAIR, instances
from tests.checker.deploying import test_deployed
from tests.checker.test_revisions import revised
from tests.support.rolled_out import drawn
from tests.tla.exported import Broken, of_check, of_module, result_of_module
from tests.tla.labelled_steps import by_machine, by_module
from tests.tla.operators.asking import Tally, unlike
from tests.tla.operators.rollouts import TWINS, settings

EXAMPLES = Path(__file__).parents[2] / "examples"
FEW = (3,)
"""The case that is tried by default: a DaemonSet."""
MANY = (*range(3), *range(4, 12), *range(14, 24), *range(25, 30), *range(31, 40))
"""Most of the others up to 40: they have at most 150 states."""


@pytest.mark.parametrize("seed", [*FEW, *(pytest.param(each, marks=pytest.mark.slow) for each in MANY)])
def test_the_module_of_a_random_workload_has_the_counts_of_check(seed: int, tmp_path: Path) -> None:
    assert of_module(drawn(seed), tmp_path) == of_check(drawn(seed))


def test_operators_agree_with_their_twins_on_a_few_snapshots() -> None:
    assert [each for setting in settings(range(4)) for each in unlike(TWINS, setting, {})] == []


@pytest.mark.slow
def test_operators_agree_with_their_twins() -> None:
    tallies: dict[str, Tally] = {}
    assert [each for setting in settings(range(500)) for each in unlike(TWINS, setting, tallies)] == []
    assert all(each.snapshots == 500 and each.varies for each in tallies.values())


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        pytest.param("RolloutPods", "Identity(Pod) \\notin Timed", "TRUE", marks=pytest.mark.slow),
        pytest.param("RolloutPods", ">= Asked THEN {}", "> Asked THEN {}", marks=pytest.mark.slow),
        pytest.param("RolloutPods", "\\A k \\in Absent : j <= k", "TRUE", marks=pytest.mark.slow),
        pytest.param("RolloutPods", "CostOf(Pod), -Card", "0, -Card", marks=pytest.mark.slow),
        pytest.param("RolloutPods", ", -Cardinality(Crowd(Pod))", ", Cardinality(Crowd(Pod))", marks=pytest.mark.slow),
        pytest.param("RolloutPods", "One(IsReady(Pod)), CostOf", "0, CostOf", marks=pytest.mark.slow),
        pytest.param("RolloutPods", "(Asked[2] - Numbers[2])", "0", marks=pytest.mark.slow),
        pytest.param("RolloutPods", "Min({Most, Asked[1] - Numbers[1]})", "Most", marks=pytest.mark.slow),
        pytest.param("RolloutPods", " + Rollout.Surge", "", marks=pytest.mark.slow),
        pytest.param("RolloutPods", "IF FormerLeft THEN Asked", "IF FALSE THEN Asked", marks=pytest.mark.slow),
        pytest.param("RolloutPods", "j <= Rollout.Partition", "j < Rollout.Partition", marks=pytest.mark.slow),
        pytest.param("StatefulPods", "i > Rollout.Partition \\/", "i >= Rollout.Partition \\/", marks=pytest.mark.slow),
        pytest.param("StatefulPods", "/\\ Rollout.Ordered => \\A k", "/\\ TRUE => \\A k", marks=pytest.mark.slow),
        pytest.param("StatefulPods", "(\\A j \\in Beyond : j <= i)", "(\\A j \\in Beyond : j >= i)", marks=pytest.mark.slow),
        pytest.param("StatefulPods", "(i \\notin Unhealthy \\/ \\A j \\in Unhealthy : i <= j)", "TRUE", marks=pytest.mark.slow),
        pytest.param("StatefulPods", "k \\notin Outdated /\\ ", "", marks=pytest.mark.slow),
        pytest.param("StatefulPods", "ELSE IF Condemned # {} THEN Condemned", "ELSE IF FALSE THEN {}", marks=pytest.mark.slow),
        pytest.param("DaemonPods", "Rollout.Order[Min(At)]", "Rollout.Order[Max(At)]", marks=pytest.mark.slow),
        pytest.param("DaemonPods", "Few \\/ ~IsAvailable", "Few /\\ ~IsAvailable", marks=pytest.mark.slow),
        pytest.param("DaemonPods", "< Rollout.Unavailable", "<= Rollout.Unavailable", marks=pytest.mark.slow),
        pytest.param("DaemonPods", "Surging < Rollout.Surge", "Surging <= Rollout.Surge", marks=pytest.mark.slow),
        ("DaemonPods", "Elsewhere \\union Former", "Former"),
    ],
)  # fmt: skip
def test_a_broken_operator_differs_from_its_twin(module: str, old: str, new: str) -> None:
    text = (FOLDER / f"{module}.tla").read_text(encoding="utf-8")
    assert text.count(old) == 1
    changed = {module: text.replace(old, new)}
    assert any(True for setting in settings(range(300)) for _ in unlike(TWINS, setting, {}, changed))


# Steps, of small workloads.


def example(name: str) -> Scenario:
    return read_scenario(read([EXAMPLES / f"rollout-{name}"]), frozenset())


def timed() -> Scenario:
    """The repaired example with minReadySeconds."""
    found = example("surge-kept")
    return replace(found, rollouts=tuple(replace(each, waits=True) for each in found.rollouts))


def fewer() -> Scenario:
    """Workloads of which an event takes a pod, on nodes that may be out of reach."""
    asked = test_deployed.drawn(26).scenario
    rules = (Rule("unreachable", nodes=tuple(each.name for each in asked.nodes), bound=1),)
    return replace(revised(asked, *rules), properties=("type_correct",))


SMALL: dict[str, Callable[[], Scenario]] = {
    "surge": lambda: example("surge"),
    "kept": lambda: example("surge-kept"),
    "timed": timed,
    "fewer": fewer,
}
"""Scenarios that show what a broken module does otherwise."""

BROKEN: dict[str, tuple[str, Broken]] = {
    "owners create pods of workloads": ("surge", ("KubeRolloutCluster", "PodAs(Identity(Pod), Before) # Null", "TRUE")),
    "an applied manifest changes nothing": ("surge", ("KubeRolloutCluster", "THEN Rollouts[Number].After ELSE Rollouts[Number].Before", "THEN Rollouts[Number].Before ELSE Rollouts[Number].Before")),
    "the scales stay as they are": ("surge", ("KubeRolloutCluster", "THEN Rollouts[Each].Start ELSE Scales[Each]", "THEN Scales[Each] ELSE Scales[Each]")),
    "owners replace pods that are too many": ("fewer", ("KubeRolloutCluster", "LacksReplica(RolloutNow(Number), ScalesNow(Number), Key, Before)", "TRUE")),
    "no timer is armed": ("timed", ("KubeRolloutCluster", "(Timers \\intersect ReadyIn(Snapshot)) \\ (ReadyIn(Before) \\ Timed)", "{}")),
    "a timer never expires": ("timed", ("KubeRolloutCluster", "BecomeAvailable(Key) == Timed' = Timed \\ {Key}", "BecomeAvailable(Key) == FALSE /\\ Timed' = {}")),
    "pods that run are timed": ("timed", ("KubeRolloutCluster", " \\ (ReadyIn(Before) \\ Timed)", "")),
}  # fmt: skip
"""A text of a module and what stands instead of it, for each meaning that is broken, with a scenario that shows it."""
SOON = ("owners create pods of workloads",)


@pytest.mark.parametrize(
    "broken",
    [pytest.param(each, marks=[] if each in SOON else [pytest.mark.slow]) for each in BROKEN],
)
def test_a_broken_module_has_other_counts(broken: str, tmp_path: Path) -> None:
    name, changed = BROKEN[broken]
    scenario = replace(SMALL[name](), properties=("type_correct",))
    if broken not in SOON:
        assert of_module(scenario, tmp_path / "sound") == of_check(scenario)
    assert of_module(scenario, tmp_path / "broken", changed) != of_check(scenario)


# Properties.


def asking(scenario: Scenario, name: str, fairness: str = "weak") -> Scenario:
    return replace(scenario, properties=(name,), fairness=fairness)


COMPLETES = "rollout_completes(deployment/web)"


@pytest.mark.parametrize(
    ("name", "asked", "fairness", "verdict"),
    [
        ("surge", COMPLETES, "weak", Verdict.VIOLATED),
        pytest.param("kept", COMPLETES, "weak", Verdict.HOLDS, marks=pytest.mark.slow),
        pytest.param("kept", COMPLETES, "none", Verdict.VIOLATED, marks=pytest.mark.slow),
        pytest.param("kept", "replicas_reached(version=v2, 2)", "weak", Verdict.VIOLATED, marks=pytest.mark.slow),
        pytest.param("kept", "never_below(app=web, 2)", "weak", Verdict.VIOLATED, marks=pytest.mark.slow),
        pytest.param("timed", "comes_to_rest", "weak", Verdict.HOLDS, marks=pytest.mark.slow),
    ],
)
def test_a_property_has_the_verdict_of_check(
    name: str, asked: str, fairness: str, verdict: Verdict, tmp_path: Path
) -> None:
    given = asking(SMALL[name](), asked, fairness)
    assert properties_in_tla(given).left_out == ()
    assert result_of_module(given, tmp_path).verdict is check(given, symmetry=False).result.verdict is verdict


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.slow) for each in ("surge", "kept", "timed", "fewer")]
)
def test_each_step_of_the_machine_has_its_instance_in_the_module(name: str, tmp_path: Path) -> None:
    asked = asking(SMALL[name](), "comes_to_rest")
    assert properties_in_tla(asked).left_out == ()
    assert by_module(asked, tmp_path) == by_machine(asked)


@pytest.mark.slow
@pytest.mark.parametrize(
    "lost",
    [
        ("FairRolloutCluster", "    \\union ScaleInstances\n", ""),
        ("FairRolloutCluster", '{"Remove", "BecomeAvailable"}', '{"Remove"}'),
        ("FairRolloutCluster", "CreateForm(Number, Form)", "FALSE"),
    ],
    ids=["scale", "timer", "creation"],
)
def test_a_missing_instance_is_detected(lost: Broken, tmp_path: Path) -> None:
    asked = asking(timed(), "comes_to_rest")
    assert by_module(asked, tmp_path, lost) < by_machine(asked)


@pytest.mark.slow
def test_the_number_of_instances_is_that_of_the_module(tmp_path: Path) -> None:
    asked = asking(example("surge"), "comes_to_rest")
    export(asked, tmp_path)
    name, fair = module_name(asked), FAIR[system_of(asked).module]
    given = {"module": tmp_path / f"{name}.tla", "config": tmp_path / f"{name}.cfg"}
    assert schedcheck.evaluate(f"Cardinality({fair.prefix}Instances)", **given) == str(instances(asked, fair))


# What is refused.


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (
            {"profile": "classic"},
            "the event apply of a manifest together with the profile classic has no module in tla/",
        ),
        ({"rules": (Rule("restart"),)}, "the event restart has no action"),
        (
            {"rules": (Rule("shutdown", nodes=("node-1",), bound=1),), "shutdown_priorities": (0,)},
            "the event apply of a manifest beside the event shutdown has no module in tla/",
        ),
    ],
)
def test_what_tla_does_not_model_is_refused_by_name(fields: dict[str, Any], told: str) -> None:
    given = example("surge")
    with pytest.raises(NotExportable, match=told):
        model_module(replace(given, **{**fields, "rules": (*given.rules, *fields.get("rules", ()))}), "MC_rollout")


def test_a_rollout_beside_a_descheduler_is_refused_by_name() -> None:
    with pytest.raises(NotExportable, match="the event apply of a manifest beside the controller descheduler"):
        model_module(example("duplicates"), "MC_rollout")


def test_the_symmetry_of_rollouts_is_refused_by_name() -> None:
    with pytest.raises(NotExportable, match="the symmetry of scenarios with the event apply of a manifest"):
        model_module(example("surge"), "MC_rollout", symmetry=True)
