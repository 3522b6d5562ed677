"""Quickly drawn clusters depend on their seed alone, have the features that are drawn, and shrink"""

from collections import Counter
from dataclasses import replace

import pytest

from schedcheck.checker.differential.decisions import concluded
from schedcheck.checker.drawing.quick.chance import FEATURES, THEMES, Chance
from schedcheck.checker.drawing.quick.questions import contest, question, smaller
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.objects import Pod, Snapshot
from tests.support.building import node, pod


def test_a_seed_gives_one_question_and_another_seed_another() -> None:
    assert question(Chance.of("a")) == question(Chance.of("a"))
    assert question(Chance.of("a")) != question(Chance.of("b"))


def test_every_feature_of_a_theme_is_a_feature() -> None:
    assert {each for theme in THEMES for each in theme} <= {*FEATURES}


def test_no_feature_is_drawn_that_was_not_offered() -> None:
    for number in range(50):
        assert Chance.of(number, ("cpu", "late")).features <= {"cpu", "late"}


def test_every_feature_is_drawn_now_and_then() -> None:
    drawn = Counter(each for number in range(300) for each in Chance.of(number).features)
    assert set(drawn) == {*FEATURES}
    assert max(drawn.values()) < 300


@pytest.mark.parametrize(
    ("without", "of"),
    [
        ("taints", lambda one: one.tolerations),
        ("affinity", lambda one: one.affinity.pod_required or one.affinity.pod_preferred),
        ("spread", lambda one: any(each.required for each in one.spread)),
        ("ports", lambda one: any(each.ports for each in one.containers)),
        ("priorities", lambda one: one.priority),
    ],
)
def test_a_feature_that_is_not_drawn_does_not_occur(without: str, of: object) -> None:
    assert callable(of)
    seen = Counter[bool]()
    for number in range(150):
        chance = Chance.of(number)
        asked, there, _ = question(chance)
        for each in (asked, *there.pods):
            if without in chance.features:
                seen[bool(of(each))] += 1
            elif without != "taints" or not each.tolerations or "cordons" not in chance.features:
                assert not of(each)
    assert seen[True] and seen[False]


def test_the_pod_of_a_contest_binds_waits_and_preempts_also_on_one_of_several_nodes() -> None:
    kinds = Counter[str]()
    for number in range(150):
        made = concluded(*contest(Chance.of(number)))
        kinds["bind" if made.hosts else "nominate" if made.nominated else "wait"] += 1
        kinds["candidates"] += len(made.candidates) > 1
    assert min(kinds.values()) >= 10 and len(kinds) == 4


def test_a_failing_question_shrinks_to_what_fails() -> None:
    there = Snapshot.of([pod("a", 1, "n1"), pod("b", 2, "n2", labels={"x": "1"})], [node("n1", 4), node("n2", 4)])
    asked: Question = (pod("asked", 1, priority=3), there, question(Chance.of(0))[2])

    def fails(one: Question) -> bool:
        return any(each.name == "b" for each in one[1].pods)

    found = smaller(asked, fails)
    assert found[1].pods == (replace(Pod("b"), node_name="n2"),)
    assert found[1].nodes == ()
    assert found[0].priority == 0
