"""Two configurations on one cluster: known answers, random clusters judged by the specification, broken comparisons"""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from frozendict import frozendict

import schedcheck
from schedcheck.api import compare as comparing
from schedcheck.api.because import Because
from schedcheck.api.compare import Comparison
from schedcheck.checker.divergences.comparing import FILTERING, SCORING
from schedcheck.checker.divergences.domain import cases
from schedcheck.checker.limits.timer import LimitReached
from schedcheck.manifests.configuration import configuration
from schedcheck.spec.device_objects import PodClaim
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import Pod, Taint
from schedcheck.spec.profiles import by_scheduler_name
from schedcheck.spec.terms import Affinity, NodeSelectorTerm, PreferredNodeTerm, Requirement
from tests.support.building import node, pod

HEAD = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
MOST = {"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}]}}}  # fmt: skip
DEDICATED = Taint("dedicated", "NoSchedule")


def without(*names: str) -> dict[str, Any]:
    return {"plugins": {"multiPoint": {"disabled": [{"name": name} for name in names]}}}


def weighing(name: str, weight: int) -> dict[str, Any]:
    return {"plugins": {"score": {"disabled": [{"name": name}], "enabled": [{"name": name, "weight": weight}]}}}


def file(folder: Path, name: str, *profiles: dict[str, Any], **fields: Any) -> schedcheck.Profile:
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump({**HEAD, "profiles": list(profiles), **fields}))
    return schedcheck.kubernetes(config=path)


def compared(
    second: schedcheck.Profile | str, *things: Any, first: schedcheck.Profile | str = "kubernetes"
) -> Comparison:
    pods = tuple(sorted((each for each in things if isinstance(each, Pod)), key=lambda each: each.key))
    nodes = tuple(each for each in things if not isinstance(each, Pod))
    return schedcheck.compare(schedcheck.Cluster(pods=pods, nodes=nodes), first, second)


def texts(found: Comparison) -> tuple[list[str], list[str], Because]:
    (one,) = found.differences
    first, second = ([str(each) for each in side.decisions] for side in (one.first, one.second))
    return first, second, one.because


def test_a_disabled_filter_is_named_with_the_node_that_it_refuses_no_more(tmp_path: Path) -> None:
    found = compared(file(tmp_path, "b", without("TaintToleration")), pod("p", 1), node("a", 2, taints=(DEDICATED,)))
    assert texts(found) == (["Wait(p)"], ["Bind(p, a)"], Because("filter", "TaintToleration", ("a",)))
    assert found.exit_code == 1


def test_a_filter_that_changes_no_verdict_is_no_difference(tmp_path: Path) -> None:
    found = compared(file(tmp_path, "b", without("TaintToleration")), pod("p", 1), node("a", 2))
    assert ([str(each) for _, made in found.same for each in made], found.exit_code) == (["Bind(p, a)"], 0)


def test_the_first_score_that_differs_is_named(tmp_path: Path) -> None:
    busy = pod("busy", 2, on="a", phase="Running")
    found = compared(file(tmp_path, "b", {"pluginConfig": [MOST]}), busy, pod("p", 1), node("a", 4), node("b", 4))
    assert texts(found) == (["Bind(p, b)"], ["Bind(p, a)"], Because("score", "NodeResourcesFit", ("a", "b")))


def test_ties_are_compared_and_not_one_choice_of_them(tmp_path: Path) -> None:
    found = compared(file(tmp_path, "b", {"pluginConfig": [MOST]}), pod("p", 1), node("a", 4), node("b", 4))
    assert found.differences == ()
    wanting = Affinity(node_preferred=(PreferredNodeTerm(1, NodeSelectorTerm((Requirement("disk", "Exists"),))),))
    nodes = node("a", 4, labels=frozendict(disk="ssd")), node("b", 4)
    given = pod("p", 1, affinity=wanting)
    found = compared(file(tmp_path, "c", without("NodeAffinity")), given, *nodes)
    assert texts(found)[:2] == (["Bind(p, a)"], ["Bind(p, a)", "Bind(p, b)"])


def test_a_weight_alone_may_make_the_difference(tmp_path: Path) -> None:
    wanting = Affinity(node_preferred=(PreferredNodeTerm(1, NodeSelectorTerm((Requirement("disk", "Exists"),))),))
    nodes = node("a", 2, labels=frozendict(disk="ssd")), node("b", 20)
    low, high = (
        file(tmp_path, "low", weighing("NodeResourcesFit", 1)),
        file(tmp_path, "high", weighing("NodeResourcesFit", 100)),
    )
    found = compared(high, pod("p", 1, affinity=wanting), *nodes, first=low)
    assert texts(found) == (["Bind(p, a)"], ["Bind(p, b)"], Because("score", "NodeResourcesFit", ("a", "b")))


def test_a_scheduler_name_that_only_one_knows_is_a_difference(tmp_path: Path) -> None:
    found = compared(file(tmp_path, "b", {"schedulerName": "other"}), pod("p", 1), node("a", 2))
    first, second, because = texts(found)
    assert (first, second, because.stage) == (["Bind(p, a)"], [], "seen")
    assert found.differences[0].second.unseen == "waiting for the scheduler default-scheduler"


def test_preemption_that_is_disabled_is_the_difference(tmp_path: Path) -> None:
    low = pod("low", 2, on="a", priority=0, phase="Running")
    found = compared(file(tmp_path, "b", without("DefaultPreemption")), low, pod("p", 2, priority=9), node("a", 2))
    assert texts(found) == (["Nominate(p, a, {low})"], ["Wait(p)"], Because("preemption", "", ()))


def test_the_early_scheduler_and_kube_scheduler_are_compared_by_their_decisions() -> None:
    assert compared("classic", pod("p", 1), node("a", 2)).exit_code == 0
    found = compared(
        "classic", pod("p", 1), node("a", 2, conditions=frozendict(MemoryPressure="True", OutOfDisk="True"))
    )
    first, second, because = texts(found)
    assert (first, second, because.stage, because.nodes) == (["Bind(p, a)"], ["Wait(p)"], "filter", ("a",))


def test_what_is_not_modelled_is_unknown(tmp_path: Path) -> None:
    found = compared(
        file(tmp_path, "b", without("ImageLocality")), pod("p", 1, resource_claims=(PodClaim("gpu"),)), node("a", 2)
    )
    assert ([str(each) for each, _ in found.unknown], found.exit_code) == (["p"], 2)
    url = {"urlPrefix": "http://localhost:1", "filterVerb": "filter"}
    assert compared(file(tmp_path, "c", {}, extenders=[url]), pod("p", 1), node("a", 2)).exit_code == 2


def test_equal_decisions_are_unknown_if_the_two_stop_after_different_numbers_of_nodes(tmp_path: Path) -> None:
    nodes = [node(f"n{number:03}", 4) for number in range(120)]
    some = file(tmp_path, "some", {"percentageOfNodesToScore": 90})
    every = file(tmp_path, "all", {"percentageOfNodesToScore": 100})
    found = compared(some, pod("p", 1), *nodes, first=every)
    assert [why for _, why in found.unknown] == [
        "the first of 120 and of 108 feasible nodes are scored, and the order is not modelled"
    ]
    assert compared(some, pod("p", 1), *nodes[:90], first=every).exit_code == 0


def test_a_limit_leaves_the_pods_that_were_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = comparing._compared

    def interrupted(given: Pod, *made: Any) -> Any:
        if given.name == "q":
            raise LimitReached("limits.seconds 1")
        return asked(given, *made)

    monkeypatch.setattr(comparing, "_compared", interrupted)
    found = compared("kubernetes-documented", pod("p", 1), pod("q", 2), pod("r", 3), node("a", 4))
    assert ([str(each) for each, _ in found.same], found.left, found.stopped) == (["p"], 2, "limits.seconds 1")
    assert found.exit_code == 2


def test_the_published_model_is_not_compared() -> None:
    with pytest.raises(
        schedcheck.InputError, match="profile: 'corrected': expected classic or kubernetes or kubernetes-documented"
    ):
        compared("corrected", pod("p", 1), node("a", 2))


def test_pods_that_differ_only_in_name_are_each_told(tmp_path: Path) -> None:
    things = [pod("p", 1), pod("q", 1), pod("busy", 2, on="a", phase="Running"), node("a", 4), node("b", 4)]
    found = compared(file(tmp_path, "b", {"pluginConfig": [MOST]}), *things)
    assert [(str(each.pod), *map(str, each.second.decisions)) for each in found.differences] == [
        ("p", "Bind(p, a)"),
        ("q", "Bind(q, a)"),
    ]
    same = compared("kubernetes", *things).same
    assert [(str(each), *map(str, made)) for each, made in same] == [("p", "Bind(p, b)"), ("q", "Bind(q, b)")]


PROFILES: dict[str, dict[str, Any]] = {
    "default": {},
    "most": {"pluginConfig": [MOST]},
    "no-taints": without("TaintToleration"),
    "no-affinity": without("NodeAffinity", "InterPodAffinity"),
    "no-preemption": without("DefaultPreemption"),
    "image": weighing("ImageLocality", 50),
    "spread": weighing("PodTopologySpread", 1),
    "no-scores": {"plugins": {"score": {"disabled": [{"name": "*"}]}}},
}
CASES = [*cases(FILTERING), *cases(SCORING)]


def given(seed: int, folder: Path) -> tuple[schedcheck.Cluster, schedcheck.Profile, schedcheck.Profile, bool]:
    """A random cluster with two random configurations, and whether the specification decides differently under them."""
    draw = random.Random(seed)
    case = draw.choice(CASES)
    names = draw.sample(sorted(PROFILES), 2)
    documented = [draw.random() < 0.2 for _ in names]
    profiles, decided = [], []
    for name, strict in zip(names, documented, strict=True):
        made = replace(file(folder, name, PROFILES[name]), name="kubernetes-documented" if strict else "kubernetes")
        profiles.append(made)
        (plugins,) = configuration(str(made.config)).profiles
        departures = NO_DEPARTURES if strict else NEWEST.departures
        found = decision(case.pod, case.snapshot, by_scheduler_name(case.pod, (plugins.departing(departures),)))
        decided.append(frozenset(map(str, found)))
    there = case.snapshot
    cluster = schedcheck.Cluster(pods=there.pods, nodes=there.nodes)
    return cluster, profiles[0], profiles[1], decided[0] != decided[1]


SEEDS = range(200)


@pytest.mark.parametrize("part", range(4))
def test_a_difference_is_one_exactly_if_the_specification_decides_differently(part: int, tmp_path: Path) -> None:
    for seed in SEEDS[part::4]:
        cluster, first, second, differs = given(seed, tmp_path)
        found = schedcheck.compare(cluster, first, second)
        pending = [each for each in found.differences if each.pod.name == "pending"]
        assert bool(pending) == differs, seed
        for each in pending:
            assert each.because.stage in ("filter", "score", "preemption")


def test_the_random_clusters_have_both_answers(tmp_path: Path) -> None:
    differing = [given(seed, tmp_path)[3] for seed in SEEDS]
    assert 20 < sum(differing) < len(differing) - 20


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "broken",
    [
        lambda pod, side, *_: frozenset(str(each) for each in side.decisions[:1]),
        lambda pod, side, *_: frozenset(type(each).__name__ for each in side.decisions),
        lambda pod, side, *_: frozenset(map(str, side.nodes)),
    ],
    ids=["first-choice", "kinds", "nodes"],
)
def test_a_broken_comparison_is_noticed(broken: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(comparing, "_texts", broken)
    wrong = []
    for seed in SEEDS:
        cluster, first, second, differs = given(seed, tmp_path)
        found = schedcheck.compare(cluster, first, second)
        wrong += [seed] if bool(found.differences) != differs else []
    assert wrong
