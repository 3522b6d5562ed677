"""Resource claims in TLA+: operators and modules of random scenarios answer as Python does; each broken operator shows

Operators are asked about every pod and node of a random scenario, and the counts of modules are those of `check`. The
evaluator and the checker of the language run the modules here.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.language.checking.checking import check as check_module
from schedcheck.checker.language.checking.config import configuration
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.standard import MODULES
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.result import Bounds
from schedcheck.manifests import read
from schedcheck.manifests import scenario as scenario_of
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.tla_export.export import export
from schedcheck.tla_export.values import NULL
from tests.tla.devices_asked import Asked, ours, unlike
from tests.tla.devices_broken import BROKEN, broken
from tests.tla.random_devices import STALE, exportable
from tests.tla.regenerate import EXAMPLES, TLA

Found = tuple[str, int, int, int]
OPERATORS = range(700)
WHOLE = 40
FEW = 8


@pytest.mark.parametrize(
    "start", [pytest.param(each, marks=[pytest.mark.slow] if each else []) for each in range(0, len(OPERATORS), 100)]
)
def test_every_operator_answers_as_its_twin(start: int) -> None:
    different = {
        (scenario.profile, question): number
        for number, scenario in enumerate(exportable(OPERATORS[start : start + 100]))
        for question in unlike(scenario)
    }
    assert different == {}


def test_the_answers_vary() -> None:
    seen: dict[str, set[object]] = {}
    several, failing = 0, 0
    for scenario in exportable(OPERATORS[:150]):
        for question, answer in ours(Asked(scenario)).items():
            name = question.partition(" ")[0]
            seen.setdefault(name, set()).add(answer)
            several += name == "BoundClaims" and str(answer).count("ResourceClaim") > 4
            failing += "Error" in str(answer)
    assert min(map(len, seen.values())) > 1
    assert several > 20 and failing > 3


def of_module(scenario: Scenario, folder: Path, changed: Mapping[str, str] | None = None) -> Found:
    """The verdict and the counts of the module of a scenario; `changed` are texts of modules that replace others."""
    export(scenario, folder)
    for name, text in (changed or {}).items():
        (folder / f"{name}.tla").write_text(text, encoding="utf-8")
    name = next(path.stem for path in folder.glob("MC_*.tla"))
    read_ = loaded(folder / f"{name}.tla", (folder, TLA), MODULES)
    model = Model(read_.modules, read_.root.name, configuration(folder / f"{name}.cfg"))
    result = check_module(model, Bounds(seconds=300)).result
    assert not result.stopped
    return result.verdict.value, result.distinct, result.generated, result.depth


def of_check(scenario: Scenario) -> Found:
    result = check(scenario, symmetry=False).result
    return "violated" if result.violations else "holds", result.distinct, result.generated, result.depth


@cache
def whole() -> tuple[Scenario, ...]:
    """Scenarios with some steps that change claims, and few states."""
    found: list[Scenario] = []
    for scenario in exportable(range(1000, 1400)):
        counted = of_check(scenario)
        if 4 <= counted[1] <= 60 and counted[0] == "holds":
            found.append(scenario)
        if len(found) == WHOLE:
            return tuple(found)
    return tuple(found)


@pytest.mark.parametrize(
    "number", [pytest.param(each, marks=[pytest.mark.slow] if each >= FEW else []) for each in range(WHOLE)]
)
def test_a_module_has_the_counts_of_check(number: int, tmp_path: Path) -> None:
    assert of_module(whole()[number], tmp_path) == of_check(whole()[number])


def test_the_example_has_the_counts_of_check(tmp_path: Path) -> None:
    example = scenario_of(read([EXAMPLES / "devices"]), NO_FAULTS)
    _, *counts = of_check(example)
    # By hand: infer is bound to large, the earlier alternative, or not tried yet; train waits in both states, since large
    # has one free device, and batch is not in the queue. With the first state these are four generated states.
    assert counts == [2, 4, 2]
    assert of_module(example, tmp_path) == ("holds", 2, 4, 2)


@pytest.mark.parametrize(("module", "old", "new"), [(name, *each) for name, rows in BROKEN.items() for each in rows])
def test_a_broken_operator_answers_otherwise(module: str, old: str, new: str) -> None:
    changed = broken(module, old, new)
    assert any(differs(scenario, changed) for scenario in few())


@cache
def few() -> tuple[Scenario, ...]:
    return (STALE, *exportable(OPERATORS[:300]))


def test_an_older_generation_serves_no_node() -> None:
    assert unlike(STALE) == []
    refused = ours(Asked(STALE))
    assert refused["DynamicResourcesRefusal p n0"] != NULL


def differs(scenario: Scenario, changed: Mapping[str, str]) -> bool:
    """Whether an answer changes; an error is none."""
    try:
        return unlike(scenario, changed) != []
    except Exception:
        return False
