"""Properties of workloads: their definitions by hand, their verdicts by both explorers, and broken twins"""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.properties.by_name import asked
from schedcheck.checker.properties.of_workloads import EXAMPLES
from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.checker.result import Verdict
from schedcheck.model.scenario import Scenario
from schedcheck.spec import budgets
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.profiles import CORRECTED
from schedcheck.spec.properties import of_workloads
from schedcheck.spec.properties.kinds import Always, LeadsTo, Property
from tests.support.building import node, on_nodes, on_pods, pod, scenario, snapshot

WEB = {"app": "web"}
ZONES = [node("n1", 9, labels={"zone": "a"}), node("n2", 9, labels={"zone": "b"}), node("n3", 9)]


def the(text: str, **options: Any) -> Property:
    (found,) = asked(text, (), CORRECTED, **options)
    return found


def holds(text: str, seen: Snapshot, **options: Any) -> bool:
    question = the(text, **options)
    assert isinstance(question, Always | LeadsTo)
    return bool(question.holds(seen))


def webs(*on: str, **fields: Any) -> list[Any]:
    """Pods of web on these nodes."""
    return [pod(f"w{number}", 1, on=where, labels=WEB, **fields) for number, where in enumerate(on)]


@pytest.mark.parametrize(
    ("pods", "stand"),
    [
        (webs("n1", "n2"), 2),
        (webs("n1", ""), 1),
        (webs("n1", "gone"), 1),
        (webs("n1", "n2", phase="Succeeded"), 0),
        (webs("n1", "n2", terminating=True), 0),
        ([pod("db", 1, on="n1", labels={"app": "db"})], 0),
    ],
)
def test_pods_stand_that_are_bound_and_last(pods: list[Any], stand: int) -> None:
    seen = snapshot(*pods, *ZONES)
    assert [holds(f"never_below(app=web, {number})", seen) for number in (1, 2, 3)] == [
        stand >= number for number in (1, 2, 3)
    ]
    assert [holds(f"never_above(app=web, {number})", seen) for number in range(3)] == [
        stand <= number for number in range(3)
    ]


def test_with_a_kubelet_pods_stand_once_it_has_started_them() -> None:
    pending, running = snapshot(*webs("n1", phase="Pending"), *ZONES), snapshot(*webs("n1", phase="Running"), *ZONES)
    for text in ("never_below(app=web, 1)", "replicas_reached(app=web, 1)"):
        assert not holds(text, pending, kubelet=True) and holds(text, running, kubelet=True)
        assert holds(text, pending)


@pytest.mark.parametrize(
    ("on", "skew"),
    [
        (("n1", "n2"), 0),
        (("n1", "n1", "n2"), 1),
        (("n1", "n1"), 2),
        (("n2", "n2", "n2"), 3),
        (("n3", "n3"), 0),
        ((), 0),
    ],
)
def test_the_skew_is_between_the_fullest_and_the_emptiest_domain(on: tuple[str, ...], skew: int) -> None:
    seen = snapshot(*webs(*on), *ZONES)
    for name in ("skew_kept", "skew_restored"):
        assert [holds(f"{name}(app=web, zone, {most})", seen) for most in range(4)] == [
            skew <= most for most in range(4)
        ]


def test_a_domain_of_several_nodes_counts_once() -> None:
    more = node("n4", 9, labels={"zone": "a"})
    assert holds("skew_kept(app=web, zone, 0)", snapshot(*webs("n1", "n4", "n2", "n2"), *ZONES, more))
    assert not holds("skew_kept(app=web, zone, 0)", snapshot(*webs("n1", "n4", "n2"), *ZONES, more))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("never_below(app=web)", "takes a label of pods and a number, as never_below(app=web, 2)"),
        ("never_below(app=web, two)", "'two' is no number"),
        ("never_below(app=web, -1)", "'-1' is no number"),
        ("never_below(app=web, 02)", "'02' is no number"),
        ("never_below(app=web, 0)", "takes a number from 1"),
        ("replicas_reached(app=web, 0)", "takes a number from 1"),
        ("replicas_reached", "takes a label of pods and a number"),
        ("skew_kept(app=web, 1)", "takes a label of pods, a topology key and a number, as skew_kept(app=web, zone, 1)"),
        ("skew_restored(a=b=c, zone, 1)", "'a=b=c' is none of"),
    ],
)
def test_wrong_arguments_are_refused(text: str, why: str) -> None:
    with pytest.raises(UnknownProperty) as raised:
        the(text)
    assert str(raised.value).startswith(why)


def test_each_claim_says_what_is_asked() -> None:
    assert [the(each).claim for each in EXAMPLES.values()] == [
        "Pods with app=web run only on nodes with disk!=ssd.",
        "At least 2 pods with app=web are bound at all times.",
        "At most 3 pods with app=web are bound at any time.",
        "Once the environment rests, in the end at least 3 pods with app=web are bound.",
        "The numbers of pods with app=web in any two domains of zone differ by at most 1.",
        "Once the environment rests, in the end the numbers of pods with app=web in any two domains of zone differ by at most 1.",
    ]
    assert the("never_below(app, 1)").claim == "At least 1 pod with app is bound at all times."


def recreated(*rules: Any, **fields: Any) -> Scenario:
    """Two pods of web in two zones, which their owner creates again."""
    pods = webs("n1", "n2", owner=("ReplicaSet", "web"), phase="Running")
    return scenario(*pods, *ZONES[:2], rules=rules, controllers=frozenset({"owners"}), **fields)


VERDICTS = [
    ("never_below(app=web, 2)", (), Verdict.HOLDS),
    ("never_below(app=web, 2)", (on_pods("delete", "w0", 1),), Verdict.VIOLATED),
    ("never_below(app=web, 1)", (on_pods("delete", "w0", 1),), Verdict.HOLDS),
    ("never_above(app=web, 2)", (on_pods("delete", "w0", 1),), Verdict.HOLDS),
    ("never_above(app=web, 1)", (), Verdict.VIOLATED),
    ("never_above(app=db, 1)", (), Verdict.VACUOUS),
    ("replicas_reached(app=web, 2)", (on_pods("delete", "w0", 1),), Verdict.HOLDS),
    ("replicas_reached(app=web, 3)", (on_pods("delete", "w0", 1),), Verdict.VIOLATED),
    ("replicas_reached(app=web, 2)", (), Verdict.VACUOUS),
    ("skew_kept(app=web, zone, 1)", (on_pods("delete", "w0", 1),), Verdict.HOLDS),
    ("skew_kept(app=web, zone, 1)", (on_pods("delete", "w0", 1), on_nodes("cordon", "n1", 1)), Verdict.VIOLATED),
    ("skew_kept(app=db, zone, 1)", (), Verdict.VACUOUS),
    ("skew_kept(app=web, rack, 1)", (), Verdict.VACUOUS),
    ("skew_restored(app=web, zone, 1)", (on_pods("delete", "w0", 1), on_nodes("cordon", "n1", 1)), Verdict.VIOLATED),
    ("skew_restored(app=web, zone, 0)", (on_pods("delete", "w0", 1),), Verdict.HOLDS),
]


@pytest.mark.parametrize("engine", ["direct", "both"])
@pytest.mark.parametrize("profile", ["corrected", "kubernetes"])
@pytest.mark.parametrize(("text", "rules", "verdict"), VERDICTS)
def test_verdicts_by_both_explorers(
    text: str, rules: tuple[Any, ...], verdict: Verdict, profile: str, engine: Any
) -> None:
    assert check(recreated(*rules, profile=profile, properties=(text,)), engine=engine).result.verdict is verdict


def drawn(seed: int) -> Snapshot:
    """Pods and nodes with and without what counts."""
    chance = Random(seed)
    nodes = [
        node(f"n{number}", 9, labels={"zone": chance.choice("ab")} if chance.random() < 0.8 else {})
        for number in range(chance.randint(1, 4))
    ]
    pods = [
        pod(
            f"p{number}",
            1,
            on=chance.choice(("", "gone", *(each.name for each in nodes))),
            labels={"app": chance.choice(("web", "db"))},
            phase=chance.choice(("Running", "Running", "Pending", "Failed")),
            terminating=chance.random() < 0.2,
        )
        for number in range(chance.randint(0, 5))
    ]
    return snapshot(*pods, *nodes)


def counted(seen: Snapshot, kubelet: bool) -> tuple[int, int]:
    """How many pods of web stand, and their skew over zones, counted pod by pod."""
    zone_of = {each.name: each.labels.get("zone") for each in seen.nodes}
    phases = ("Running",) if kubelet else ("Running", "Pending")
    up = [
        each
        for each in seen.pods
        if each.labels["app"] == "web" and each.node_name in zone_of and each.phase in phases and not each.terminating
    ]
    in_zone = Counter(zone_of[each.node_name] for each in up)
    sizes = [in_zone[zone] for zone in set(zone_of.values()) if zone is not None]
    return len(up), max(sizes, default=0) - min(sizes, default=0)


def compare(seeds: range) -> None:
    """Hold the definitions against a count."""
    for seed in seeds:
        seen, kubelet = drawn(seed), seed % 2 == 0
        number, skew = counted(seen, kubelet)
        for most in range(1, 5):
            assert holds(f"never_below(app=web, {most})", seen, kubelet=kubelet) == (number >= most), seed
            assert holds(f"skew_kept(app=web, zone, {most - 1})", seen, kubelet=kubelet) == (skew < most), seed


def test_definitions_are_those_of_a_count() -> None:
    compare(range(200))


@pytest.mark.parametrize("broken", ["bound", "completed", "bound_to"])
def test_a_broken_definition_is_detected(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_workloads if broken == "bound_to" else budgets, broken, lambda *given: broken != "completed")
    with pytest.raises(AssertionError):
        compare(range(200))


def test_another_label_is_another_question() -> None:
    scene = recreated(on_pods("delete", "w0", 1), profile="kubernetes")
    other = replace(scene, properties=("never_below(app!=web, 1)",))
    assert check(other).result.verdict is Verdict.VIOLATED
