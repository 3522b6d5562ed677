"""Gangs in TLA+: modules of random scenarios have the counts and verdicts of `check`; each broken operator shows

The checker of the language runs the modules here; TLC's own counts of the examples are in tla/manifest.json.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.language.checking.checking import check as check_module
from schedcheck.checker.language.checking.config import configuration
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.standard import MODULES
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.result import Bounds
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.workload_objects import WorkloadReference
from schedcheck.tla_export.export import export
from schedcheck.tla_export.module import NotExportable, model_module
from tests.support.building import node, pod
from tests.support.gangs import GANGS, member, policy, rooms, scenario_of
from tests.tla.regenerate import TLA

ASKED = ("type_correct", "no_overcommit", "gang_all_or_nothing", "no_gang_deadlock", "bind_feasible")
Found = tuple[str, int, int, int]


def drawn(seed: int) -> Scenario:
    """A few pods, some of them in groups, bound or waiting already, on one to three small nodes, with some events."""
    random = Random(seed)
    nodes = tuple(node(f"n{place}", random.choice((1, 1, 2))) for place in range(1, random.randint(1, 3) + 1))
    pods = []
    for number in range(1, random.randint(2, 4) + 1):
        group = random.choice(("blue", "red", "red", "none", ""))
        reference = WorkloadReference(group, "workers", random.choice(("", "", "1"))) if group else None
        where = {"on": random.choice(("", "", "", "n1"))}
        if not where["on"] and random.random() < 0.2:
            where = {"waits_on": "n1"}
        pods.append(pod(f"p{number}", 1, workload=reference, **where))
    arriving = tuple(each.key for each in pods if not each.node_name and not each.waits_on and random.random() < 0.5)
    rules = [Rule("arrive", pods=arriving, bound=2)] if arriving else []
    if random.random() < 0.4:
        rules.append(Rule(random.choice(("delete", "complete")), pods=tuple(each.key for each in pods), bound=1))
    return Scenario(
        name="gangs",
        pods=tuple(pods),
        nodes=nodes,
        absent=frozenset(arriving),
        rules=tuple(rules),
        profile="kubernetes-1.35",
        plugins=(GANGS,),
        workloads=(policy("blue", random.choice((2, None))), policy("red", random.choice((1, 2, 3)))),
        properties=ASKED,
    )


ENDED = replace(
    drawn(0),
    pods=(member("red", 1, "n1", phase="Succeeded"), member("red", 2)),
    nodes=rooms(2),
    absent=frozenset(),
    rules=(),
    workloads=(policy("red"),),
)
"""A member that has ended, so that the other one is alone."""

PAIR = replace(scenario_of(2, 2, "red"), properties=ASKED)
"""A gang that fits: one member waits for the other."""

CASES = [ENDED, PAIR, *(each for each in map(drawn, range(40)) if any(one.workload for one in each.pods))]
FEW = 12
"""The number of cases that are tried by default."""


def of_module(scenario: Scenario, folder: Path, broken: Mapping[str, str] | None = None) -> Found:
    """The verdict and the counts of the module of a scenario, in which texts of KubeGangs are replaced."""
    export(scenario, folder)
    if broken:
        text = (TLA / "KubeGangs.tla").read_text(encoding="utf-8")
        for old, new in broken.items():
            assert text.count(old) == 1
            text = text.replace(old, new)
        (folder / "KubeGangs.tla").write_text(text, encoding="utf-8")
    read = loaded(folder / "MC_gangs.tla", (folder, TLA), MODULES)
    model = Model(read.modules, read.root.name, configuration(folder / "MC_gangs.cfg"))
    result = check_module(model, Bounds(seconds=120)).result
    assert not result.stopped
    return result.verdict.value, result.distinct, result.generated, result.depth


def of_check(scenario: Scenario) -> Found:
    result = check(scenario).result
    verdict = "violated" if result.violations else "holds"
    return verdict, result.distinct, result.generated, result.depth


def alike(theirs: Found, ours: Found) -> bool:
    """Whether the verdicts agree, and the counts where everything was explored."""
    return theirs == ours if theirs[0] == "holds" else theirs[0] == ours[0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "number", [pytest.param(each, marks=[pytest.mark.slow] if each >= FEW else []) for each in range(len(CASES))]
)
def test_a_module_has_the_counts_and_the_verdict_of_check(number: int, tmp_path: Path) -> None:
    assert alike(of_module(CASES[number], tmp_path), of_check(CASES[number]))


def test_both_verdicts_occur() -> None:
    assert {of_check(each)[0] for each in CASES} == {"holds", "violated"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Cardinality(Members(Pod, Snapshot)) < Policy.MinCount", "FALSE"),
        ("\\/ GroupPolicies(Pod) = {}", "\\/ FALSE"),
        ("/\\ ~Completed(Other)}\n\nHas", "/\\ TRUE}\n\nHas"),
        (
            "/\\ Other.Spec.Workload = Pod.Spec.Workload",
            "/\\ Other.Spec.Workload.Workload = Pod.Spec.Workload.Workload",
        ),
        ("/\\ ~Quorum(Pod, Snapshot) THEN", "/\\ FALSE THEN"),
        ("THEN [Object EXCEPT !.Spec.NodeName = Object.Status.WaitsOn] ELSE Object", "THEN Object ELSE Object"),
        ('IF Decided.Kind = "Bind" THEN WaitingMembers(Pod, Snapshot)', "IF FALSE THEN WaitingMembers(Pod, Snapshot)"),
        ('Pod.Status.WaitsOn = "" /\\ ~GangRefused', "~GangRefused"),
    ],
)
def test_a_broken_operator_changes_the_states_of_some_scenario(old: str, new: str, tmp_path: Path) -> None:
    assert any(
        not alike(found, of_check(case))
        for number, case in enumerate(CASES[:FEW])
        if (found := tried(case, tmp_path / str(number), {old: new})) is not None
    )


def tried(case: Scenario, folder: Path, broken: Mapping[str, str]) -> Found | None:
    """What the broken module finds; None if it ends in an error."""
    folder.mkdir()
    try:
        return of_module(case, folder, broken)
    except Exception:
        return None


def test_preemption_beside_gangs_is_refused_by_name() -> None:
    case = CASES[0]
    pods = (replace(case.pods[0], priority=1), *case.pods[1:])
    with pytest.raises(NotExportable, match="preemption beside gangs"):
        model_module(replace(case, pods=pods), "MC_gangs")
