"""Autoscalers in TLA+: modules of the examples and of random scenarios have the counts of `check`; broken ones do not

The checker of the language runs the modules.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.language.checking.checking import check as check_module
from schedcheck.checker.language.checking.config import configuration
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.standard import MODULES
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.result import Bounds
from schedcheck.manifests import read, scenario
from schedcheck.model.scenario import Scenario
from schedcheck.tla_export.export import export, module_name
from tests.support.autoscaled import drawn

EXAMPLES = Path(__file__).parents[2] / "examples"
Found = tuple[int, int, int]
CASES = 70
FEW = 6
"""The number of cases that are tried by default."""


def of_module(scenario: Scenario, folder: Path, broken: tuple[str, str, str] | None = None) -> Found:
    """The counts of the exported module, of which a text in one module is replaced."""
    export(scenario, folder)
    if broken:
        path = folder / f"{broken[0]}.tla"
        text = path.read_text(encoding="utf-8")
        assert text.count(broken[1]) == 1
        path.write_text(text.replace(*broken[1:]), encoding="utf-8")
    name = module_name(scenario)
    module = loaded(folder / f"{name}.tla", (folder,), MODULES)
    model = Model(module.modules, module.root.name, configuration(folder / f"{name}.cfg"))
    result = check_module(model, Bounds(seconds=300)).result
    assert not result.stopped
    return result.distinct, result.generated, result.depth


def of_check(scenario: Scenario) -> Found:
    result = check(scenario, symmetry=False).result
    return result.distinct, result.generated, result.depth


@pytest.mark.parametrize("name", ["bootstrap", "bootstrap-probed", "replicas-left-out", "replicas-missing"])
def test_the_module_of_an_example_has_the_counts_of_check(name: str, tmp_path: Path) -> None:
    example = scenario(read([EXAMPLES / f"autoscaler-{name}"]), frozenset())
    whole = replace(example, properties=("never_above(app=web, 9)",))
    assert of_module(whole, tmp_path) == of_check(whole)


@pytest.mark.parametrize(
    "seed", [pytest.param(each, marks=[pytest.mark.slow] if each >= FEW else []) for each in range(CASES)]
)
def test_the_module_of_a_random_scenario_has_the_counts_of_check(seed: int, tmp_path: Path) -> None:
    assert of_module(drawn(seed), tmp_path) == of_check(drawn(seed))


BROKEN = {
    "a tolerance of scaling up": ("AutoscalerReplicas", "Up[2] * Use <= (Up[2] + Up[1]) * Target", "Use <= Target"),
    "replicas are rounded down": ("AutoscalerReplicas", "-((-Number) \\div By)", "Number \\div By"),
    "pods without metrics": ("AutoscalerReplicas", "IF Use = Target THEN 0 ELSE Lacking", "0"),
    "unready pods": ("AutoscalerReplicas", "IF Unready > 0 /\\ Use > Target THEN Unready ELSE 0", "0"),
    "invalid metrics": ("AutoscalerReplicas", "\\/ (Invalid \\in Proposals /\\ Most < Current)", ""),
    "stabilization": ("AutoscalerReplicas", "Lesser(Greater(Current", "Lesser(Greater(Wanted"),
    "the doubling of replicas": ("AutoscalerReplicas", "Greater(2 * Current, 4)", "Current + 1"),
    "select": ("AutoscalerReplicas", 'Up = (Rules.Select = "Max")', "Up"),
    "pods that are left out of cpu": ("AutoscalerReadings", "IF Metric.SkipsUnready THEN Known ELSE 0", "0"),
    "probes": ("AutoscalerReadings", "(IF Scaler.Probed THEN Most ELSE 0)..Most", "0..Most"),
    "the order of deletion": ("ScaledWorkloads", "One(IsAvailable(Pod))", "0"),
    "a deleted pod in its place": ("ScaledWorkloads", "IsActive(Pod)}) >= Asked", "TRUE}) >= Asked"),
    "the order of a StatefulSet": ("ScaledWorkloads", "/\\ (Scaler.Ordered => \\A j \\in Gaps : i <= j)", ""),
    "a StatefulSet that waits": ("ScaledWorkloads", "IF Waited(Scaler, Asked) # {} THEN {}", "IF FALSE THEN {}"),
    "recommendations that are exceeded": ("KubeScaledCluster", "Each > Advised", "TRUE"),
    "0 replicas": ("KubeScaledCluster", "Current # 0", "TRUE"),
    "the default of replicas": ("KubeScaledCluster", "THEN 1 ELSE Scalings", "THEN 2 ELSE Scalings"),
    "pods that start": ("KubeScaledCluster", "Running(Snapshot, Number) \\ Known(Number)", "Scalings[Number].Fresh"),
}  # fmt: skip
"""A text of a module and what stands instead of it, for each meaning that is broken."""
