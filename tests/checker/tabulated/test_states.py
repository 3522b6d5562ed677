"""State properties over the tables: how they are evaluated, that the answers agree, and the report of slow ones"""

import time
from dataclasses import replace

import pytest

from schedcheck.checker.check import Disagreement, check
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.checker.tabulated.results import states, truths
from schedcheck.checker.tabulated.search import pace
from schedcheck.rule import always, sometimes
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Always, Property, Sometimes
from tests.support.building import five_pods, replays


def rule(kind: object, holds: object) -> Property:
    made = kind(holds).rule  # type: ignore[operator]
    assert isinstance(made, Always | Sometimes)
    return made


def few_bound(snapshot: Snapshot) -> bool:
    """Fewer than four pods are bound."""
    return sum(pod.node_name != "" for pod in snapshot.pods) < 4


def crowded(snapshot: Snapshot) -> bool:
    """Four pods are bound."""
    return sum(pod.node_name != "" for pod in snapshot.pods) == 4


def never(snapshot: Snapshot) -> bool:
    """Six pods are there."""
    return len(snapshot.pods) == 6


def test_user_state_properties_agree_with_the_direct_explorer() -> None:
    rules = [rule(always, few_bound), rule(sometimes, crowded), rule(sometimes, never)]
    found = check(five_pods(), engine="both", rules=rules[1:]).result
    assert [each.property.name for each in found.violations] == ["never"]
    checked = check(five_pods(), engine="both", rules=rules)
    (broken,) = checked.result.violations
    assert broken.property.name == "few_bound"
    assert replays(checked.machine, broken.trace)


def test_all_pods_bound_is_evaluated_without_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(truths.OfEach, "__call__")
    asked = replace(five_pods(), properties=("all_pods_bound", "pod_sometimes_bound"))
    assert check(asked, engine="both").result.verdict is Verdict.HOLDS


def test_an_overlooked_witness_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    everyone = replace(five_pods(), properties=("all_pods_bound",))
    monkeypatch.setattr(truths.AllPodsBound, "__call__", lambda self, words: words[:, 0] < 0)
    with pytest.raises(Disagreement):
        check(everyone, engine="both")


def test_a_property_much_slower_than_the_exploration_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(snapshot: Snapshot) -> bool:
        """The property always holds."""
        time.sleep(0.001)
        return True

    check(five_pods(), engine="tabulated")
    told: list[str] = []
    monkeypatch.setattr(states, "AT_ONCE", 16)
    check(five_pods(), engine="tabulated", rules=[rule(always, slow)], tell=told.append)
    (line,) = told
    assert line.startswith("property slow is evaluated in Python: about ")
    assert " states a second, " in line
    assert line.endswith(" times slower than the exploration")
    times = int(line.split(", ")[1].split()[0])
    assert times >= pace.WORTH_TELLING


def test_a_fast_property_is_not_reported() -> None:
    told: list[str] = []
    check(five_pods(), engine="tabulated", rules=[rule(always, few_bound)], tell=told.append)
    check(five_pods(), engine="tabulated", tell=told.append)
    assert told == []


def test_the_time_limit_applies_within_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(snapshot: Snapshot) -> bool:
        """The property always holds."""
        time.sleep(0.01)
        return True

    monkeypatch.setattr(states, "AT_ONCE", 8)
    begun = time.monotonic()
    bounds = Bounds(seconds=2)
    found = check(five_pods(), engine="tabulated", rules=[rule(always, slow)], bounds=bounds).result
    assert (found.verdict, found.stopped) == (Verdict.GAVE_UP, "limits.seconds 2")
    assert time.monotonic() - begun < 10
