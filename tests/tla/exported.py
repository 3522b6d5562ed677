"""The counts of the module that a scenario is exported as, and of `check`: `of_module`, `of_check`"""

from pathlib import Path

from schedcheck.checker.check import check
from schedcheck.checker.language.checking.checking import Checked
from schedcheck.checker.language.checking.checking import check as check_module
from schedcheck.checker.language.checking.config import configuration
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.checking.module_search import USUAL, ModuleSearch
from schedcheck.checker.language.standard import MODULES
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.result import Bounds, Result
from schedcheck.model.scenario import Scenario
from schedcheck.tla_export.export import export, module_name

Found = tuple[int, int, int]
Broken = tuple[str, str, str]
"""A module, a text in it, and what stands instead of the text."""


def of_module(scenario: Scenario, folder: Path, broken: Broken | None = None) -> Found:
    """The counts of the exported module, of which a text in one module is replaced."""
    result = result_of_module(scenario, folder, broken)
    assert not result.stopped
    return result.distinct, result.generated, result.depth


def written(scenario: Scenario, folder: Path, broken: Broken | None = None) -> None:
    """Export the scenario, and replace a text of one module."""
    export(scenario, folder)
    if broken is not None:
        path = folder / f"{broken[0]}.tla"
        text = path.read_text(encoding="utf-8")
        assert text.count(broken[1]) == 1
        path.write_text(text.replace(*broken[1:]), encoding="utf-8")


def result_of_module(scenario: Scenario, folder: Path, broken: Broken | None = None) -> Result:
    """What the checker of the language finds."""
    return checked_module(scenario, folder, broken).result


def checked_module(
    scenario: Scenario, folder: Path, broken: Broken | None = None, search: ModuleSearch = USUAL
) -> Checked:
    """The same with the properties that are violated."""
    written(scenario, folder, broken)
    name = module_name(scenario)
    module = loaded(folder / f"{name}.tla", (folder,), MODULES)
    model = Model(module.modules, module.root.name, configuration(folder / f"{name}.cfg"))
    return check_module(model, Bounds(seconds=300), search=search)


def of_check(scenario: Scenario) -> Found:
    result = check(scenario, symmetry=False).result
    return result.distinct, result.generated, result.depth
