"""A module with symmetry has as many states as `check` with symmetry"""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from schedcheck.checker.check import check as checked
from schedcheck.checker.language.checking.checking import check
from schedcheck.checker.language.checking.config import configuration
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.standard import MODULES
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.result import Bounds
from schedcheck.model.scenario import Scenario
from schedcheck.tla_export.module import model_module
from schedcheck.tla_export.shipped import FOLDER
from schedcheck.tla_export.text import NotExportable
from tests.checker.language.modelling import counts
from tests.support.building import node, on_nodes, on_pods, pod, scenario
from tests.tla.regenerate import MODELS, TLA, WITH_SYMMETRY, scenarios
from tests.tla.test_modules import MANIFEST

EXPECTED = yaml.safe_load((TLA.parent / "tests" / "examples" / "expected.yaml").read_text(encoding="utf-8"))
ALIKE = scenario(
    pod("a", 1), pod("b", 1), pod("c", 1, priority=3), pod("d", 1, priority=3), node("m", 1), node("n", 1), node("o", 2),
    absent="*", rules=[on_pods("arrive", "a b c d"), on_pods("complete", "a b c d", 2)], properties=("no_overcommit",),
)  # fmt: skip


def counted(module: str, configured: str, folder: Path) -> tuple[int, int, int]:
    """The counts of a module."""
    (folder / "MC_alike.tla").write_text(module, encoding="utf-8")
    (folder / "MC_alike.cfg").write_text(configured, encoding="utf-8")
    read = loaded(folder / "MC_alike.tla", (FOLDER,), MODULES)
    found = check(Model(read.modules, read.root.name, configuration(folder / "MC_alike.cfg")), Bounds(seconds=300))
    return counts(found)


def by_check(scene: Scenario, *, symmetry: bool) -> tuple[int, int, int]:
    result = checked(scene, symmetry=symmetry).result
    return result.distinct, result.generated, result.depth


@pytest.mark.medium
def test_a_module_with_symmetry_has_the_states_of_check_with_symmetry(tmp_path: Path) -> None:
    with_symmetry = counted(*model_module(ALIKE, "MC_alike", symmetry=True), tmp_path)
    assert with_symmetry == by_check(ALIKE, symmetry=True)
    assert counted(*model_module(ALIKE, "MC_alike"), tmp_path) == by_check(ALIKE, symmetry=False)
    assert with_symmetry[0] < by_check(ALIKE, symmetry=False)[0]


def test_symmetry_classes_that_are_too_large_lose_states(tmp_path: Path) -> None:
    module, configured = model_module(ALIKE, "MC_alike", symmetry=True)
    broken = module.replace('<<{"m", "n"}, {"o"}>>', '<<{"m", "n", "o"}>>')
    assert broken != module
    assert counted(broken, configured, tmp_path)[0] < by_check(ALIKE, symmetry=True)[0]


@pytest.mark.parametrize(
    ("scene", "says"),
    [
        (replace(ALIKE, profile="kubernetes"), "not for the profile kubernetes"),
        (replace(ALIKE, profile="classic"), "not for the profile classic"),
        (replace(ALIKE, rules=(on_nodes("fail", "m"),)), "and nothing else happens"),
        (replace(ALIKE, controllers=frozenset({"owners"})), "and nothing else happens"),
        (replace(ALIKE, pods=(pod("a", 1, on="gone"),)), "on an existing node"),
    ],
)
def test_a_scenario_unsuitable_for_symmetry_is_refused_by_name(scene: Scenario, says: str) -> None:
    with pytest.raises(NotExportable, match=says):
        model_module(scene, "MC_alike", symmetry=True)


def test_the_gpu_modules_use_symmetry_and_without_taints_are_violated() -> None:
    assert {"MC_gpu", "MC_gpu_without_taints"} == WITH_SYMMETRY
    assert [len(scenarios()[name].nodes) for name in sorted(WITH_SYMMETRY)] == [9 + 6, 9 + 6]
    read = loaded(MODELS / "MC_gpu_without_taints.tla", (TLA,), MODULES)
    asked = configuration(MODELS / "MC_gpu_without_taints.cfg")
    found = check(Model(read.modules, read.root.name, asked), Bounds(seconds=300))
    assert found.result.verdict.value == "violated" == MANIFEST["MC_gpu_without_taints"]["verdict"]
    assert [each.name for each in found.found] == ["stays_on_workload_general_nvidia_com_gpu_present"]
    assert counts(found) == tuple(EXPECTED["gpu-without-taints"]["symmetry"])


def test_the_counts_of_the_gpu_module_are_those_of_the_example() -> None:
    pinned = MANIFEST["MC_gpu"]
    assert [pinned[each] for each in ("distinct", "generated", "depth")] == EXPECTED["gpu"]["symmetry"]
    assert pinned["verdict"] == "holds" == EXPECTED["gpu"]["verdict"]
