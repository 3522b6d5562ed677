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
from schedcheck.tla_export.module import NotExportable, model_module
from tests.support.autoscaled import drawn

EXAMPLES = Path(__file__).parents[2] / "examples"
Found = tuple[int, int, int]
CASES = 60
FEW = 12
"""The number of cases that are tried by default."""
MOST = 600
"""The most states that are compared by default; what has more is cut off by the bound of replicas."""


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
