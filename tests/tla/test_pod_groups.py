"""PodGroups in TLA+: modules of random scenarios have the counts and verdicts of `check`; each broken operator shows

The checker of the language runs the modules here; TLC's own counts of the examples are in tla/manifest.json.
"""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from schedcheck.checker.language.checking.checking import check as check_module
from schedcheck.checker.language.checking.config import configuration
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.standard import MODULES
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.result import Bounds
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import Pod
from schedcheck.tla_export.module import NotExportable, model_module
from tests.support.building import apart, node, pod, preferring, selector, term
from tests.support.gangs import rooms
from tests.support.pod_groups import GROUPED, IN_1_36, group, one_of, scenario_of
from tests.tla.exported import Broken, written
from tests.tla.regenerate import TLA
from tests.tla.test_gangs import Found, alike, of_check

ASKED = ("type_correct", "no_overcommit", "gang_all_or_nothing", "bind_feasible", "no_wait_while_feasible")
PLAIN = ASKED[:-1]
GROUPS, DECISIONS = "KubePodGroups", "KubeGroupDecisions"


def drawn(seed: int) -> Scenario:
    """A few pods, some of them in groups, bound or gated, on one to three small nodes, with some events."""
    random = Random(seed)
    nodes = tuple(node(f"n{place}", random.choice((1, 1, 2, 3))) for place in range(1, random.randint(1, 3) + 1))
    pods: list[Pod] = []
    for number in range(1, random.randint(2, 4) + 1):
        name = random.choice(("blue", "red", "red", "red", "none", ""))
        gated = ("wait",) if random.random() < 0.1 else ()
        bound = random.choice(("", "", "", "", "n1"))
        cpu = random.choice((1, 1, 1, 2))
        pods.append(pod(f"p{number}", cpu, bound, scheduling_group=name, scheduling_gates=() if bound else gated))
    arriving = tuple(each.key for each in pods if not each.node_name and random.random() < 0.4)
    rules = [Rule("arrive", pods=arriving, bound=2)] if arriving else []
    if random.random() < 0.4:
        rules.append(Rule(random.choice(("delete", "complete")), pods=tuple(each.key for each in pods), bound=1))
    return Scenario(
        name="groups",
        pods=tuple(pods),
        nodes=nodes,
        absent=frozenset(arriving),
        rules=tuple(rules),
        profile="kubernetes-1.37",
        plugins=(GROUPED,),
        pod_groups=(group("blue", random.choice((2, None))), group("red", random.choice((1, 2, 3)))),
        properties=ASKED if random.random() < 0.5 else PLAIN,
    )


ENDED = replace(
    scenario_of(2, 2, "red"), pods=(one_of("red", 1, "n1", phase="Succeeded"), one_of("red", 2)), properties=ASKED
)
"""A member that has ended, so that the other one is alone."""

PAIR = replace(scenario_of(2, 2, "red"), properties=ASKED)
"""A gang that fits."""

LARGE = replace(
    PAIR, pods=(one_of("red", 1), one_of("red", 2, cpu=2)), nodes=(node("n1", 2),), pod_groups=(group("red", 1),)
)
"""A group of which either pod is placed, by the order in which they are tried."""

OTHER = replace(PAIR, pod_groups=(group("red", priority=3),))
"""A group of another priority than its pods, whose cycle ends in an error although there is room."""

GATED = replace(PAIR, pods=(*PAIR.pods, one_of("red", 3, scheduling_gates=("wait",))))
"""A gang that is held back by a gated member."""

UNFIT = replace(PAIR, nodes=rooms(1))
"""A gang for which there is too little room."""


def in_1_36(scenario: Scenario) -> Scenario:
    """The scenario in the version before, in which the queue holds pods."""
    return replace(scenario, profile="kubernetes-1.36", plugins=(IN_1_36,))


HOST = "kubernetes.io/hostname"
ALONE = one_of("red", 1, affinity=apart(term(HOST, selector(app="x"))))
CLOSE = replace(PAIR, pods=(ALONE, one_of("red", 2, labels={"app": "x"})), nodes=(node("n1", 2, labels={HOST: "n1"}),))
"""A gang of which one pod avoids the other, on one node."""

BESIDE = replace(
    CLOSE,
    pods=(pod("o", 1, "n1", affinity=apart(term(HOST, selector(app="z")))), *CLOSE.pods),
    nodes=(node("n1", 3, labels={HOST: "n1"}),),
)
"""The same with an older pod on the node that avoids others as well."""

LURED = replace(
    PAIR,
    pods=(
        one_of("red", 1, cpu=0.5, affinity=preferring(100, term(HOST, selector(app="x")))),
        one_of("red", 2, cpu=0.5, labels={"app": "x"}),
    ),
    nodes=tuple(node(f"n{place}", 2, labels={HOST: f"n{place}"}) for place in (1, 2)),
)
"""A gang of which one pod prefers to be near the other."""

OF_1_36 = [in_1_36(each) for each in (OTHER, GATED, CLOSE, BESIDE, LURED)]
CHOSEN = [ENDED, PAIR, LARGE, OTHER, GATED, UNFIT, *OF_1_36]
CASES = [*CHOSEN, *(each for each in map(drawn, range(40)) if any(p.scheduling_group for p in each.pods))]
FEW = 12
"""The number of cases that are tried by default."""


def of_module(scenario: Scenario, folder: Path, broken: Broken | None = None) -> Found:
    """The verdict and the counts of the module of a scenario, in which a text of one module is replaced."""
    written(scenario, folder, broken)
    read = loaded(folder / "MC_groups.tla", (folder, TLA), MODULES)
    model = Model(read.modules, read.root.name, configuration(folder / "MC_groups.cfg"))
    result = check_module(model, Bounds(seconds=120)).result
    assert not result.stopped
    return result.verdict.value, result.distinct, result.generated, result.depth


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "number", [pytest.param(each, marks=[pytest.mark.slow] if each >= FEW else []) for each in range(len(CASES))]
)
def test_a_module_has_the_counts_and_the_verdict_of_check(number: int, tmp_path: Path) -> None:
    assert alike(of_module(CASES[number], tmp_path), of_check(CASES[number]))


def test_both_verdicts_occur() -> None:
    assert {of_check(each)[0] for each in CASES} == {"holds", "violated"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        (GROUPS, "Cardinality(GroupMembers(Group, Snapshot)) < Group.MinCount", "FALSE"),
        (GROUPS, "/\\ ~Completed(Pod)}", "/\\ TRUE}"),
        (GROUPS, "Pod.Spec.Priority = Group.Priority", "TRUE"),
        (GROUPS, "+ Len(Order) < FewestOf(Group)", "+ Len(Order) < 1"),
        (GROUPS, "Tail(Order), Assumed(Pod, Node, Snapshot),", "Tail(Order), Snapshot,"),
        (DECISIONS, "Left |-> Pairs # {}", "Left |-> FALSE"),
        (GROUPS, "i < j => Order[i] # Order[j] /\\ Order[i].Spec.Priority >= Order[j].Spec.Priority}", "(i < j => Order[i].Name # Order[j].Name) /\\ Order[1].Name = \"p1\"}"),
        (DECISIONS, "SchedulingGatesRefusal(Other) = Null", "TRUE"),
        (GROUPS, "~Pod.Terminating /\\ SchedulingGatesRefusal(Pod) = Null}", "~Pod.Terminating}"),
        (DECISIONS, '"members-queued-alone" \\in Departures', "FALSE"),
        (GROUPS, '"members-unalike" \\in Departures', "FALSE"),
        (GROUPS, "IF Averse THEN @ ELSE {}", "@"),
        (GROUPS, "IF Averse THEN @ ELSE {}", "{}"),
        (GROUPS, "Preferred = IF Rated THEN @ ELSE <<>>,\n        !.Spec.Affinity.PodAffinity = IF Rated THEN @ ELSE [Required |-> {}, Preferred |-> <<>>]]", "Preferred = @]"),
        (DECISIONS, "KubeAfter(Decided, Pod, Group) ELSE Group", "KubeAfter(Decided, Pod, Group) ELSE KubeAfter(Decided, Pod, Snapshot)"),
    ],
)  # fmt: skip
def test_a_broken_operator_changes_the_states_of_some_scenario(module: str, old: str, new: str, tmp_path: Path) -> None:
    assert any(
        not alike(found, of_check(case))
        for number, case in enumerate(CHOSEN)
        if (found := tried(case, tmp_path / str(number), (module, old, new))) is not None
    )


def tried(case: Scenario, folder: Path, broken: Broken) -> Found | None:
    """What the broken module finds; None if it ends in an error."""
    folder.mkdir()
    try:
        return of_module(case, folder, broken)
    except Exception:
        return None


@pytest.mark.parametrize(
    ("scenario", "fields", "told"),
    [
        (PAIR, {"scheduler_name": "other"}, "pods of the pod group red differ in schedulerName"),
        (in_1_36(PAIR), {"priority": 1}, "pod red-1 of the pod group red may preempt by itself"),
        (in_1_36(PAIR), {"nominated_node_name": "n1"}, "pod red-1 of the pod group red is nominated"),
    ],
)
def test_what_tla_does_not_model_is_refused_by_name(scenario: Scenario, fields: dict[str, object], told: str) -> None:
    pods = (replace(PAIR.pods[0], **fields), *PAIR.pods[1:])
    with pytest.raises(NotExportable, match=told):
        model_module(replace(scenario, pods=pods), "MC_groups")


def test_pods_that_never_preempt_may_have_several_priorities_in_1_36() -> None:
    pods = tuple(replace(each, priority=place, preemption_policy="Never") for place, each in enumerate(PAIR.pods))
    assert model_module(replace(in_1_36(PAIR), pods=pods), "MC_groups")


def test_plugins_that_judge_no_placement_are_refused_by_name_in_1_37() -> None:
    unjudged = replace(GROUPED, points=GROUPED.points | {"placementFeasible": ()})
    with pytest.raises(NotExportable, match="GangScheduling is not at placementFeasible"):
        model_module(replace(PAIR, plugins=(unjudged,)), "MC_groups")
    assert model_module(in_1_36(PAIR), "MC_groups")


def test_a_group_with_topology_constraints_is_refused_by_name() -> None:
    groups = (group("red", unmodelled="topology constraints"),)
    with pytest.raises(NotExportable, match="topology constraints"):
        model_module(replace(PAIR, nodes=rooms(2), pod_groups=groups), "MC_groups")
