"""Answers composed from parts are those of whole cycles; a part that leaves out something it depends on is detected."""

from collections.abc import Callable
from typing import Any

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.result import Bounds
from schedcheck.checker.tabulated.answers import parts
from schedcheck.checker.tabulated.answers.kube import Kube
from schedcheck.checker.tabulated.answers.parts import Remembering
from schedcheck.checker.tabulated.answers.sampled import Differs, Sample
from schedcheck.checker.tabulated.answers.trials import Trials
from schedcheck.checker.tabulated.layout.kube_sight import OfKube
from schedcheck.model.profiles import profile_of
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Node, Pod, Snapshot, SpreadConstraint
from tests.checker.tabulated.crowds import crowd
from tests.support.building import (
    HOSTNAME,
    apart,
    near,
    node,
    on_nodes,
    on_pods,
    pod,
    scenario,
    selector,
    snapshot,
    term,
)

FEW = Bounds(max_states=1000)
ZONE = "zone"


def composed(scene: Scenario) -> int:
    """Explore the scene, compare every answer with the whole cycle, and return the number of questions."""
    asked = 0
    due = Sample.due

    def counted(sample: Sample, snapshot: Snapshot) -> bool:
        nonlocal asked
        asked += 1
        return due(sample, snapshot)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Sample, "few", 0)
        patched.setattr(Sample, "due", counted)
        check(scene, symmetry=False, engine="tabulated", bounds=FEW)
    return asked


@pytest.mark.parametrize("seeds", [range(2000, 2010), pytest.param(range(2010, 2200), marks=pytest.mark.slow)], ids=str)
def test_composed_answers_are_those_of_whole_cycles(seeds: range) -> None:
    assert sum(composed(crowd(seed)) for seed in seeds) > 30 * len(seeds)


def moving(*things: Any, **fields: Any) -> Scenario:
    """A scenario of kube-scheduler in which these pods arrive and complete."""
    names = " ".join(each.name for each in things if isinstance(each, Pod))
    rules = [on_pods("arrive", names), on_pods("complete", names, 2), on_nodes("cordon", "n1", 1)]
    return scenario(*things, absent="*", rules=rules, profile="kubernetes", **fields)


def zoned(cpu: int = 2) -> list[Node]:
    """Three nodes in two zones."""
    return [
        node(name, cpu, labels={ZONE: zone, HOSTNAME: name}) for name, zone in (("n1", "a"), ("n2", "a"), ("n3", "b"))
    ]


def spreading() -> Scenario:
    """Pods spread over zones."""
    evenly = SpreadConstraint(1, ZONE, selector=selector(app="web"))
    return moving(*(pod(f"web-{number}", 1, labels={"app": "web"}, spread=(evenly,)) for number in (1, 2, 3)), *zoned())


def excluding() -> Scenario:
    """Pods of which one keeps the others out of its zone, although these have no terms of their own."""
    alone = apart(term(ZONE, selector(app="web")))
    web = [pod(f"web-{number}", 1, labels={"app": "web"}) for number in (1, 2)]
    return moving(pod("db", 1, affinity=alone), *web, *zoned())


def following() -> Scenario:
    """Pods that need a database in their zone."""
    beside = near(term(ZONE, selector(app="db")))
    web = [pod(f"web-{number}", 1, affinity=beside) for number in (1, 2)]
    return moving(pod("db", 1, labels={"app": "db"}), *web, *zoned())


def preempting() -> Scenario:
    """Pods that are nominated to nodes on which others keep room, with anti-affinity among them."""
    alone = apart(term(HOSTNAME, selector(app="high")))
    high = [pod(f"high-{number}", 1, priority=9, labels={"app": "high"}, affinity=alone) for number in (1, 2)]
    low = [pod("low-1", 2), pod("low-2", 2, priority=1)]
    return moving(*high, *low, *zoned()[:2])


SCENES = (spreading, excluding, following, preempting)


@pytest.mark.parametrize("scene", SCENES)
def test_composed_answers_of_these_scenes_are_those_of_whole_cycles(scene: Callable[[], Scenario]) -> None:
    assert composed(scene()) > 20


whole_counted, whole_question = Trials._counted, Trials._question


def without_the_counted(trials: Trials, seen: OfKube, shown: Any) -> Any:
    """Counts that are the same wherever the counted pods are."""
    found = whole_counted(trials, seen, shown)
    return found and found._replace(all=0)


def without_the_nominated(trials: Trials, seen: OfKube, shown: Any) -> Any:
    """Counts to which nominated pods add nothing."""
    found = whole_counted(trials, seen, shown)
    return found and found._replace(nominated=())


def without_the_pods(trials: Trials, seen: OfKube, shown: Any, *rest: Any) -> Any:
    """A question about a node that leaves out its pods."""
    found: Any = whole_question(trials, seen, shown, *rest)
    return found and (*found[:2], (), *found[3:])


def without_the_node(trials: Trials, seen: OfKube, shown: Any, *rest: Any) -> Any:
    """A question about a node that leaves out the node."""
    found: Any = whole_question(trials, seen, shown, *rest)
    return found and (found[0], None, *found[2:])


TWINS = [
    (spreading, Trials, "_counted", without_the_counted),
    (following, Trials, "_counted", without_the_counted),
    (preempting, Trials, "_counted", without_the_nominated),
    (excluding, parts, "CHANGING", frozenset()),
    (spreading, OfKube, "_shown_far_node", lambda seen, each: zoned()[0]),
    (preempting, Trials, "_question", without_the_pods),
    (spreading, Trials, "_question", without_the_node),
    (preempting, Remembering, "summed", lambda info, departures: {}),
    (preempting, OfKube, "_victim", lambda seen, each: None),
    (preempting, OfKube, "_company", lambda seen, each, name: None),
    (excluding, Trials, "raw", lambda trials, shown, profile: (0,) * 7),
    (preempting, Kube, "_ended", lambda *given: ()),
    (preempting, Kube, "_chosen", lambda *given: ((), True)),
]


@pytest.mark.parametrize(("scene", "of", "name", "instead"), TWINS)
def test_a_part_that_leaves_out_a_dependency_is_detected(
    monkeypatch: pytest.MonkeyPatch, scene: Callable[[], Scenario], of: Any, name: str, instead: Any
) -> None:
    monkeypatch.setattr(of, name, instead)
    with pytest.raises(Differs):
        composed(scene())


def test_a_run_compares_a_seeded_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trials, "raw", lambda trials, shown, profile: (0,) * 7)
    monkeypatch.setattr(Sample, "few", 1)
    with pytest.raises(Differs, match="is composed, but the whole cycle gives"):
        check(excluding(), symmetry=False, engine="tabulated")


def test_the_sample_is_seeded_and_small() -> None:
    own, seen = profile_of(excluding()), snapshot(*zoned())
    samples = [Sample(own), Sample(own)]
    due = [[sample.due(seen) for _ in range(10_000)] for sample in samples]
    assert due[0] == due[1]
    assert 60 < sum(due[0]) < 150
