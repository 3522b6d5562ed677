"""Every available module and configuration is read, printed and read again"""

import os
from pathlib import Path

import pytest

from schedcheck.checker.language.checking.config import configuration
from schedcheck.checker.language.printing.printing import printed
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.language.syntax.parser import parsed, parsed_expression
from tests.checker.language.test_printing import in_line

TLA = Path("tla")
EXAMPLES = os.environ.get("SCHEDCHECK_TLA_EXAMPLES", "")
MODULES = sorted(TLA.rglob("*.tla"))
CONFIGURATIONS = sorted(TLA.rglob("*.cfg"))
REFUSED_BY_NAME = "only integers are supported"


def bodies(module: tree.Module) -> list[tree.Expression]:
    """The bodies of definitions and assumptions of the module."""
    kinds = tree.Definition | tree.FunctionDefinition | tree.Assume
    return [unit.body for unit in module.units if isinstance(unit, kinds)]


def test_there_are_modules_to_read() -> None:
    assert len(MODULES) > 50
    assert len(CONFIGURATIONS) > 30


@pytest.mark.parametrize(
    ("name", "needed"), [("models/MC_reference", "ControlLoop"), ("ProductionRefinement", "KubeControlLoop")]
)
def test_a_model_is_read_with_the_modules_it_needs(name: str, needed: str) -> None:
    found = loaded(TLA / f"{name}.tla", (TLA,))
    assert found.root.name == Path(name).name
    assert found.modules.keys() > {Path(name).name, needed, "Binding"}
    assert found.standard >= {"Integers", "FiniteSets"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_each_definition_is_printed_and_read_back(path: Path) -> None:
    for body in bodies(parsed(path.read_text(encoding="utf-8"), path.stem)):
        assert parsed_expression(printed(body)) == in_line(body)


@pytest.mark.parametrize("path", CONFIGURATIONS, ids=lambda path: path.stem)
def test_each_configuration_is_read(path: Path) -> None:
    said = configuration(path)
    assert said.specification or (said.init and said.next)


@pytest.mark.skipif(not EXAMPLES, reason="SCHEDCHECK_TLA_EXAMPLES names no folder of modules")
def test_every_module_of_a_given_folder_is_read_or_refused_by_name() -> None:
    failures = []
    paths = sorted(Path(EXAMPLES).rglob("*.tla"))
    for path in paths:
        try:
            parsed(path.read_text(encoding="utf-8"), path.stem)
        except Misread as error:
            if not error.says.endswith(REFUSED_BY_NAME):
                failures.append(f"{path}: {error}")
    assert paths
    assert failures == []
