"""Preemption for PodGroups in TLA+: modules of scenarios have the counts and verdicts of `check`; each broken operator shows

The checker of the language runs the modules here; TLC's own counts of three of them are in tla/manifest.json.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.language.syntax.tree import Definition
from schedcheck.checker.result import Verdict
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.device_objects import Devices
from schedcheck.spec.objects import HostPort, SpreadConstraint
from schedcheck.spec.storage import ClaimSource, Volume
from schedcheck.tla_export.module import NotExportable, model_module
from tests.support.building import container, node, pod, selector
from tests.support.claiming import GPU, claim, gpus, using
from tests.support.gangs import rooms
from tests.support.pod_groups import IN_1_36, one_of
from tests.tla.exported import Broken, of_check, of_module, result_of_module
from tests.tla.operators.asking import modules, unlike
from tests.tla.operators.pod_groups import TWINS, settings
from tests.tla.random_groups import CHOSEN, HOST, JUDGING, RED, contended, preempting
from tests.tla.regenerate import TLA

SOON = ("one without a node", "unlike policies")
"""The chosen scenarios that are tried by default."""
RANDOM = range(150)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in SOON else [pytest.mark.slow]) for name in CHOSEN]
)
def test_the_module_of_a_chosen_scenario_has_the_counts_of_check(name: str, tmp_path: Path) -> None:
    assert of_module(CHOSEN[name], tmp_path) == of_check(CHOSEN[name])


def verdicts(scenario: Scenario, folder: Path) -> tuple[object, object]:
    """What the module and `check` say: the verdicts, and the counts where everything was explored."""
    ours, theirs = check(scenario, symmetry=False).result, result_of_module(scenario, folder)
    assert not ours.undecided
    if ours.verdict is Verdict.VIOLATED:
        return theirs.verdict.value, ours.verdict.value
    return (theirs.verdict.value, theirs.distinct, theirs.generated, theirs.depth), (
        "holds", ours.distinct, ours.generated, ours.depth,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("seed", RANDOM)
def test_the_module_of_a_random_scenario_has_the_counts_and_the_verdict_of_check(seed: int, tmp_path: Path) -> None:
    try:
        theirs, ours = verdicts(contended(seed), tmp_path)
    except NotExportable:
        pytest.skip("the scenario is refused by name")
    assert theirs == ours


def exportable(scenario: Scenario) -> bool:
    try:
        model_module(scenario, "MC_groups")
    except NotExportable:
        return False
    return True


def test_no_decision_is_unknown_in_a_scenario_that_is_exported() -> None:
    some = [contended(seed) for seed in range(1000, 1012)]
    assert sum(map(exportable, some)) > len(some) // 2
    assert all(check(each, symmetry=False).result.coverage.get("Unknown", 0) == 0 for each in some if exportable(each))


@pytest.mark.slow
@pytest.mark.parametrize("name", JUDGING)
def test_each_property_has_the_verdict_of_check(name: str, tmp_path: Path) -> None:
    found = set()
    for number, scenario in enumerate(
        ("a budget", "one without a node", "anti-affinity that was skipped", "a large unit")
    ):
        theirs, ours = verdicts(replace(CHOSEN[scenario], properties=(name,)), tmp_path / str(number))
        assert theirs == ours
        found.add(ours if isinstance(ours, str) else "holds")
    assert found


# Broken operators


OPERATORS: dict[str, tuple[str, str, str]] = {
    "members of other priorities are alike": ("KubePodGroups", "/\\ Pod.Spec.Priority = Group.Priority\n", ""),
    "members of other policies are alike": ("KubePodGroups", "/\\ Pod.Spec.PreemptionPolicy = Other.Spec.PreemptionPolicy", "/\\ TRUE"),
    "nominated fellows count with what they request": ("KubePodGroups", "{Popped(Other) : Other \\in Fellows}", "Fellows"),
    "nominated fellows do not count": ("KubePodGroups", "(Others \\ Fellows) \\union {Popped(Other) : Other \\in Fellows}", "Others \\ Fellows"),
    "a nominated fellow keeps its priority": ("KubePodGroups", "    !.Spec.Priority = 0,\n", ""),
    "a pod that found a node keeps its nomination": ("KubePodGroups", "Lost |-> Awaiting({Placed_[i][1] : i \\in DOMAIN Placed_})", "Lost |-> {}"),
    "the next pod does not see the one before": ("KubePodGroups", "Tail(Order), Assumed(Pod, Node, Snapshot)", "Tail(Order), Snapshot"),
    "no group goes as a whole": ("KubeGroupUnits", "IF Group.Together THEN", "IF FALSE THEN"),
    "every group goes as a whole": ("KubeGroupUnits", "IF Group.Together THEN", "IF TRUE THEN"),
    "the priority of a pod counts before its group's": ("KubeGroupUnits", "Priority |-> Group.Priority", "Priority |-> Pod.Spec.Priority"),
    "a pod of a missing group is like any other": ("KubeGroupUnits", 'Grouped |-> Pod.Spec.SchedulingGroup # ""', "Grouped |-> FALSE"),
    "units of equal priority may be evicted": ("KubeGroupUnits", "Unit.Priority < Priority", "Unit.Priority <= Priority"),
    "lower priorities are put back first": ("KubeGroupUnits", "<<-Unit.Priority", "<<Unit.Priority"),
    "pods of groups come last": ("KubeGroupUnits", "IF Unit.Grouped THEN 0 ELSE 1", "IF Unit.Grouped THEN 1 ELSE 0"),
    "smaller units come first": ("KubeGroupUnits", "-Cardinality(Unit.Pods)", "Cardinality(Unit.Pods)"),
    "the latest start counts": ("KubeGroupUnits", "Min({Pod.Status.StartTime", "Max({Pod.Status.StartTime"),
    "equal units come in one order": ("KubeGroupUnits", "Unit \\in First}", "Unit \\in {CHOOSE Unit \\in First : TRUE}}"),
    "violators come last": ("KubeGroupUnits", "Violates(Unit)) \\o SelectSeq(Order, LAMBDA Unit : ~Violates(Unit))", "~Violates(Unit)) \\o SelectSeq(Order, LAMBDA Unit : Violates(Unit))"),
    "a unit is charged only for all of its pods": ("KubeGroupUnits", "Unit.Pods \\intersect Violators # {}", "Unit.Pods \\subseteq Violators"),
    "the pods of a unit are charged in one order": ("KubeGroupUnits", "IF ~Shared THEN", "IF TRUE THEN"),
    "pods that are put back do not count for the spread": ("KubeGroupPreemption", "Counted[Value] + Cardinality(", "Counted[Value] + 0 * Cardinality("),
    "a terminating pod that is put back does not count": ("KubeGroupPreemption", '"terminating-uncounted-twice" \\in Departures', "FALSE"),
    "a plugin that was skipped looks at what is put back": ("KubeGroupPreemption", 'Stale == "skipped-sees-no-nominated" \\in Departures', "Stale == FALSE"),
    "a plugin that was skipped stays skipped": ("KubeGroupPreemption", 'Stale == "skipped-sees-no-nominated" \\in Departures', "Stale == TRUE"),
    "nominated pods are not seen again": ("KubeGroupPreemption", "/\\ More # {} => ResumedRefusals", "/\\ FALSE => ResumedRefusals"),
    "a pod does not see those before it again": ("KubeGroupPreemption", "Tail(Placed_), Empty, Assumed(Pod, Node, Before), Back", "Tail(Placed_), Empty, Before, Back"),
    "only the first pod is tried again": ("KubeGroupPreemption", "/\\ AllStillFit(Tail(Placed_)", "/\\ TRUE \\/ AllStillFit(Tail(Placed_)"),
    "what was spared before is forgotten": ("KubeGroupPreemption", "PodsOfUnits(More))\n", "Head(Order).Pods)\n"),
    "nothing is spared": ("KubeGroupPreemption", "IF Fits THEN More ELSE SoFar", "SoFar"),
    "all are evicted that may be": ("KubeGroupPreemption", "PodsOfUnits(Lower \\ Spared_(Order))", "PodsOfUnits(Lower)"),
    "the policy Never preempts": ("KubeGroupPreemption", 'PreemptionPolicy # "Never"', 'PreemptionPolicy # "Always"'),
    "a group preempts nothing": ("KubeGroupPreemption", "/\\ Lower # {}", "/\\ TRUE"),
    "a victim that terminates is not awaited": ("KubeGroupPreemption", "Other.Terminating /\\ Other.Status.Preempted", "FALSE"),
    "a pod that terminates by itself is awaited": ("KubeGroupPreemption", "Other.Terminating /\\ Other.Status.Preempted", "Other.Terminating"),
    "victims on other nodes are awaited": ("KubeGroupPreemption", " /\\ Other.Spec.NodeName = Pod.Status.NominatedNodeName", ""),
    "an error keeps nominations": ("KubeGroupPreemption", "THEN {GroupWaits(Awaiting(Some))}", "THEN {GroupWaits({})}"),
    "nominations are lost while victims terminate": ("KubeGroupPreemption", "AwaitsVictims(Pod, Lower) THEN {GroupWaits({})}", "AwaitsVictims(Pod, Lower) THEN {GroupWaits(Awaiting(Some))}"),
    "a group that fits preempts": ("KubeGroupPreemption", "IF Failing = {} \\/ ~GroupMayPreempt", "IF ~GroupMayPreempt"),
    "no other pod loses its nomination": ("KubeGroupDecisions", "IF Loses THEN Ending.Lost \\ {Pod} ELSE {}", "{}"),
    "a pod keeps its nomination": ("KubeGroupDecisions", "Unnominated |-> Loses", "Unnominated |-> FALSE"),
    "a bound pod stays nominated": ("KubeGroupDecisions", '[Object EXCEPT !.Spec.NodeName = Place(Object), !.Status.NominatedNodeName = ""]', "[Object EXCEPT !.Spec.NodeName = Place(Object)]"),
    "only the asked pod is nominated": ("KubeGroupDecisions", "[] OTHER -> [Object EXCEPT !.Status.NominatedNodeName = Place(Object)]", "[] OTHER -> IF Object = Pod THEN [Object EXCEPT !.Status.NominatedNodeName = Place(Object)] ELSE Object"),
    "the others of a group do not wait for its victims": ("KubeGroupDecisions", "IF Decided.Placed = {} THEN {Pod} ELSE", "IF TRUE THEN {Pod} ELSE"),
}  # fmt: skip
"""A module, a text of it and what stands instead, for each meaning that is broken."""


MANY = 400
"""The number of clusters by which a broken operator must show."""


@pytest.mark.slow
@pytest.mark.parametrize("claim", OPERATORS)
def test_a_broken_operator_differs_from_its_twin(claim: str) -> None:
    assert shown(claim, MANY)


def shown(claim: str, many: int) -> str:
    """The operator and the cluster that show what is broken; empty if none does."""
    module, old, new = OPERATORS[claim]
    text = (TLA / f"{module}.tla").read_text(encoding="utf-8")
    assert text.count(old) == 1
    own = {unit.name for unit in modules()[module].units if isinstance(unit, Definition)}
    twins = sorted(TWINS, key=lambda twin: twin.operator not in own)
    for setting in settings(range(many)):
        for found in unlike(twins, setting, {}, {module: text.replace(old, new)}):
            return f"{found.operator}, {found.setting}"
    return ""


STEPS: dict[str, tuple[Broken, str]] = {
    "a pod is asked while its victims are evicted": (("KubePodGroupCluster", "/\\ Identity(Pod) \\notin {Pair[1] : Pair \\in ToEvict}", "/\\ TRUE"), "one without a node"),
    "victims are not evicted": (("KubePodGroupCluster", "EvictVictim(Pod) \\/ ", ""), "one without a node"),
    "no victim is due": (("KubePodGroupCluster", "Victim \\in Decided.Victims}", "Victim \\in {}}"), "one without a node"),
    "a victim that is deleted stays due": (("KubePodGroupCluster", "  \\/ /\\ ByItself\n     /\\ ToEvict' = DueEvictions(ToEvict, Objects')", "  \\/ /\\ ByItself\n     /\\ UNCHANGED ToEvict"), "victims that complete"),
}  # fmt: skip
"""A text of the system and what stands instead, and the chosen scenario that shows it."""


@pytest.mark.slow
@pytest.mark.parametrize("claim", STEPS)
def test_a_broken_step_changes_the_counts(claim: str, tmp_path: Path) -> None:
    broken, name = STEPS[claim]
    assert of_module(CHOSEN[name], tmp_path, broken) != of_check(CHOSEN[name])


QUESTIONS: dict[str, tuple[Broken, str, str]] = {
    "a group may fit before it evicts": (("KubeGroupDecisions", "ELSE \\A Group \\in PodGroupsOf(Pod) : ~CanBePlaced(Group, Objects)", "ELSE FALSE"), "no_eviction_while_feasible", "one without a node"),
    "victims make no room": (("KubeGroupDecisions", "OneAfterTheOther(Decided.Placed, Objects \\ Decided.Victims)", "OneAfterTheOther(Decided.Placed, Objects)"), "victims_make_room", "one without a node"),
    "a victim is not needed": (("KubeGroupDecisions", "Objects \\ (Decided.Victims \\ Kept)", "Objects \\ Decided.Victims"), "victims_needed", "one without a node"),
    "pods of a unit are needed one by one": (("KubeGroupDecisions", "{UnitOf(Victim, Objects).Pods : Victim \\in Decided.Victims}", "{{Victim} : Victim \\in Decided.Victims}"), "victims_needed", "a large unit"),
    "no decision is asked": (("KubePodGroupCluster", "Decided.Kind \\in Kinds => Keeps(Pod, Decided)", "TRUE"), "no_eviction", "one without a node"),
}  # fmt: skip
"""The same of what is asked of decisions: the property, and the chosen scenario that shows it."""


@pytest.mark.slow
@pytest.mark.parametrize("claim", QUESTIONS)
def test_a_broken_question_has_another_verdict(claim: str, tmp_path: Path) -> None:
    broken, name, scenario = QUESTIONS[claim]
    asked = replace(CHOSEN[scenario], properties=(name,))
    sound, other = (result_of_module(asked, tmp_path / str(each), each) for each in (None, broken))
    assert sound.verdict is not other.verdict


MEMBER_OF_1_36 = replace(
    preempting(pod("v", 1, "n1"), red=tuple(replace(each, preemption_policy="Never", priority=1) for each in RED)),
    profile="kubernetes-1.36",
    plugins=(IN_1_36,),
)
"""A group of 1.36 above a pod; its pods never preempt, and it does not by its priority either."""


@pytest.mark.slow
def test_a_group_of_1_36_does_not_preempt_as_a_whole(tmp_path: Path) -> None:
    broken = ("KubeGroupPreemption", '  /\\ "members-preempt" \\notin Departures\n', "")
    found = [
        replace(MEMBER_OF_1_36, pods=pods)
        for pods in (
            MEMBER_OF_1_36.pods,
            tuple(replace(each, priority=0, preemption_policy="PreemptLowerPriority") for each in MEMBER_OF_1_36.pods),
        )
    ]
    assert [of_module(each, tmp_path / str(at)) == of_check(each) for at, each in enumerate(found)] == [True, True]
    assert of_module(found[1], tmp_path / "broken", broken) != of_check(found[1])


# Refusals


FAILING = (Rule("fail", nodes=("n1",), bound=1),)
PORT = (replace(container(), ports=(HostPort(80),)),)
ZONED = tuple(node(f"n{place}", 1, labels={HOST: f"n{place}"}) for place in (1, 2, 3))
SPREAD = tuple(replace(each, spread=(SpreadConstraint(1, HOST, True, selector(app="x")),)) for each in RED)
LOW = pod("v", 1, "n1")
MOUNTED = (Volume("v", ClaimSource("c")),)
DEVICES = Devices((gpus(1, "n1"),), (GPU,), (claim(),))


@pytest.mark.parametrize(
    ("scenario", "told"),
    [
        (preempting(LOW, rules=FAILING), "may preempt pods on a node that does not exist"),
        (preempting(pod("v", 1, "gone")), "may preempt pods on a node that does not exist"),
        (preempting(LOW, *(pod(name, on="n1", containers=PORT) for name in "ab")), "use the same host port"),
        (preempting(*(pod(f"v{each}", 0.1, "n1") for each in range(7))), "in more than 5,000 orders"),
        (preempting(LOW, nodes=ZONED, red=SPREAD), "of several of three or more domains, kubernetes.io/hostname"),
        (preempting(one_of("low", 1, "n1"), pod("h", 1, priority=2)), "pod h may preempt pods of pod groups"),
        (preempting(red=(replace(RED[0], nominated_node_name="n1"),), nodes=rooms(1), rules=FAILING), "every node may fail"),
        (replace(preempting(LOW), profile="kubernetes-1.36", plugins=(IN_1_36,)), "may preempt by itself"),
        (preempting(red=(replace(RED[0], volumes=MOUNTED), RED[1])), "pod red-1 has volumes"),
        (preempting(red=(replace(RED[0], resource_claims=using("c")), RED[1]), devices=DEVICES), "resource claims beside gangs"),
        (preempting(replace(LOW, resource_claims=using("c")), devices=DEVICES), "resource claims beside gangs"),
    ],
)  # fmt: skip
def test_a_scenario_in_which_a_decision_may_be_unknown_is_refused_by_name(scenario: Scenario, told: str) -> None:
    with pytest.raises(NotExportable, match=told):
        model_module(scenario, "MC_groups")


@pytest.mark.parametrize(
    "scenario",
    [
        preempting(pod("v", 1, "n1", priority=5), rules=FAILING),
        preempting(LOW, *(pod(name, on=on, containers=PORT) for name, on in (("a", "n1"), ("b", "n2")))),
        preempting(*(pod(f"v{each}", 0.1, "n1", priority=each % 2) for each in range(8))),
        preempting(LOW, nodes=ZONED[:2], red=SPREAD),
        preempting(one_of("low", 1, "n1"), pod("h", 1, priority=2, preemption_policy="Never")),
        preempting(LOW, red=tuple(replace(each, preemption_policy="Never") for each in RED), rules=FAILING),
        preempting(pod("h", 1, priority=5), LOW, least=1),
        replace(preempting(LOW, pod("h", 1, priority=9)), profile="kubernetes-1.36", plugins=(IN_1_36,), pods=(
            pod("h", 1, priority=9), *(replace(each, priority=0) for each in RED), LOW)),
    ],
)  # fmt: skip
def test_a_scenario_at_the_limit_of_what_is_known_is_exported(scenario: Scenario) -> None:
    assert model_module(scenario, "MC_groups")
