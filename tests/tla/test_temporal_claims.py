"""Properties of behaviours of pods with resource claims: each step has its instance, and modules have the verdicts of `check`

The checker of the language judges the modules. TLC judges them in `tests.tla.temporal_parity` (`make answers`).
"""

from itertools import product
from pathlib import Path

import pytest

import schedcheck
from schedcheck.checker.check import check
from schedcheck.checker.result import Verdict
from schedcheck.tla_export.export import export, module_name
from schedcheck.tla_export.properties import properties_in_tla
from schedcheck.tla_export.systems import system_of
from schedcheck.tla_export.temporal import FAIR, instances
from tests.tla.claim_scenes import MANY, SCENES
from tests.tla.labelled_steps import by_machine, by_module
from tests.tla.test_temporal import by_check, exported_verdict
from tests.tla.test_temporal_gangs import asking

MODULE = "FairDeviceCluster"
QUESTIONS = ("eventually_bound({})", "bound_once_feasible({})", "never_starves({})", "comes_to_rest", "evictions_end")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", SCENES)
def test_each_step_of_the_machine_has_its_instance_in_the_module(name: str, tmp_path: Path) -> None:
    asked = asking(SCENES[name], "comes_to_rest")
    assert properties_in_tla(asked).left_out == ()
    assert by_module(asked, tmp_path) == by_machine(asked)


BROKEN = {
    "names": ("a choice of two", (MODULE, "<<First.Name>> \\o Rest", "<<NumberedDevices>> \\o Rest")),
    "one way": ("two of three", (MODULE, "Each.Number > First.Number", "Each.Number = First.Number + 1")),
    "all": ("all devices", (MODULE, "Count \\in 0..Cardinality(Selected)", "Count \\in {0}")),
    "several requests": ("two requests", (MODULE, "RequestedNames(Requests, k + 1)}", "{<<>>}}")),
    "several claims": ("two claims of a pod", (MODULE, "AllottedAmong(Some \\ {Claim})", "{{}}")),
    "alternatives": ("two alternatives", (MODULE, "PartNames(Parts[n]) : n \\in DOMAIN Parts}", "PartNames(Parts[n]) : n \\in {1}}")),
    "upkeep": ("a pod that ends", (MODULE, r"UpkeepOf(Instance) \/ StepOfVictim(Instance)", "UpkeepOf(Instance)")),
}  # fmt: skip


@pytest.mark.medium
@pytest.mark.parametrize("name", BROKEN)
def test_a_missing_instance_is_detected(name: str, tmp_path: Path) -> None:
    scene, lost = BROKEN[name]
    asked = asking(SCENES[scene], "comes_to_rest")
    assert by_module(asked, tmp_path, lost) < by_machine(asked)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SCENES)
def test_the_number_of_instances_is_that_of_the_module(name: str, tmp_path: Path) -> None:
    asked = asking(SCENES[name], "comes_to_rest")
    export(asked, tmp_path)
    own, fair = module_name(asked), FAIR[system_of(asked).module]
    given = {"module": tmp_path / f"{own}.tla", "config": tmp_path / f"{own}.cfg"}
    assert schedcheck.evaluate(f"Cardinality({fair.prefix}Instances)", **given) == str(instances(asked, fair))


CASES = (*product(SCENES, ("none", "weak")), ("a choice of two", "strong"), ("all devices", "strong"))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "fairness"), CASES)
def test_a_module_has_the_verdicts_of_check(name: str, fairness: str, tmp_path: Path) -> None:
    asked = asking(SCENES[name], *QUESTIONS, fairness=fairness)
    assert properties_in_tla(asked).left_out == ()
    assert exported_verdict(asked, tmp_path) == by_check(asked)


def test_a_device_that_another_pod_never_gives_back_starves_the_pod_that_waits_for_it() -> None:
    scene = asking(SCENES["one device, two pods"], "eventually_bound({})")
    assert check(scene).result.verdict is Verdict.VIOLATED


def test_more_allocations_than_tlc_can_judge_are_refused_by_name() -> None:
    asked = asking(MANY, "comes_to_rest")
    number = 184756 + 1 + 1  # a binding for each choice of 10 of 20 devices, one that allocates none; ...
    told = dict(properties_in_tla(asked).left_out)["comes_to_rest"]
    assert told.endswith("instances of actions are more than 1000") and int(told.split()[0]) >= number
