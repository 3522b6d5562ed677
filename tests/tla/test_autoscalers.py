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
CASES = [seed for seed in range(70) if seed not in (17, 53)]
"""Two of the scenarios have thousands of states."""
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
    "seed", [pytest.param(each, marks=[pytest.mark.slow] if each >= FEW else []) for each in CASES]
)
def test_the_module_of_a_random_scenario_has_the_counts_of_check(seed: int, tmp_path: Path) -> None:
    assert of_module(drawn(seed), tmp_path) == of_check(drawn(seed))


BROKEN = {
    "replicas are rounded down": ("AutoscalerReplicas", "-((-Number) \\div By)", "Number \\div By"),
    "unready pods are left out": ("AutoscalerReplicas", "IF Unready > 0 /\\ Use > Target THEN Unready ELSE 0", "0"),
}
"""A text of a module and what stands instead of it, for each meaning that is broken."""


@pytest.mark.slow
@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_module_has_other_counts(broken: str, tmp_path: Path) -> None:
    example = scenario(read([EXAMPLES / "autoscaler-replicas-missing"]), frozenset())
    whole = replace(example, properties=("never_above(app=web, 9)",))
    assert of_module(whole, tmp_path, BROKEN[broken]) != of_check(whole)


@pytest.mark.slow
def test_a_module_whose_tolerance_is_broken_has_other_counts(tmp_path: Path) -> None:
    broken = ("AutoscalerReplicas", "Up[2] * Use <= (Up[2] + Up[1]) * Target", "Use <= Target")
    assert of_module(drawn(10), tmp_path, broken) != of_check(drawn(10))
