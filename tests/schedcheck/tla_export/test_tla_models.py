"""Scenarios of kube-scheduler, of the classic scheduler, or with controllers that cannot be exported, by name"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.classic.policy import DEFAULT
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import (
    Container,
    Node,
    NodeImage,
    Pod,
    PodDisruptionBudget,
    SpreadConstraint,
    Taint,
    Toleration,
)
from schedcheck.spec.terms import Affinity, NodeSelectorTerm, PreferredNodeTerm, Requirement
from schedcheck.tla_export.module import NotExportable, model_module

GIBI = 2**30
NODE = Node("n", allocatable=frozendict(cpu=4000, memory=4 * GIBI, pods=10))
POD = Pod("a", containers=(Container(frozendict(cpu=10**9)),))
KUBE = Scenario("s", (POD,), (NODE,), profile="kubernetes")
CLASSIC = replace(KUBE, profile="classic")
PREFERRED = PreferredNodeTerm(1, NodeSelectorTerm((Requirement("a", "Exists"),)))
SOFT = SpreadConstraint(1, "zone", required=False)


def running(**points: tuple[str, ...]) -> Plugins:
    return replace(DEFAULT_PLUGINS, points=frozendict({**DEFAULT_PLUGINS.points, **points}))


def balancing(*names: str) -> Plugins:
    return replace(DEFAULT_PLUGINS, arguments=replace(DEFAULT_PLUGINS.arguments, balanced=names))


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (
            replace(KUBE, plugins=(DEFAULT_PLUGINS, replace(DEFAULT_PLUGINS, scheduler_name="other"))),
            "the profiles default-scheduler, other run side by side, and tla/ has one scheduler",
        ),
        (
            replace(KUBE, plugins=(running(filter=("NodeName", "Pairs")),)),
            "the plugin Pairs is not kube-scheduler's, and has no module in tla/",
        ),
        (
            replace(KUBE, plugins=(balancing("cpu", "memory", "pods"),)),
            "balances cpu, memory, pods: tla/ knows at most two",
        ),
        (
            replace(KUBE, nodes=(replace(NODE, allocatable=frozendict(cpu=8001, memory=4 * GIBI + 2**20, pods=1)),)),
            "a hundred times cpu by memory of node n would reach",
        ),
        (
            replace(KUBE, pods=(replace(POD, spread=(SOFT, SOFT, SOFT)),)),
            "pod a is spread by 3 constraints among 1 pods on 1 nodes: rounding is sure for 2, 40 and 10",
        ),
        (
            replace(KUBE, pods=(replace(POD, spread=(replace(SOFT, max_skew=2000),)),)),
            "the spreading of pod a in millionths would reach",
        ),
        (
            replace(
                KUBE,
                pods=(replace(POD, containers=(Container(image="big"),)),),
                nodes=(replace(NODE, images=(NodeImage(("big:latest",), 1_000_001),)),),
            ),
            "the sizes of images in units of 1 bytes would reach",
        ),
        (
            replace(CLASSIC, pods=(replace(POD, annotated_affinity=Affinity(node_preferred=(PREFERRED,))),)),
            "pod a has its affinity in an annotation, which no module of tla/ knows",
        ),
        (
            replace(CLASSIC, pods=tuple(replace(POD, name=f"a{number}") for number in range(21))),
            "21 pods, more than the 20 for which SelectorSpreadPriority is exact",
        ),
        (
            replace(CLASSIC, policy=replace(DEFAULT, predicates=("HostName",))),
            "the Policy names other predicates and priorities than the default ones",
        ),
        (
            replace(
                KUBE, profile="article", faults=frozenset({"exact-toleration"}), controllers=frozenset({"lifecycle"})
            ),
            "the controller lifecycle together with faults of the printed model has no module in tla/",
        ),
        (
            replace(
                KUBE,
                profile="article",
                faults=frozenset({"exits-misspelt"}),
                budgets=(PodDisruptionBudget("b"),),
                rules=(Rule("evict", pods=(("default", "a"),)),),
            ),
            "the event evict together with faults of the printed model has no action in tla/",
        ),
    ],
)
def test_a_scenario_that_cannot_be_exported_is_refused_by_name(made: Scenario, reason: str) -> None:
    with pytest.raises(NotExportable, match=reason):
        model_module(made, "MC_s")


def test_each_profile_has_its_own_tla_modules() -> None:
    systems = {
        "corrected": "Cluster, Deciding",
        "kubernetes": "KubeCluster, KubeDeciding",
        "classic": "ClassicCluster, EarlyDeciding",
    }
    for profile, system in systems.items():
        text, configuration = model_module(replace(KUBE, profile=profile), "MC_s")
        assert f"\nEXTENDS {system}, TLC\n" in text
        created = "NewlyArrived" if profile == "corrected" else "KubeNewlyArrived"
        assert f"\n  Created <- {created}\n" in configuration


def test_no_overcommit_is_the_default_invariant_of_a_profile_without_faults() -> None:
    for made, asked in (
        (KUBE, True),
        (replace(KUBE, properties=("no_overcommit",)), True),
        (replace(KUBE, properties=("never_moved",)), False),
        (replace(KUBE, profile="article", faults=frozenset({"bound-pods-ignored"})), False),
    ):
        assert ("INVARIANT NoOvercommit" in model_module(made, "MC_s")[1]) is asked


def test_tolerations_of_the_node_lifecycle_taints_are_kept() -> None:
    bears = Toleration("node.kubernetes.io/not-ready", "Exists", "", "NoExecute", 300)
    made = replace(KUBE, pods=(replace(POD, tolerations=(bears,)),))
    assert "not-ready" not in model_module(made, "MC_s")[0]
    text, _ = model_module(replace(made, controllers=frozenset({"lifecycle"})), "MC_s")
    assert "Forever |-> FALSE" in text
    tainted = replace(made, nodes=(replace(NODE, taints=(Taint(bears.key, "NoExecute"),)),))
    assert "Forever |-> FALSE" in model_module(tainted, "MC_s")[0]
