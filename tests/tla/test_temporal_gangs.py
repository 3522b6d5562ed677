"""Properties of behaviours of gangs and PodGroups: each step has its instance, and modules have the verdicts of `check`

The checker of the language judges the modules. TLC judges them in `tests.tla.temporal_parity` (`make answers`).
"""

from dataclasses import replace
from pathlib import Path

import pytest

import schedcheck
from schedcheck.model.scenario import Scenario
from schedcheck.tla_export.export import export, module_name
from schedcheck.tla_export.properties import properties_in_tla
from schedcheck.tla_export.systems import system_of
from schedcheck.tla_export.temporal import FAIR, instances
from tests.support.building import pod
from tests.tla import test_gangs as gangs
from tests.tla import test_pod_groups as groups
from tests.tla.exported import Broken
from tests.tla.labelled_steps import by_machine, by_module
from tests.tla.random_groups import CHOSEN
from tests.tla.test_temporal import QUESTIONS, by_check, exported_verdict

HOLDING, MIXED = gangs.CASES[7], gangs.CASES[11]
LEAVING = replace(gangs.PAIR, pods=(*gangs.PAIR.pods, pod("gone", 1, on=gangs.PAIR.nodes[0].name, terminating=True)))
PREEMPTED = CHOSEN["the priority of the group"]


REFUSED = {"a budget over a unit", "budgets over a unit in any order"}
"""The chosen scenarios with a single pod that preempts pods of PodGroups: `tla export` refuses them."""


def asking(scene: Scenario, *questions: str, fairness: str = "weak") -> Scenario:
    asked = (each.format(own) for own in scene.pods for each in questions or QUESTIONS)
    return replace(scene, name="test", constraints=(), fairness=fairness, properties=tuple(dict.fromkeys(asked)))


SCENES = {
    "pair": gangs.PAIR,
    "holding": HOLDING,
    "mixed": MIXED,
    "leaving": LEAVING,
    "group": groups.PAIR,
    "large": groups.LARGE,
    "lured": groups.LURED,
    "preempted": PREEMPTED,
    **{f"gangs {number}": each for number, each in enumerate(gangs.CASES[2:16])},
    **{f"groups {number}": each for number, each in enumerate(groups.CASES[11:20])},
    **{name: each for name, each in CHOSEN.items() if name not in REFUSED},
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", SCENES)
def test_each_step_of_the_machine_has_its_instance_in_the_module(name: str, tmp_path: Path) -> None:
    asked = asking(SCENES[name], "comes_to_rest")
    left_out = properties_in_tla(asked).left_out
    assert not left_out or "more than 1000" in left_out[0][1]
    if not left_out:
        assert by_module(asked, tmp_path) == by_machine(asked)


BROKEN = {
    "timer": ("pair", ("FairGangCluster", '{"Wait", "TimeOut"}', '{"Wait"}')),
    "permit": ("pair", ("FairGangCluster", '{"Bind", "WaitOnPermit", "Wait"}', '{"Bind", "Wait"}')),
    "allowed": ("pair", ("FairGangCluster", "SUBSET KeysOf(Fellows(Pod))", "{{}}")),
    "upkeep": ("leaving", ("FairGangCluster", 'Instance[1] = "Terminate" /\\ Terminate(Pod)', "FALSE")),
    "company": ("group", ("FairPodGroupCluster", "Companions \\in CompaniesOf(Pod)}", "Companions \\in {{}}}")),
    "alone": ("group", ("FairPodGroupCluster", "Some \\in SUBSET KeysOf(GroupFellows(Pod))}\n\nDecisionsFor", "Some \\in {{}}}\n\nDecisionsFor")),
    "victims": ("preempted", ("FairPodGroupCluster", "IF Lower = {} THEN {} ELSE SUBSET Lower", "{{}}")),
    "evicted": ("preempted", ("FairPodGroupCluster", "UpkeepOf(Instance) \\/ StepOfVictim(Instance)", "UpkeepOf(Instance)")),
}  # fmt: skip


@pytest.mark.medium
@pytest.mark.parametrize("name", BROKEN)
def test_a_missing_instance_is_detected(name: str, tmp_path: Path) -> None:
    scene, lost = BROKEN[name]
    asked = asking(SCENES[scene], "comes_to_rest")
    assert by_module(asked, tmp_path, lost) < by_machine(asked)


@pytest.mark.medium
@pytest.mark.parametrize("name", ["holding", "mixed", "large", "preempted", "group", "pair"])
def test_the_number_of_instances_is_that_of_the_module(name: str, tmp_path: Path) -> None:
    asked = asking(SCENES[name], "comes_to_rest")
    export(asked, tmp_path)
    own, fair = module_name(asked), FAIR[system_of(asked).module]
    given = {"module": tmp_path / f"{own}.tla", "config": tmp_path / f"{own}.cfg"}
    assert schedcheck.evaluate(f"Cardinality({fair.prefix}Instances)", **given) == str(instances(asked, fair))


def judged(name: str, fairness: str, folder: Path, broken: Broken | None = None) -> tuple[set[str], set[str]]:
    """The violated properties by the module and by `check`; those left out are not asked."""
    asked = asking(SCENES[name], fairness=fairness)
    left_out = {each for each, _ in properties_in_tla(asked).left_out}
    asked = replace(asked, properties=tuple(each for each in asked.properties if each not in left_out))
    assert not left_out or fairness == "strong"
    return exported_verdict(asked, folder, broken), by_check(asked)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("fairness", ["none", "weak", "strong"])
@pytest.mark.parametrize("name", ["pair", "mixed", "group", "large", "preempted", "gangs 1", "gangs 4", "groups 2"])
def test_a_module_has_the_verdicts_of_check(name: str, fairness: str, tmp_path: Path) -> None:
    theirs, ours = judged(name, fairness, tmp_path)
    assert theirs == ours
