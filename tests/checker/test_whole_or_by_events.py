"""A large space with unlimited events is explored by rounds: what the rounds say is true of the whole space"""

from dataclasses import replace

import pytest

from schedcheck.checker import by_events as rounds
from schedcheck.checker.by_events import rounds_of, whole_or_by_events
from schedcheck.checker.check import Checked, check
from schedcheck.checker.limits.timer import LimitReached
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.model.reference import Kept
from schedcheck.model.scenario import ANY, Rule, Scenario
from tests.support.building import node, on_nodes, on_pods, pod, scenario
from tests.tla.random_scenarios import random_scenario

GOOD = (Verdict.HOLDS, Verdict.VACUOUS)


def plainly(scene: Scenario, engine: str, kept: Kept | None, most: int | None) -> Checked:
    found = check(scene, symmetry=False, engine=engine or "direct", kept=kept, bounds=Bounds(max_states=most))
    return replace(found, why="no tables in these tests")


def some_rounds(scene: Scenario, engine: str, kept: Kept | None, most: int | None) -> Checked:
    """Explore as `plainly`, up to five events: events that can be taken back have no last round."""
    if any(rule.event == ANY and rule.bound == 6 for rule in scene.rules):
        raise LimitReached("limits.seconds 1")
    return plainly(scene, engine, kept, most)


def unlimited(scene: Scenario, *properties: str) -> Scenario:
    bounded = tuple(replace(rule, bound=None) for rule in scene.rules)
    return replace(scene, rules=bounded, constraints=(), properties=properties, fairness="weak")


def test_tables_explore_more_states_before_events_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "WHOLE", 4 * 5)
    asked: list[int | None] = []

    def with_tables(scene: Scenario, engine: str, kept: Kept | None, most: int | None) -> Checked:
        asked.append(most)
        return replace(plainly(scene, engine, kept, most), why="")

    found = whole_or_by_events(three_nodes(), with_tables, None)
    assert (asked, found.rounds) == ([5, rounds.WHOLE_BY_TABLES], ())


def three_nodes() -> Scenario:
    """A pod that finds a node unless all three are cordoned; any may be, and uncordoned again."""
    names = "n0 n1 n2"
    return scenario(
        pod("web"),
        *(node(name, cpu=1) for name in names.split()),
        rules=[on_nodes("cordon", names), on_nodes("uncordon", names)],
        properties=("pod_can_still_be_bound(web)",),
        fairness="weak",
    )


def test_a_small_space_is_explored_whole_and_asked_what_was_asked() -> None:
    found = whole_or_by_events(three_nodes(), plainly, None)
    alone = check(three_nodes(), symmetry=False)
    assert (found.result.verdict, found.result.distinct) == (Verdict.HOLDS, alone.result.distinct)
    assert (found.rounds, found.whole) == ((), 0)
    assert [each.name for each in found.properties] == ["pod_can_still_be_bound(web)"]


def test_a_large_space_is_explored_by_rounds_and_asked_whether_the_pod_recovers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rounds, "WHOLE", 4 * 5)
    found = whole_or_by_events(three_nodes(), plainly, None)
    # By hand: with three events all nodes may be cordoned, and none is uncordoned without another event.
    assert [each.verdict for each in found.rounds] == [Verdict.HOLDS] * 3 + [Verdict.VIOLATED]
    assert [each.name for each in found.properties] == ["eventually_bound(web)"]
    assert found.whole == 5


def test_rounds_that_see_everything_hold_for_any_number_of_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "WHOLE", 2)
    scene = scenario(
        pod("web"), node("n1"), node("n2"), rules=[on_pods("delete", "web")], properties=("bind_feasible",)
    )
    found = whole_or_by_events(scene, plainly, None)
    assert found.all_seen and found.result.verdict in GOOD and found.whole == 1


@pytest.mark.parametrize(
    "scene",
    [
        # Events that are bounded by themselves.
        replace(three_nodes(), rules=(on_nodes("cordon", "n0 n1 n2", bound=2),)),
        replace(three_nodes(), rules=(*three_nodes().rules, Rule("any", bound=2))),
        replace(three_nodes(), fairness="none"),
        # A bound on events changes what can still happen, and whether something ever does.
        replace(three_nodes(), properties=("pod_sometimes_bound(web)",)),
    ],
)
def test_other_questions_are_asked_of_the_whole_space(scene: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "WHOLE", 2)
    assert rounds_of(scene) is None
    found = whole_or_by_events(scene, plainly, None)
    assert (found.rounds, found.result.distinct) == ((), check(scene, symmetry=False).result.distinct)


def test_an_interrupt_keeps_the_rounds_that_are_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "WHOLE", 2)
    asked: list[int | None] = []

    def limited(scene: Scenario, engine: str, kept: Kept | None, most: int | None) -> Checked:
        asked.append(most)
        if len(asked) == 4:
            raise LimitReached("limits.seconds 1")
        return plainly(scene, engine, kept, most)

    found = whole_or_by_events(three_nodes(), limited, None)
    assert [(each.verdict, each.stopped) for each in found.rounds] == [
        (Verdict.HOLDS, ""),
        (Verdict.HOLDS, ""),
        (Verdict.GAVE_UP, "limits.seconds 1"),
    ]
    assert found.result.verdict is Verdict.GAVE_UP and not found.all_seen


PROPERTIES = ("no_overcommit", "only_lower_priority_evicted", "no_eviction")


def compare(seed: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """Compare the rounds with the whole space; return the verdict of the rounds, or "" if the space is large."""
    scene = unlimited(random_scenario(seed), *PROPERTIES[seed % 3 :][:1])
    if not scene.rules:
        return ""
    whole = check(scene, symmetry=False, bounds=Bounds(max_states=300))
    if whole.result.stopped:
        return ""
    monkeypatch.setattr(rounds, "WHOLE", 1)
    found = whole_or_by_events(scene, some_rounds, None)
    if whole.result.distinct > 1 and not whole.result.violations:
        assert found.whole == 1 and found.rounds
    if found.result.verdict in GOOD:
        assert whole.result.verdict in GOOD, seed
    if found.result.verdict is Verdict.VIOLATED:
        assert whole.result.verdict is Verdict.VIOLATED, seed
    return str(found.result.verdict)


def test_rounds_decide_safety_as_the_whole_space_does(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [compare(seed, monkeypatch) for seed in range(40)]
    assert found.count("violated") >= 3 and sum("holds" in each for each in found) >= 10


def recovering(seed: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """If a pod recovers from any number of events, it can still be bound in the whole space."""
    scene = random_scenario(seed)
    waiting = [each for each in scene.pods if not each.node_name]
    if not scene.rules or not waiting:
        return ""
    scene = unlimited(scene, f"pod_can_still_be_bound({waiting[0]})")
    whole = check(scene, symmetry=False, bounds=Bounds(max_states=300))
    if whole.result.stopped:
        return ""
    monkeypatch.setattr(rounds, "WHOLE", 1)
    found = whole_or_by_events(scene, some_rounds, None)
    if found.result.verdict in GOOD:
        assert whole.result.verdict in GOOD, seed
    return str(found.result.verdict)


def test_a_pod_that_recovers_can_still_be_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [recovering(seed, monkeypatch) for seed in range(40)]
    assert found.count("violated") >= 3 and sum("holds" in each for each in found) >= 3


def test_rounds_that_count_no_further_event_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        rounds, "at_most", lambda events, scene: replace(scene, rules=(*scene.rules, Rule("any", bound=0)))
    )
    with pytest.raises(AssertionError):
        for seed in range(40):
            compare(seed, monkeypatch)
            recovering(seed, monkeypatch)
