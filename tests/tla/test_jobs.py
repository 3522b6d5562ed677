"""Jobs in TLA+: modules of random scenarios have the counts of `check`; broken ones do not

The checker of the language runs the modules; TLC's own counts of the examples are in tla/manifest.json.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import schedcheck
from schedcheck.checker.check import check
from schedcheck.checker.result import Verdict
from schedcheck.model.jobs import Job
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.tla_export.export import export, module_name
from schedcheck.tla_export.module import NotExportable, model_module
from schedcheck.tla_export.properties import properties_in_tla
from schedcheck.tla_export.shipped import FOLDER
from schedcheck.tla_export.systems import system_of
from schedcheck.tla_export.temporal import FAIR, instances
from tests.model.controllers.test_job import drawn, made
from tests.tla.exported import Broken, of_check, of_module, result_of_module
from tests.tla.labelled_steps import by_machine, by_module
from tests.tla.operators.asking import unlike
from tests.tla.operators.jobs import TWINS
from tests.tla.operators.settings import kubernetes

FEW = (3,)
"""The case that is tried by default."""
MANY = (2, 4, 7, 8, 11, 13, 14, 15, 16, 21, 22, 24, 25, 26, 27, 30, 31, 35, 37, 39, 43, 49, 50, 52, 53, 54, 55, 57)
"""Cases of at most 500 states."""


def of_seed(seed: int) -> Scenario:
    found = drawn(Random(seed))
    rules = tuple(rule for rule in found.rules if rule.event != "shutdown")
    return replace(found, rules=rules, shutdown_priorities=(), properties=("type_correct",))


@pytest.mark.parametrize("seed", [*FEW, *(pytest.param(each, marks=pytest.mark.slow) for each in MANY)])
def test_the_module_of_a_random_scenario_has_the_counts_of_check(seed: int, tmp_path: Path) -> None:
    assert of_module(of_seed(seed), tmp_path) == of_check(of_seed(seed))


def scene(*rules: tuple[str, int | None], kubelet: bool = False) -> Scenario:
    """A Job of two pods with a limit of one, on a node with room for both."""
    return replace(made(2, 3, 1, *rules, kubelet=kubelet), properties=("type_correct",))


ENDING = scene(("complete", None), ("crash", 1))
CRASHING = scene(("crash", 3))
QUEUE = replace(ENDING, jobs=(replace(ENDING.jobs[0], completions=None),))
DELETED = scene(("delete", 2))
SURPLUS = replace(scene(kubelet=True), absent=frozenset(), jobs=(replace(ENDING.jobs[0], parallelism=1),))
UNREACHABLE = replace(scene(kubelet=True), jobs=(replace(ENDING.jobs[0], limit=0),), rules=(
    Rule("delete", pods=(("default", "import-0"),), bound=1), Rule("unreachable", nodes=("n0",), bound=1),
))  # fmt: skip

BROKEN: dict[str, tuple[Scenario, Broken]] = {
    "one failure more is allowed": (CRASHING, ("JobPods", "Counts.Failed > Job.Limit", "Counts.Failed > Job.Limit + 1")),
    "completions do not matter": (ENDING, ("JobPods", "Max({0, Min({Job.Parallelism, Job.Completions - Counts.Succeeded})})", "Job.Parallelism")),
    "a work queue goes on": (QUEUE, ("JobPods", "IF Counts.Succeeded > 0 THEN Running ELSE Job.Parallelism", "Job.Parallelism")),
    "a deleted pod is not counted": (DELETED, ("JobPods", "ELSE IF After = Null THEN [Counts EXCEPT !.Failed = @ + 1]", "ELSE IF After = Null THEN Counts")),
    "a failed pod is not counted": (CRASHING, ("JobPods", "~IsActive(After) \\/ (Before", "(Before")),
    "an ended pod keeps its place": (ENDING, ("KubeJobCluster", "ELSE Completed(PodAs(Key, Objects))", "ELSE FALSE")),
    "any pod is deleted": (SURPLUS, ("JobPods", "ELSE {Pod \\in Active : ~\\E Other \\in Active : Precedes(RankOf(Other), RankOf(Pod))}", "ELSE Active")),
    "owners create pods of Jobs": (ENDING, ("JobPods", "\\E Other \\in Own(Before) : Identity(Other) = Identity(Pod)", "TRUE")),
    "owners replace pods of Jobs": (UNREACHABLE, ("JobPods", "/\\ Pod.Terminating => Other.Terminating", "=> TRUE")),
    "a crash leaves its bound": (ENDING, ("KubeJobCluster", "Left' = Spent(Number)", "UNCHANGED Left")),
}  # fmt: skip
"""A text of a module and what stands instead of it, for each meaning that is broken, with a scenario that shows it."""
SOON = ("owners create pods of Jobs",)


@pytest.mark.parametrize(
    "broken", [pytest.param(each, marks=[] if each in SOON else [pytest.mark.slow]) for each in BROKEN]
)
def test_a_broken_module_has_other_counts(broken: str, tmp_path: Path) -> None:
    scenario, changed = BROKEN[broken]
    if broken not in SOON:
        assert of_module(scenario, tmp_path / "sound") == of_check(scenario)
    assert of_module(scenario, tmp_path / "broken", changed) != of_check(scenario)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("Counts.Failed > Job.Limit", "Counts.Failed >= Job.Limit", marks=pytest.mark.slow),
        pytest.param("Job.Completions - Counts.Succeeded", "Job.Completions", marks=pytest.mark.slow),
        pytest.param(
            "IF Counts.Succeeded > 0 THEN Running", "IF Counts.Succeeded > 1 THEN Running", marks=pytest.mark.slow
        ),
        ("Running < WantedOfJob", "Running <= WantedOfJob"),
        pytest.param(
            "\\A Pod \\in Active : Pod.Spec.NodeName #",
            "\\E Pod \\in Active : Pod.Spec.NodeName #",
            marks=pytest.mark.slow,
        ),
        pytest.param("Min({@ + 1, Most})", "@ + 1", marks=pytest.mark.slow),
        pytest.param("IF ~IsActive(Before) THEN Counts", "IF FALSE THEN Counts", marks=pytest.mark.slow),
        pytest.param(" \\/ (Before.Spec.NodeName #", " \\/ (Before.Spec.NodeName =", marks=pytest.mark.slow),
        pytest.param("One(IsReady(Pod))", "0", marks=pytest.mark.slow),
        pytest.param("IF HasFailed(Job, Counts) THEN Active", "IF FALSE THEN Active", marks=pytest.mark.slow),
    ],
)
def test_a_broken_operator_differs_from_its_twin(old: str, new: str) -> None:
    text = (FOLDER / "JobPods.tla").read_text(encoding="utf-8")
    assert text.count(old) == 1
    setting = kubernetes("default", range(40), DEFAULT_PLUGINS)
    assert next(unlike(TWINS, setting, {}, {"JobPods": text.replace(old, new)}), None)


# Properties.

RESTING = replace(ENDING, rules=(replace(ENDING.rules[0], bound=1),))
"""One pod completes at most, so that the Job need not."""
CROWDED = replace(made(2, 2, 1, ("crash", 1), cpu=3), properties=("type_correct",))
"""A node that has room for one of two pods."""


def asking(given: Scenario, name: str, fairness: str = "weak") -> Scenario:
    return replace(given, properties=(name,), fairness=fairness)


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        pytest.param(asking(ENDING, "job_never_fails(job/import)"), Verdict.HOLDS, marks=pytest.mark.slow),
        (asking(DELETED, "job_never_fails(job/import)"), Verdict.VIOLATED),
        pytest.param(asking(RESTING, "job_settles(job/import)"), Verdict.HOLDS, marks=pytest.mark.slow),
        pytest.param(asking(RESTING, "job_settles(job/import)", "none"), Verdict.VIOLATED, marks=pytest.mark.slow),
        pytest.param(asking(CROWDED, "job_settles(job/import)"), Verdict.VIOLATED, marks=pytest.mark.slow),
    ],
    ids=["ended", "deleted", "resting", "unfair", "crowded"],
)
def test_a_property_of_jobs_has_the_verdict_of_check(given: Scenario, verdict: Verdict, tmp_path: Path) -> None:
    assert properties_in_tla(given).left_out == ()
    assert result_of_module(given, tmp_path).verdict is check(given, symmetry=False).result.verdict is verdict


@pytest.mark.parametrize(
    "scenario", [pytest.param(each, marks=pytest.mark.slow) for each in (SURPLUS, RESTING, UNREACHABLE, QUEUE)]
)
def test_each_step_of_the_machine_has_its_instance_in_the_module(scenario: Scenario, tmp_path: Path) -> None:
    asked = asking(scenario, "comes_to_rest")
    assert by_module(asked, tmp_path) == by_machine(asked)


@pytest.mark.slow
def test_a_missing_instance_is_detected(tmp_path: Path) -> None:
    lost = ("FairJobCluster", "/\\ CreateOfJob(Number, Instance[2])", "/\\ FALSE")
    assert by_module(asking(RESTING, "comes_to_rest"), tmp_path, lost) < by_machine(RESTING)


@pytest.mark.slow
def test_the_number_of_instances_is_that_of_the_module(tmp_path: Path) -> None:
    asked = asking(RESTING, "comes_to_rest")
    export(asked, tmp_path)
    name, fair = module_name(asked), FAIR[system_of(asked).module]
    given = {"module": tmp_path / f"{name}.tla", "config": tmp_path / f"{name}.cfg"}
    assert schedcheck.evaluate(f"Cardinality({fair.prefix}Instances)", **given) == str(instances(asked, fair))


SECOND = Job("other", "default", 1, 1, 0, frozenset({("default", "other-0")}))


def test_the_property_of_a_job_is_about_the_job_that_it_names() -> None:
    two = replace(ENDING, jobs=(*ENDING.jobs, SECOND), properties=("job_never_fails(job/other)",))
    assert "JobNeverFails(2)" in model_module(two, "MC_two")[0]


# What is refused.


def of(**fields: object) -> Callable[[Scenario], Scenario]:
    return lambda scenario: replace(scenario, **fields)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (of(profile="classic"), "the controller jobs together with the profile classic has no module in tla/"),
        (of(rules=(Rule("shutdown", nodes=("n0",)),)), "the event shutdown beside the controller jobs has no module"),
        (of(rules=(Rule("restart", pods=(("default", "import-0"),)),)), "the event restart has no action"),
        (of(jobs=()), "the event crash has no action"),
        (of(jobs=(replace(ENDING.jobs[0], limit=2**31 - 1),)), "a number of job/import"),
    ],
)
def test_what_tla_does_not_model_is_refused_by_name(changed: Callable[[Scenario], Scenario], told: str) -> None:
    with pytest.raises(NotExportable, match=told):
        model_module(changed(ENDING), "MC_job")


def test_the_symmetry_of_jobs_is_refused_by_name() -> None:
    with pytest.raises(NotExportable, match="the symmetry of scenarios with the controller jobs"):
        model_module(ENDING, "MC_job", symmetry=True)
