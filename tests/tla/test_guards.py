"""Guards in TLA+: modules of random scenarios with guards have the counts of `check`; each broken predicate shows

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
from schedcheck.model.scenario import Scenario
from schedcheck.tla_export.export import export
from schedcheck.tla_export.module import NotExportable, model_module
from tests.support.guarded import drawn, guards

Found = tuple[int, int, int]
CASES = 60
FEW = 15
"""The number of cases that are tried by default."""


def of_module(scenario: Scenario, folder: Path, broken: tuple[str, str] | None = None) -> Found:
    """The counts of the exported module, in whose Guards a text is replaced."""
    export(scenario, folder)
    if broken:
        path = folder / "Guards.tla"
        text = path.read_text(encoding="utf-8")
        assert text.count(broken[0]) == 1
        path.write_text(text.replace(*broken), encoding="utf-8")
    read = loaded(folder / "MC_guarded.tla", (folder,), MODULES)
    model = Model(read.modules, read.root.name, configuration(folder / "MC_guarded.cfg"))
    result = check_module(model, Bounds(seconds=120)).result
    assert not result.stopped
    return result.distinct, result.generated, result.depth


def of_check(scenario: Scenario) -> Found:
    result = check(scenario, symmetry=False).result
    return result.distinct, result.generated, result.depth


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "seed", [pytest.param(each, marks=[pytest.mark.slow] if each >= FEW else []) for each in range(CASES)]
)
def test_a_module_with_guards_has_the_counts_of_check(seed: int, tmp_path: Path) -> None:
    scenario = drawn(seed)
    assert of_module(scenario, tmp_path) == of_check(scenario)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(CASES, CASES + 8))
def test_a_module_of_kube_scheduler_with_guards_has_the_counts_of_check(seed: int, tmp_path: Path) -> None:
    scenario = drawn(seed, profile="kubernetes")
    assert of_module(scenario, tmp_path) == of_check(scenario)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Key \\notin", "Key \\in"),
        (" /\\ ~Completed(Pod)\n\nPodCompleted", "\n\nPodCompleted"),
        ("Identity(Pod) = Key /\\ Completed(Pod)", "Identity(Pod) = Key"),
        ("Name \\notin", "Name \\in"),
        ("Node.Name = Name /\\ Node.Spec.Unschedulable", "Node.Name = Name"),
        ('~(This.Kind = "Node" /\\ This.Name = Name)', "TRUE"),
        ("         /\\ ~Node.Spec.Unschedulable\n", ""),
        ("<= Number\n\nAtLeastOut", "< Number\n\nAtLeastOut"),
        (">= Number", "> Number"),
        ("Resource)) < Percent", "Resource)) <= Percent + 40"),
        ("Cardinality(Pods(Snapshot)) <=", "Cardinality(Pods(Snapshot)) <"),
        ("Cardinality(Unbound(Snapshot)) <=", "Cardinality(Unbound(Snapshot)) <"),
        ('Pod.Spec.NodeName # ""}) <=', 'Pod.Spec.NodeName # ""}) <'),
    ],
)
def test_a_broken_predicate_changes_the_counts_of_some_scenario(old: str, new: str, tmp_path: Path) -> None:
    scenarios = map(drawn, range(CASES))
    assert any(
        of_module(each, tmp_path / str(number), (old, new)) != of_check(each)
        for number, each in enumerate(scenarios)
        if each.guarded
    )


def test_a_formula_that_reads_amounts_is_refused_where_the_module_divides_them() -> None:
    case = drawn(0)
    reading = guards(['\\A n \\in Nodes : Used(n, "cpu") < 2000'], case.pods, case.nodes, of_pods=False)
    rules = (replace(case.rules[0], guards=reading),)
    with pytest.raises(NotExportable, match="may read amounts, which the module divides"):
        model_module(replace(case, rules=rules), "MC_guarded")


def test_guards_together_with_faults_are_refused() -> None:
    case = next(each for each in map(drawn, range(CASES)) if each.guarded)
    with pytest.raises(NotExportable, match="guards of events together with faults"):
        model_module(replace(case, faults=frozenset({"sum-over-set"})), "MC_guarded")
