"""Properties of behaviours beside autoscalers of pods: each step has its instance, and modules have the verdicts of `check`

The checker of the language judges the modules. TLC judges them in `tests.tla.temporal_parity` (`make answers`).
"""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import schedcheck
from schedcheck.checker.check import check
from schedcheck.checker.result import Verdict
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.tla_export import systems as all_systems
from schedcheck.tla_export.export import export, module_name
from schedcheck.tla_export.properties import properties_in_tla
from schedcheck.tla_export.systems import SYSTEMS, System, system_of
from schedcheck.tla_export.temporal import FAIR, instances
from tests.tla.exported import Broken
from tests.tla.labelled_steps import by_machine, by_module
from tests.tla.scaled_scenes import SCENES, SINGLE
from tests.tla.test_temporal import by_check, exported_verdict
from tests.tla.test_temporal_gangs import asking

MODULE = "FairScaledCluster"
ALL = {**SCENES, **SINGLE}
QUESTIONS = (
    "eventually_bound({})",
    "bound_once_feasible({})",
    "never_starves({})",
    "comes_to_rest",
    "evictions_end",
    "all_pods_eventually_bound",
    "replicas_reached(app, 1)",
    "replicas_reached(app, 2)",
)
"""The properties that are asked of every scenario, those of a pod of each pod."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ALL)
def test_each_step_of_the_machine_has_its_instance_in_the_module(name: str, tmp_path: Path) -> None:
    asked = asking(ALL[name], "comes_to_rest")
    assert properties_in_tla(asked).left_out == ()
    assert by_module(asked, tmp_path) == by_machine(asked)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ALL)
def test_the_number_of_instances_is_that_of_the_module(name: str, tmp_path: Path) -> None:
    asked = asking(ALL[name], "comes_to_rest")
    export(asked, tmp_path)
    own, fair = module_name(asked), FAIR[system_of(asked).module]
    given = {"module": tmp_path / f"{own}.tla", "config": tmp_path / f"{own}.cfg"}
    assert schedcheck.evaluate(f"Cardinality({fair.prefix}Instances)", **given) == str(instances(asked, fair))


QUICK = [*product(("a reading that need not come", *SINGLE), ("none", "weak")), *product(SINGLE, ("strong",))]
OTHERS = [each for each in product(SCENES, ("none", "weak")) if each not in QUICK]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("name", "fairness"), [*QUICK, *(pytest.param(*each, marks=pytest.mark.medium) for each in OTHERS)]
)
def test_a_module_has_the_verdicts_of_check(name: str, fairness: str, tmp_path: Path) -> None:
    asked = asking(ALL[name], *QUESTIONS, fairness=fairness)
    assert properties_in_tla(asked).left_out == ()
    assert exported_verdict(asked, tmp_path) == by_check(asked)


def test_fairness_decides_some_verdicts() -> None:
    failing, never_starves = SINGLE["a node that fails and returns"], "never_starves_a_0"
    weaker = [by_check(asking(failing, *QUESTIONS, fairness=each)) for each in ("none", "weak", "strong")]
    assert weaker[0] > weaker[1] > weaker[2] and never_starves in weaker[1] - weaker[2]


WEAK = "\\A Instance \\in FairScaledInstances : WF_ScaledVariables(ScaledTaken(Instance))"
TWO, BESIDE, SURPLUS, APPLIED = (
    "two Deployments",
    "a pod beside others that come and go",
    "a pod too many beside others that come and go",
    "manifests that are applied without end",
)
BROKEN: dict[str, tuple[str, str, Broken]] = {
    "readings must come": ("a reading that need not come", "replicas_reached(app, 2)", ("MC_test", WEAK, WEAK.replace("FairScaled", "Scaled", 1))),
    "no Create": (BESIDE, "replicas_reached(app=b, 1)", (MODULE, '{"Create", "Remove", "Settle"}', '{"Remove", "Settle"}')),
    "no Remove": (SURPLUS, "eventually_bound(b-1)", (MODULE, '{"Create", "Remove", "Settle"}', '{"Create", "Settle"}')),
    "no Settle": ("only new pods are busy", "comes_to_rest", (MODULE, '{"Create", "Remove", "Settle"}', '{"Create", "Remove"}')),
    "no BringWithin": (TWO, "replicas_reached(app=b, 2)", (MODULE, "\\ ({0} \\union LimitsOf(Scaler))", "\\ PossibleReplicas(Scaler)")),
    "no Scale": (TWO, "replicas_reached(app=b, 2)", (MODULE, 'Scaler.Kind = "Deployment"', "FALSE")),
    "no Autoscale": (TWO, "comes_to_rest", (MODULE, "Pair[1] # Pair[2]", "FALSE")),
    "no Recommend": ("recommendations without end", "comes_to_rest", (MODULE, "Advised \\in LimitsOf(Scaler)}", "Advised \\in {}}")),
    "one Create of all pods": (BESIDE, "replicas_reached(app=b, 1)", (MODULE, "Scaler.Forms[Each] = Instance[2]", "TRUE")),
    "one Remove of all pods": (SURPLUS, "eventually_bound(b-1)", (MODULE, "Each \\in ToDelete(Scaler, AskedOf(Number)) : Identity(Each) = Instance[2]", "Each \\in ToDelete(Scaler, AskedOf(Number)) : TRUE")),
    "one Scale of all Deployments": (TWO, "replicas_reached(app=b, 2)", (MODULE, "Instance[2] = <<Scalers[Number].Workload, 0, Scalings[Number].Replicas>>", "Instance[2][3] = Scalings[Number].Replicas")),
    "one BringWithin of all workloads": (APPLIED, "never_starves(b-1)", (MODULE, "Instance[2] = <<Name, Current, NearestWithin(Number)>>", "Instance[2][3] = NearestWithin(Number)")),
    "no decision": ("a reading that need not come", "eventually_bound(a-1)", ("NominatingInstances", "\\union DecisionsAmong(NodeNames, \"Nominate\")", "")),
    "no victim is evicted": ("preemption", "eventually_bound(a-0)", (MODULE, "UpkeepOf(Instance) \\/ StepOfVictim(Instance)", "UpkeepOf(Instance)")),
}  # fmt: skip
"""An instance that is left out, or several that are one, with a scenario and a property whose verdict it changes."""


LONG = {TWO, APPLIED}
"""The scenes with the most states."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "broken", [pytest.param(each, marks=[pytest.mark.medium] if BROKEN[each][0] in LONG else []) for each in BROKEN]
)
def test_an_instance_that_is_left_out_or_not_told_from_others_changes_a_verdict(broken: str, tmp_path: Path) -> None:
    name, question, change = BROKEN[broken]
    asked = asking(SCENES[name], question)
    sound = exported_verdict(asked, tmp_path / "sound")
    assert sound == by_check(asked)
    assert exported_verdict(asked, tmp_path / "broken", change) != sound


def test_replicas_that_only_a_reading_brings_are_not_reached_for_certain() -> None:
    scene = asking(SCENES["a reading that need not come"], "replicas_reached(app, 2)")
    assert check(scene).result.verdict is Verdict.VIOLATED


def why_left_out(scene: Scenario, *rules: Rule) -> str:
    """Why a property of strongly fair behaviours is left out; empty if it is not."""
    asked = asking(replace(scene, rules=(*scene.rules, *rules)), "comes_to_rest", fairness="strong")
    return dict(properties_in_tla(asked).left_out).get("comes_to_rest", "")


def test_what_depends_on_a_reading_does_not_count_among_the_strongly_fair_instances() -> None:
    few = SINGLE["a Deployment that a manifest changes"]
    assert instances(few, FAIR["KubeScaledCluster"]) == 12 + 1  # a recommendation of one replica
    assert why_left_out(few) == ""
    applied = [Rule("apply", workloads=("deployment/a",), replicas=each) for each in (3, 4)]
    assert why_left_out(few, *applied) == ""
    more = Rule("apply", workloads=("deployment/a",), replicas=5)
    told = "TLC tries each set of the 18 instances that are strongly fair, at most 16"
    assert why_left_out(few, *applied, more) == told


def test_the_instances_of_every_system_have_a_module() -> None:
    systems = {each.module for each in vars(all_systems).values() if isinstance(each, System)}
    assert set(FAIR) == systems | {each.module for each in SYSTEMS.values()}
