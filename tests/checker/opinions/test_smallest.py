"""A least set of objects still refuses the node, and no object of it can be left out"""

from collections import Counter
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings

from schedcheck.checker.drawing.questions import FAMILIES as ASKED
from schedcheck.checker.drawing.volumes import Question
from schedcheck.checker.opinions import smallest as module
from schedcheck.checker.opinions.known import Known
from schedcheck.checker.opinions.nodes import filtered, refusal_of
from schedcheck.checker.opinions.smallest import smallest
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Snapshot
from tests.checker.differential.test_random import SLOW
from tests.checker.opinions.test_nodes import EVERY_KIND, asked
from tests.support.building import node, pod, snapshot


def is_least(question: Question, counted: Counter[str]) -> None:
    """Fail if the refusal of a node has no least set of objects."""
    found = asked(question)
    if found is None:
        return
    one, there, plugins = found
    known = Known(there, EVERY_KIND)
    names = [each.name for each in there.nodes]
    for name, refusal in filtered(one, there.nodes, names, known, plugins).refused.items():
        seen = known.seen(one, there.nodes, plugins)
        left = smallest(seen, name, refusal.plugin)
        assert left is not None and left.least
        own = refusal_of(one, name, left.snapshot, seen.plugins)
        assert own is not None and own.plugin == refusal.plugin
        for part in fields(Snapshot):
            held = getattr(left.snapshot, part.name)
            for place in range(len(held) if isinstance(held, tuple) else 0):
                less = replace(left.snapshot, **{part.name: (*held[:place], *held[place + 1 :])})
                still = refusal_of(one, name, less, seen.plugins)
                assert still is None or still.plugin != refusal.plugin
        counted[refusal.plugin] += 1


@pytest.mark.parametrize("kind", ASKED)
def test_no_object_of_a_least_set_can_be_left_out(kind: str) -> None:
    counted: Counter[str] = Counter()
    settings(max_examples=25, suppress_health_check=SLOW)(given(ASKED[kind])(lambda each: is_least(each, counted)))()
    assert counted


def test_a_set_that_is_not_reduced_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_reduced", lambda things, holds, may_try: things)
    there = snapshot(node("n1", 1), *(pod(f"p{number}", 0, "n1") for number in range(4)), pod("q", 2))
    with pytest.raises(AssertionError):
        is_least((pod("q", 2), there, DEFAULT_PLUGINS), Counter())


def test_one_of_many_pods_is_the_reason() -> None:
    others = [pod(f"p{number}", 0, "n1") for number in range(30)]
    there = snapshot(node("n1", 2), node("n2", 2), *others, pod("big", 2, "n1"), pod("q", 1))
    seen = Known(there, EVERY_KIND).seen(pod("q", 1), (), DEFAULT_PLUGINS)
    left = smallest(seen, "n1", "NodeResourcesFit")
    assert left is not None and left.least
    assert [each.name for each in left.snapshot.pods] == ["big"]
    assert [each.name for each in left.snapshot.nodes] == ["n1"]
    assert smallest(seen, "n2", "NodeResourcesFit") is None
    hurried = smallest(seen, "n1", "NodeResourcesFit", most=3)
    assert hurried is not None and not hurried.least
