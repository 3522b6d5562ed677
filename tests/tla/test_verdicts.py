"""A module has the verdict of `check` on its properties; its configuration names the properties that it leaves out

TLC's own verdicts are in tla/manifest.json; `make tlc` compares the two again.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schedcheck.checker.check import check as checked
from schedcheck.checker.language.checking.checking import check
from schedcheck.checker.language.checking.config import configuration
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.checking.module_search import USUAL, ModuleSearch
from schedcheck.checker.language.standard import MODULES
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import Fault
from schedcheck.tla_export.export import export
from schedcheck.tla_export.module import model_module
from schedcheck.tla_export.properties import DECISIONS, properties_in_tla
from tests.support.building import node, on_pods, pod, scenario
from tests.tla.regenerate import MODELS, TLA, scenarios
from tests.tla.test_modules import MANIFEST

SCENARIOS = scenarios()
LEFT_OUT = re.compile(r"^\\\* Left out: (\w+(?:\([^)]*\))?): (.+)\.$", re.MULTILINE)
FEW, MOST = 50, 900
"""The number of states up to which a module is checked by default, and at all; TLC checks the others."""

ASKED = [
    pytest.param(name, marks=[pytest.mark.slow] if pinned["distinct"] > FEW else [])
    for name, pinned in sorted(MANIFEST.items())
    if pinned["distinct"] <= MOST and name not in ("MC_kube_nominations", "MC_kube_images", "MC_kube_spread")
]


def said(name: str, folder: Path = MODELS, search: ModuleSearch = USUAL) -> tuple[str, list[str]]:
    """The verdict of our own TLA+ checker on a module, and the violated properties."""
    read = loaded(folder / f"{name}.tla", (TLA,), MODULES)
    model = Model(read.modules, read.root.name, configuration(folder / f"{name}.cfg"))
    found = check(model, Bounds(seconds=300), search=search)
    return found.result.verdict.value, [each.name for each in found.found]


def left_out(name: str) -> set[str]:
    """The properties that the configuration of a module declares as left out."""
    return {found[1] for found in LEFT_OUT.finditer((MODELS / f"{name}.cfg").read_text(encoding="utf-8"))}


def identifier(text: str) -> str:
    return {"type_correct": "TypeOK", "no_overcommit": "NoOvercommit"}.get(text, re.sub(r"\W+", "_", text).strip("_"))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ASKED)
def test_a_module_has_the_verdict_of_check_on_common_properties(name: str) -> None:
    result = checked(SCENARIOS[name], symmetry=False).result
    broken = {each.property.name for each in result.violations} - left_out(name)
    verdict, shown = said(name)
    assert verdict == ("violated" if broken else "holds") == MANIFEST[name].get("verdict")
    # Both search level by level: the first violation is among those that check finds.
    names = {identifier(each) for each in broken} | {each for each in broken if each == "no_overcommit"}
    assert set(shown) <= names


@pytest.mark.parametrize("name", sorted(MANIFEST))
def test_every_property_is_in_the_configuration_or_declared_as_left_out(name: str) -> None:
    text = (MODELS / f"{name}.cfg").read_text(encoding="utf-8")
    invariants = set(re.findall(r"^(?:INVARIANT|PROPERTY) (\w+)$", text, re.MULTILINE))
    asked = {each.name for each in checked(SCENARIOS[name], bounds=Bounds(depth=1)).properties}
    found = {each for each in asked if identifier(each) in invariants or each in invariants}
    assert found | left_out(name) >= asked
    assert found & left_out(name) == set()


def test_the_gpu_module_without_taints_is_violated_as_in_check() -> None:
    assert said("MC_gpu_small_without_taints")[0] == "violated" == MANIFEST["MC_gpu_small_without_taints"]["verdict"]
    assert said("MC_label_removed")[1] == ["stays_on_app_db_disk_ssd"]


def test_both_verdicts_occur() -> None:
    assert {each.get("verdict") for each in MANIFEST.values()} >= {"holds", "violated"}


ARRIVING = [on_pods("arrive", "p"), on_pods("complete", "p")]
SMALL: dict[str, Any] = {
    "corrected": scenario(pod("p", 1), node("n", 1), absent="*", rules=ARRIVING),
    "kubernetes": replace(scenario(pod("p", 1), node("n", 1), absent="*", rules=ARRIVING), profile="kubernetes"),
}


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("pod_can_still_be_bound(p)", "what stays possible"),
        ("all_pods_bound", "that some state is reached"),
        ("no_pod_evicted_twice_for_one_reason", "what was evicted before"),
        ("Turn = {}", "a formula"),
    ],
)
def test_a_property_that_tlc_cannot_check_is_named_with_the_reason(asked: str, why: str) -> None:
    scene: Scenario = replace(SMALL["corrected"], properties=(asked,))
    _, text = model_module(scene, "MC_small")
    assert f"\\* Left out: {asked}: {why}" in text
    assert "INVARIANT TypeOK\n" in text


def test_decisions_beyond_a_constraint_are_not_checked() -> None:
    scene = replace(
        SMALL["corrected"], properties=("bind_feasible", "no_overcommit"), constraints=("at_most_bound(0)",)
    )
    module, _ = model_module(scene, "MC_small")
    assert "bind_feasible ==\n  MC_Constraint => EveryDecision(" in module


LATE = [pod("low", 1, on="n"), pod("high", 1, priority=9), pod("other", 1, priority=5), pod("huge", 3, priority=1)]
CROWDED = scenario(
    *LATE, node("n", 1), node("m", 1), absent="high other huge",
    rules=[on_pods("arrive", "high", 1), on_pods("arrive", "other", 1), on_pods("arrive", "huge", 1)],
)  # fmt: skip
QUESTIONS = (*DECISIONS, "never_evicted(low)", "never_evicted(high)", "anti_affinity_kept", "evicted_for_nominated_pod")


def exported_verdict(scene: Scenario, folder: Path, *asked: str) -> str:
    """The verdict of the module of a scenario with these properties."""
    export(replace(scene, properties=asked), folder)
    return said("MC_test", folder)[0]


SYSTEMS: list[Any] = [("corrected", ()), ("corrected", ("overlapping-case", "victims-unchecked"))]
SYSTEMS += [("corrected", ("bound-pods-ignored",)), ("article", tuple(sorted(set(Fault) - {Fault.PHASE_DEMANDED})))]
SYSTEMS += [("classic", ())]
SYSTEMS += [pytest.param(each, (), marks=pytest.mark.slow) for each in ("kubernetes", "kubernetes-documented")]


LONG = [pytest.param(each, marks=pytest.mark.slow) for each in ("classic", "kubernetes")]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("profile", "faults"), SYSTEMS)
def test_each_property_has_the_verdict_of_check_in_every_system(
    profile: str, faults: tuple[str, ...], tmp_path: Path
) -> None:
    scene = replace(CROWDED, profile=profile, faults=frozenset(faults), name="test")
    left = {name for name, _ in properties_in_tla(replace(scene, properties=QUESTIONS)).left_out}
    asked = [each for each in QUESTIONS if each not in left]
    verdicts = {each: checked(replace(scene, properties=(each,)), symmetry=False).result.verdict for each in asked}
    broken = [each for each in asked if verdicts[each] is Verdict.VIOLATED]
    assert exported_verdict(scene, tmp_path / "holding", *(each for each in asked if each not in broken)) == "holds"
    for number, each in enumerate(broken):
        assert exported_verdict(scene, tmp_path / str(number), each) == "violated", each
    assert broken


WEB = [pod(f"w{each}", 1, labels={"app": "web"}, owner=("ReplicaSet", "web")) for each in range(3)]
SPREAD = scenario(
    *WEB, node("n", 3, labels={"zone": "a"}), node("m", 3, labels={"zone": "b"}), absent="w2",
    rules=[on_pods("delete", "w0", 1), on_pods("arrive", "w2", 1)], controllers=frozenset({"owners"}),
)  # fmt: skip
OF_WORKLOADS = [
    ("never_below(app=web, 1)", "violated"),
    ("never_below(!app, 1)", "violated"),
    ("never_above(app=web, 2)", "violated"),
    ("never_above(app=web, 3)", "holds"),
    *((f"skew_kept(app=web, zone, {most})", "violated" if most < 2 else "holds") for most in range(4)),
    ("skew_kept(app=web, rack, 0)", "holds"),
    *((f"nodes_bounded({most})", "violated" if most < 2 else "holds") for most in range(4)),
]


@pytest.mark.parametrize(("asked", "verdict"), OF_WORKLOADS)
def test_properties_of_workloads_have_the_verdict_of_check(asked: str, verdict: str, tmp_path: Path) -> None:
    scene = replace(SPREAD, name="test", properties=(asked,))
    found = checked(scene, symmetry=False).result.verdict
    assert exported_verdict(scene, tmp_path, asked) == verdict
    assert (found is Verdict.VIOLATED) == (verdict == "violated")


def denied(folder: Path, operator: str) -> None:
    """Make the operator false for every argument."""
    (path,) = (each for each in folder.glob("*.tla") if f"\n{operator}(" in each.read_text(encoding="utf-8"))
    text, changed = re.subn(
        rf"^({operator}\([^=]*\) ==)(?:.|\n)*?(?=\n\n|\n====)",
        r"\1 FALSE",
        path.read_text(encoding="utf-8"),
        flags=re.M,
    )
    assert changed == 1
    path.write_text(text, encoding="utf-8")


@pytest.mark.medium
@pytest.mark.parametrize("profile", ["corrected", *LONG])
def test_each_decision_property_is_tested_by_some_decision(profile: str, tmp_path: Path) -> None:
    """If its operator is made false for every decision, the property is violated in every system that includes it."""
    scene = replace(CROWDED, profile=profile, name="test")
    left = {name for name, _ in properties_in_tla(replace(scene, properties=tuple(DECISIONS))).left_out}
    for name, (_, operator, _) in DECISIONS.items():
        if name not in left:
            folder = tmp_path / name
            export(replace(scene, properties=(name,)), folder)
            denied(folder, operator)
            assert said("MC_test", folder) == ("violated", [name])
