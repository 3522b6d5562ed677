"""Properties of behaviours in an exported module have the verdicts of `check`; with less fairness they are violated

The checker of the language judges the modules. TLC judges them in `tests.tla.temporal_parity` (`make answers`).
"""

from dataclasses import replace
from pathlib import Path

import pytest

import schedcheck
from schedcheck.checker.check import check as checked
from schedcheck.checker.language.checking.module_search import ModuleSearch
from schedcheck.checker.properties.behaviours import FAIRNESS
from schedcheck.manifests import read
from schedcheck.manifests import scenario as read_scenario
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import SpreadConstraint
from schedcheck.spec.terms import LabelSelector, Requirement
from schedcheck.tla_export.export import export, module_name
from schedcheck.tla_export.properties import properties_in_tla
from schedcheck.tla_export.systems import system_of
from schedcheck.tla_export.temporal import FAIR, instances
from tests.support.building import node, on_nodes, on_pods, pod, scenario
from tests.support.shut_down import drawn
from tests.tla.exported import Broken, written
from tests.tla.labelled_steps import by_machine, by_module
from tests.tla.random_clusters import controlled, random_classic, random_cluster
from tests.tla.random_scenarios import random_scenario
from tests.tla.test_verdicts import identifier, said

DRAWN = {
    "published": random_scenario,
    "kubernetes": random_cluster,
    "classic": random_classic,
    "controlled": controlled,
}
DRAWN["shutdown"] = drawn
SOON = {"published": (5,), "kubernetes": (3,), "classic": (7,), "controlled": (0,), "shutdown": (5,)}
LATE = {name: [seed for seed in range(14) if seed not in SOON[name]] for name in DRAWN}
CASES = [pytest.param(name, seed) for name, seeds in SOON.items() for seed in seeds]
CASES += [pytest.param(name, seed, marks=pytest.mark.slow) for name, seeds in LATE.items() for seed in seeds]


EXAMPLES = Path(__file__).parents[2] / "examples"
OFTEN = ("descheduler-packing", "karpenter-limit-kept")
SELDOM = (
    "descheduler-duplicates",
    "descheduler-levelling",
    "descheduler-spread",
    "maintenance-balanced",
    "karpenter-limit",
    "karpenter-zone-kept",
    "karpenter-oscillate",
    "karpenter-zones-at-once",
    "node-pools-oscillate",
)


def example(name: str) -> Scenario:
    made = replace(read_scenario(read([EXAMPLES / name]), frozenset()), constraints=(), properties=("comes_to_rest",))
    assert properties_in_tla(made).left_out == ()
    return made


@pytest.mark.parametrize("name", [*OFTEN, *(pytest.param(each, marks=pytest.mark.slow) for each in SELDOM)])
def test_each_step_of_an_example_with_an_autoscaler_or_a_descheduler_has_its_instance(
    name: str, tmp_path: Path
) -> None:
    assert by_module(example(name), tmp_path) == by_machine(example(name))


def in_teams(*operators: tuple[str, tuple[str, ...]]) -> Scenario:
    """An example whose NodePool requires something of the label team, by which its pods are spread."""
    made = example("karpenter-limit")
    assert made.karpenter is not None
    (pool,) = made.karpenter.pools
    teams = replace(pool, requirements=(*pool.requirements, *(Requirement("team", *each) for each in operators)))
    spread = (SpreadConstraint(1, "team", selector=LabelSelector(made.pods[0].labels)),)
    pods = tuple(replace(each, spread=spread) for each in made.pods[:2])
    return replace(made, pods=pods, karpenter=replace(made.karpenter, pools=(teams,)))


@pytest.mark.slow
def test_nodes_that_differ_in_an_open_label_have_instances_of_their_own(tmp_path: Path) -> None:
    made = in_teams(("In", ("u", "v")))
    assert by_module(made, tmp_path / "sound") == by_machine(made)
    broken = ("FairProvisionedCluster", "More \\in OpenChoices(Pool, Type)}", "More \\in {{}}}")
    assert by_module(made, tmp_path / "broken", broken) < by_machine(made)


def test_a_label_without_listed_values_is_refused_by_name() -> None:
    ((name, why),) = properties_in_tla(in_teams(("Exists", ()))).left_out
    told = "the label team of nodes of the NodePool general may have any value that a pod asks for"
    assert (name, why) == ("comes_to_rest", told)


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_each_step_of_the_machine_has_its_instance_in_the_module(name: str, seed: int, tmp_path: Path) -> None:
    scene = replace(DRAWN[name](seed), constraints=(), properties=("comes_to_rest",))
    assert properties_in_tla(scene).left_out == ()
    assert by_module(scene, tmp_path) == by_machine(scene)


ALTERNATING = scenario(
    pod("db", 1), pod("web", 1), node("m", 1), node("n", 1), absent="db",
    rules=[on_nodes("fail", "m"), on_nodes("return", "m"), on_nodes("fail", "n"), on_nodes("return", "n"), on_pods("arrive", "db", 1)],
)  # fmt: skip
"""A pod whose feasible node fails and returns; another that the environment may send at any time."""

EVICTED = scenario(
    pod("low", 1, on="n", owner=("ReplicaSet", "low")), pod("high", 1, priority=9), node("n", 1), absent="high",
    rules=[on_pods("arrive", "high", 1), on_pods("complete", "high")], controllers=frozenset({"owners", "kubelet"}),
)  # fmt: skip
"""A pod that is evicted for another, and created again."""

EMPTIED = scenario(pod("web", 1), node("n", 1), absent="web", rules=[on_pods("arrive", "web")])
"""A pod that need not arrive."""

QUESTIONS = (
    "eventually_bound({})",
    "bound_once_feasible({})",
    "never_starves({})",
    "comes_to_rest",
    "preemption_ends",
    "evictions_end",
    "all_pods_eventually_bound",
    "replicas_reached(!app, 1)",
    "skew_restored(!app, kubernetes.io/hostname, 1)",
)


def exported_verdict(scene: Scenario, folder: Path, broken: Broken | None = None) -> set[str]:
    """The properties that our own checker finds violated, by their names in the module."""
    written(scene, folder, broken)
    return set(said("MC_test", folder, ModuleSearch(proceed=True))[1])


def by_check(scene: Scenario) -> set[str]:
    result = checked(scene, symmetry=False).result
    return {identifier(each.property.name) for each in result.violations}


def asking(scene: Scenario, fairness: str = "weak", profile: str = "corrected") -> Scenario:
    asked = [each.format(pod) for pod in scene.pods for each in QUESTIONS]
    return replace(scene, profile=profile, fairness=fairness, properties=tuple(dict.fromkeys(asked)))


LONG = [pytest.param(each, marks=pytest.mark.slow) for each in ("kubernetes", "classic")]


@pytest.mark.parametrize("fairness", sorted(FAIRNESS))
@pytest.mark.parametrize("scene", [ALTERNATING, EVICTED], ids=["alternating", "evicted"])
@pytest.mark.parametrize("profile", ["corrected", *LONG])
def test_each_property_of_behaviours_has_the_verdict_of_check(
    scene: Scenario, profile: str, fairness: str, tmp_path: Path
) -> None:
    given = asking(scene, fairness, profile)
    assert properties_in_tla(given).left_out == ()
    assert exported_verdict(given, tmp_path) == by_check(given)


def test_fairness_decides_some_verdicts() -> None:
    for scene, kept in ((ALTERNATING, "never_starves_web"), (EVICTED, "replicas_reached_app_1")):
        weaker = [by_check(asking(scene, each)) for each in ("none", "weak", "strong")]
        assert weaker[0] > weaker[2] and kept in weaker[0] - weaker[2]


BROKEN: dict[str, tuple[Scenario, Broken]] = {
    "no instance is fair": (EMPTIED, ("MC_test", "\\A Instance \\in FairInstances : WF_FairVariables(FairTaken(Instance))", "TRUE")),
    "no binding has an instance": (EMPTIED, ("Instances", 'Made("Bind", Pod, {{}})', "{}")),
    "no controller's step has an instance": (EVICTED, ("Instances", "OfObjects(StepsOfPods, KeysOf(Pods(Catalogue)))", "{}")),
    "events are instances": (ALTERNATING, ("MC_test", "<>[][\\E Instance \\in FairInstances : FairTaken(Instance)]_FairVariables", "TRUE")),
    "a pod waits that has a node": (EMPTIED, ("Instances", 'Pod.Spec.NodeName = "" /\\ ~Completed(Pod)}', "TRUE}")),
    "it suffices that all present pods are bound": (EMPTIED, ("Instances", "  /\\ Pods(Objects) # {}\n", "")),
}  # fmt: skip
"""Changes of what a property of behaviours assumes or says, with a scenario in which each changes a verdict."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("claim", sorted(BROKEN))
def test_a_broken_assumption_changes_a_verdict(claim: str, tmp_path: Path) -> None:
    scene, broken = BROKEN[claim]
    given = asking(scene)
    assert exported_verdict(given, tmp_path / "sound") == by_check(given)
    assert exported_verdict(given, tmp_path / "broken", broken) != by_check(given)


MISSING: dict[str, Broken] = {
    "published": ("Instances", 'Made("Bind", Pod, {{}})', "{}"),
    "shutdown": ("FairShutdownCluster", '"Expire", "PowerOff"}', '"Expire"}'),
}
"""An instance that is lost, for a scenario in which it is taken."""


@pytest.mark.parametrize("name", ["published", "shutdown"])
def test_a_missing_instance_is_detected(name: str, tmp_path: Path) -> None:
    scene = replace(DRAWN[name](SOON[name][0]), constraints=(), properties=("comes_to_rest",))
    assert by_module(scene, tmp_path, MISSING[name]) < by_machine(scene)


LOST = {
    "descheduler-packing": ("FairDescheduledCluster", '{"EvictDescheduled", "PassOver"}', '{"PassOver"}'),
    "karpenter-limit-kept": ("FairProvisionedCluster", '{"Initialize", "TerminateNode"}', '{"TerminateNode"}'),
}
"""The same for examples."""


@pytest.mark.parametrize("name", ["descheduler-packing", pytest.param("karpenter-limit-kept", marks=pytest.mark.slow)])
def test_an_instance_that_is_lost_in_an_example_is_detected(name: str, tmp_path: Path) -> None:
    assert by_module(example(name), tmp_path, LOST[name]) < by_machine(example(name))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["descheduler-duplicates", "descheduler-duplicates-kept", "karpenter-limit-kept", "karpenter-oscillate"]
)
def test_an_example_comes_to_rest_in_the_module_as_in_check(name: str, tmp_path: Path) -> None:
    assert exported_verdict(example(name), tmp_path) == by_check(example(name))


@pytest.mark.parametrize(
    ("scene", "why"),
    [
        (replace(EVICTED, pods=tuple(pod(f"p{each}", priority=each) for each in range(12))), "more than 1000"),
        (replace(EVICTED, fairness="strong", pods=tuple(map(pod, "abcdefghij"))), "at most 16"),
    ],
)
def test_too_many_instances_are_refused_by_name(scene: Scenario, why: str) -> None:
    ((name, said_so),) = properties_in_tla(replace(scene, properties=("comes_to_rest",))).left_out
    assert name == "comes_to_rest" and why in said_so


@pytest.mark.parametrize(
    "scene",
    [
        replace(EVICTED, properties=("comes_to_rest",)),
        example("descheduler-packing"),
        example("karpenter-zone-kept"),
        in_teams(("In", ("u", "v"))),
    ],
    ids=["evicted", "descheduler", "karpenter", "open label"],
)
def test_the_number_of_instances_is_that_of_the_module(scene: Scenario, tmp_path: Path) -> None:
    export(scene, tmp_path)
    name, fair = module_name(scene), FAIR[system_of(scene).module]
    given = {"module": tmp_path / f"{name}.tla", "config": tmp_path / f"{name}.cfg"}
    counted = schedcheck.evaluate(f"Cardinality({fair.prefix}Instances)", **given)
    assert counted == str(instances(scene, fair))
