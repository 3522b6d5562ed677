"""Properties of behaviours of gangs and PodGroups: each step has its instance, and modules have the verdicts of `check`

The checker of the language judges the modules. TLC judges them in `tests.tla.temporal_parity` (`make answers`).
"""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import schedcheck
from schedcheck.model.scenario import Scenario
from schedcheck.tla_export.export import export, module_name
from schedcheck.tla_export.properties import properties_in_tla
from schedcheck.tla_export.systems import system_of
from schedcheck.tla_export.temporal import FAIR, instances
from tests.tla.group_scenes import SCENES
from tests.tla.labelled_steps import by_machine, by_module
from tests.tla.test_temporal import QUESTIONS, by_check, exported_verdict


def asking(scene: Scenario, *questions: str, fairness: str = "weak") -> Scenario:
    asked = (each.format(own) for own in scene.pods for each in questions or QUESTIONS)
    return replace(scene, name="test", constraints=(), fairness=fairness, properties=tuple(dict.fromkeys(asked)))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", SCENES)
def test_each_step_of_the_machine_has_its_instance_in_the_module(name: str, tmp_path: Path) -> None:
    asked = asking(SCENES[name], "comes_to_rest")
    assert properties_in_tla(asked).left_out == ()
    assert by_module(asked, tmp_path) == by_machine(asked)


BROKEN = {
    "timer": ("pair", ("FairGangCluster", '{"Wait", "TimeOut"}', '{"Wait"}')),
    "permit": ("pair", ("FairGangCluster", '{"Bind", "WaitOnPermit", "Wait"}', '{"Bind", "Wait"}')),
    "allowed": ("pair", ("FairGangCluster", "SUBSET KeysOf(Fellows(Pod))", "{{}}")),
    "upkeep": ("leaving", ("FairGangCluster", 'Instance[1] = "Terminate" /\\ Terminate(Pod)', "FALSE")),
    "company": ("group", ("FairPodGroupCluster", "Companions \\in CompaniesOf(Pod)}", "Companions \\in {{}}}")),
    "alone": ("group", ("FairPodGroupCluster", "Some \\in SUBSET KeysOf(GroupFellows(Pod))}\n\nDecisionsFor", "Some \\in {{}}}\n\nDecisionsFor")),
    "victims": ("the priority of the group", ("FairPodGroupCluster", "IF Lower = {} THEN {} ELSE SUBSET Lower", "{{}}")),
    "evicted": ("the priority of the group", ("FairPodGroupCluster", "UpkeepOf(Instance) \\/ StepOfVictim(Instance)", "UpkeepOf(Instance)")),
}  # fmt: skip


@pytest.mark.medium
@pytest.mark.parametrize("name", BROKEN)
def test_a_missing_instance_is_detected(name: str, tmp_path: Path) -> None:
    scene, lost = BROKEN[name]
    asked = asking(SCENES[scene], "comes_to_rest")
    assert by_module(asked, tmp_path, lost) < by_machine(asked)


@pytest.mark.medium
@pytest.mark.parametrize("name", ["gangs 5", "gangs 9", "large", "the priority of the group", "group", "pair"])
def test_the_number_of_instances_is_that_of_the_module(name: str, tmp_path: Path) -> None:
    asked = asking(SCENES[name], "comes_to_rest")
    export(asked, tmp_path)
    own, fair = module_name(asked), FAIR[system_of(asked).module]
    given = {"module": tmp_path / f"{own}.tla", "config": tmp_path / f"{own}.cfg"}
    assert schedcheck.evaluate(f"Cardinality({fair.prefix}Instances)", **given) == str(instances(asked, fair))


FEW = ("gangs 4", "large", "groups 6", "gangs 8", "groups 1")
"""Scenarios with at most sixteen instances, which may be strongly fair."""
CASES = (
    *product(("pair", "gangs 9", "group", "the priority of the group", "gangs 1", "groups 2"), ("none", "weak")),
    *product(FEW, ("none", "weak", "strong")),
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("name", "fairness"), CASES)
def test_a_module_has_the_verdicts_of_check(name: str, fairness: str, tmp_path: Path) -> None:
    asked = asking(SCENES[name], fairness=fairness)
    assert properties_in_tla(asked).left_out == ()
    assert exported_verdict(asked, tmp_path) == by_check(asked)


def test_strong_fairness_to_more_instances_than_tlc_can_judge_is_refused_by_name() -> None:
    asked = asking(SCENES["pair"], "comes_to_rest", fairness="strong")
    told = "TLC tries each set of the 18 instances that are strongly fair, at most 16"
    assert properties_in_tla(asked).left_out == (("comes_to_rest", told),)
