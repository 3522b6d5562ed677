"""Exploration by the number of events: its counts are those of a plain search that counts them, and it stops in time"""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from schedcheck.checker import followed
from schedcheck.checker.by_events import Explore, at_most, by_events
from schedcheck.checker.check import Checked, NotTabulated, check
from schedcheck.checker.drawing.scenarios import scenarios
from schedcheck.checker.foreign.machine import Driven
from schedcheck.checker.recovery.counted import by_counting
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.model.environment import NodeEvent, PodEvent
from schedcheck.model.reference import Kept, Reference, State
from schedcheck.model.scenario import ANY, Rule, Scenario
from schedcheck.spec.decisions import Decision, Unknown
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import Profile
from tests.checker.recovery.test_apart import crowd
from tests.checker.tabulated.test_agreement import both
from tests.support.building import near, node, on_nodes, on_pods, pod, replays, scenario, selector, term
from tests.tla.random_scenarios import random_scenario

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
ENVIRONMENT = {
    "Arrive", "Complete", "Delete", "Evict", "Fail", "Return", "Cordon", "Uncordon", "AddTaint", "RemoveTaint", "Label",
    "Unready", "Unreachable", "Ready",
}  # fmt: skip


def with_counts(scene: Scenario, most: int, limit: int = 3000) -> set[tuple[State, int]] | None:
    """The states within so many events, each with the number of events before it; None if there are too many.

    The machine is that of the scenario without a bound on all events; events are recognised by the names of actions.
    """
    machine = check(scene, bounds=Bounds(max_states=1)).machine
    found = {(state, 0) for state in machine.initial_states()}
    waiting = list(found)
    for state, used in waiting:
        for action, after in machine.steps(state):
            counted = used + (type(action).__name__ in ENVIRONMENT)
            if counted <= most and (after, counted) not in found:
                found.add((after, counted))
                waiting.append((after, counted))
                if len(found) > limit:
                    return None
    return found


def plainly(scene: Scenario, engine: str, kept: Kept | None, soon: int | None) -> Checked:
    return check(scene, symmetry=False, engine=engine or "direct", kept=kept, bounds=Bounds(max_states=soon))


def compare(scene: Scenario) -> None:
    scene = replace(scene, properties=("type_correct",), constraints=())
    for most in (0, 1, 2):
        expected = with_counts(scene, most)
        if expected is None:
            return
        found = check(at_most(most, scene), symmetry=False)
        assert found.result.distinct == len(expected)


@settings(max_examples=25, deadline=None, suppress_health_check=SLOW)
@given(scenarios())
def test_the_states_are_those_of_a_search_that_counts_events(scene: Scenario) -> None:
    compare(scene)


@pytest.mark.parametrize("seed", range(12))
def test_the_states_of_random_scenarios_are_those_of_a_search_that_counts_events(seed: int) -> None:
    compare(random_scenario(seed))


@pytest.mark.parametrize("seed", range(0, 40, 5))
def test_both_explorers_agree_with_bounded_events(seed: int) -> None:
    scene = replace(random_scenario(seed), constraints=())
    unbounded = replace(scene, rules=tuple(replace(rule, bound=None) for rule in scene.rules))
    for most in (0, 2):
        if check(at_most(most, unbounded), bounds=Bounds(max_states=1500)).result.stopped:
            return
        both(at_most(most, unbounded))


def test_tables_decline_a_bound_of_their_own_beside_the_bound_of_all() -> None:
    scene = scenario(pod("web"), node("n"), rules=[on_pods("delete", "web", bound=1)])
    with pytest.raises(NotTabulated, match="a bound of its own"):
        check(at_most(1, scene), engine="tabulated")


def two_nodes() -> Scenario:
    """Two nodes, of which each may fail and none returns, and one pod on the first."""
    return scenario(
        pod("web", on="n1"), node("n1"), node("n2"), rules=[on_nodes("fail", "n1 n2")], properties=("type_correct",)
    )


def test_a_bound_counts_the_events_of_all_rules_together() -> None:
    # With one event: nothing failed, n1 failed, n2 failed. With two also: both, in either order the same state.
    assert [check(at_most(most, two_nodes())).result.distinct for most in range(4)] == [1, 3, 4, 4]


def test_own_bounds_and_the_bound_of_all_both_apply() -> None:
    rules = [on_nodes("fail", "n1 n2", bound=1), on_nodes("cordon", "n1 n2", bound=1), Rule(ANY, bound=2)]
    machine = check(replace(two_nodes(), rules=tuple(rules))).machine
    assert isinstance(machine, Reference)
    (first,) = machine.initial_states()
    assert first.left == (1, 1, 2)
    failed = next(after for action, after in machine.steps(first) if str(action) == "Fail(n1)")
    assert failed.left == (0, 1, 1)
    assert [str(action) for action, _ in machine.steps(failed)] == ["Cordon(n2)"]


def test_rounds_end_where_one_more_event_leads_to_no_further_state() -> None:
    found = by_events(two_nodes(), None, plainly)
    assert [(each.events, each.states) for each in found.rounds] == [(0, 1), (1, 3), (2, 4), (3, 4)]
    assert found.all_seen and found.result.verdict in (Verdict.HOLDS, Verdict.VACUOUS)


def cordoned(*properties: str, nodes: str = "n1 n2") -> Scenario:
    """A pod, three nodes, and cordons of some of them that may be taken back again and again."""
    rules = [on_nodes("cordon", nodes), on_nodes("uncordon", nodes)]
    return scenario(pod("web"), *map(node, ("n1", "n2", "n3")), rules=rules, properties=properties)


def sees_all(scene: Scenario, most: int | None = None) -> bool:
    """Whether the rounds end although each has more states than the one before; they have then seen the whole space."""
    found = by_events(scene, most, plainly)
    if not found.all_seen or found.rounds[-1].states == found.rounds[-2].states:
        return False
    whole = check(scene, symmetry=False).result
    assert found.result.regardless == whole.distinct
    assert found.result.verdict is whole.verdict
    return True


@pytest.mark.parametrize("asked", ["type_correct", "bind_feasible", "eventually_bound(web)"])
def test_rounds_end_with_events_that_can_be_taken_back(asked: str) -> None:
    assert sees_all(cordoned(asked))


def test_a_violation_by_events_that_can_be_taken_back_ends_the_rounds() -> None:
    found = by_events(cordoned("eventually_bound(web)", nodes="n1 n2 n3"), None, plainly)
    assert found.result.verdict is Verdict.VIOLATED and found.rounds[-1].events == 3 and not found.all_seen


def test_rounds_do_not_end_early_for_a_question_about_whole_behaviours() -> None:
    assert not sees_all(cordoned("never_starves(web)"), 4)


def test_rounds_of_random_scenarios_end_once_they_have_seen_the_whole_space() -> None:
    ended = 0
    for seed in range(0, 60, 3):
        drawn = replace(random_scenario(seed), constraints=(), properties=("type_correct",))
        scene = replace(drawn, rules=tuple(replace(rule, bound=None) for rule in drawn.rules if rule.event != ANY))
        if not check(scene, bounds=Bounds(max_states=300)).result.stopped:
            ended += sees_all(scene, 8)
    assert ended >= 2


def test_states_that_are_told_apart_too_little_end_the_rounds_too_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reference, "regardless", lambda self, state: state.pods)
    with pytest.raises(AssertionError):
        test_rounds_end_with_events_that_can_be_taken_back("type_correct")


def test_rounds_end_at_the_bound() -> None:
    found = by_events(two_nodes(), 1, plainly)
    assert [each.events for each in found.rounds] == [0, 1]
    assert not found.all_seen


def stranded_after(events: int) -> Scenario:
    """A pod that finds a node unless so many nodes are cordoned."""
    names = [f"n{number}" for number in range(events)]
    return scenario(
        pod("web"),
        *(node(name, cpu=1) for name in names),
        rules=[on_nodes("cordon", " ".join(names))],
        properties=("eventually_bound(web)",),
    )


@pytest.mark.parametrize("events", [1, 2, 3])
def test_a_violation_is_found_with_the_fewest_events(events: int) -> None:
    found = by_events(stranded_after(events), None, plainly)
    assert [each.verdict for each in found.rounds] == [Verdict.HOLDS] * events + [Verdict.VIOLATED]
    (violation,) = found.result.violations
    assert sum(isinstance(stage.action, (PodEvent, NodeEvent)) for stage in violation.trace) == events


def crowded(room: int) -> Scenario:
    """Six pods in any order on two nodes with room for so many of them each, and the question about one of them."""
    pods = (pod(f"p{number}", cpu=1) for number in range(6))
    return scenario(
        *pods, node("n1", cpu=room), node("n2", cpu=room), properties=("eventually_bound(p0)",), profile="kubernetes"
    )


def test_a_bad_end_is_found_by_following_behaviours_in_a_large_space(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed, "SOON", 100)
    checked = by_events(crowded(2), 0, plainly)
    result = checked.result
    assert result.verdict is Verdict.VIOLATED and result.followed > 0 and result.distinct <= 20
    (violation,) = result.violations
    # Four pods fill both nodes, and p0 is not one of them.
    assert violation.loop == len(violation.trace) - 1 == 4
    assert replays(checked.machine, violation.trace)
    assert not any("p0" in str(stage.action) for stage in violation.trace)


def test_no_bad_end_among_behaviours_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed, "SOON", 100)
    result = by_events(crowded(3), 0, plainly).result
    assert result.verdict is Verdict.HOLDS and result.followed == 0 and result.distinct > 10


def late(number: int = 40) -> Scenario:
    """As many pods as fit on one node, and one more, about which is asked: few orders strand it."""
    pods = (pod(f"p{each}", cpu=1) for each in range(number + 1))
    question = "eventually_bound(p0)"
    return scenario(*pods, node("n1", cpu=number), properties=(question,), profile="kubernetes")


def test_the_pod_asked_about_is_taken_up_last_in_every_other_behaviour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed, "SOON", 1)
    monkeypatch.setattr(followed, "BEHAVIOURS", 2)
    result = by_events(late(), 0, plainly_up_to(1)).result
    assert result.verdict is Verdict.VIOLATED and result.followed == 2
    original = followed.to_the_end
    monkeypatch.setattr(followed, "to_the_end", lambda *given: original(*given[:3]))
    assert by_events(late(), 0, plainly_up_to(1)).result.followed == 0, "random orders strand the pod as well"


def deleted() -> Scenario:
    """Many bound pods, any one of which may be deleted, and only the one asked about is then stranded."""
    alone = {"affinity": near(term(selected=selector(app="gone"))), "owner": ("ReplicaSet", "p0")}
    pods = (pod(f"p{each}", cpu=1, on="n1", **(alone if each == 0 else {})) for each in range(30))
    return scenario(
        *pods,
        node("n1", cpu=30),
        rules=[on_pods("delete", " ".join(f"p{each}" for each in range(30)))],
        properties=("eventually_bound(p0)",),
        profile="kubernetes",
        controllers=frozenset({"owners"}),
    )


def test_what_befalls_the_pod_asked_about_comes_first_in_every_other_behaviour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(followed, "SOON", 1)
    monkeypatch.setattr(followed, "BEHAVIOURS", 2)
    rounds = by_events(deleted(), 1, plainly_up_to(1))
    assert rounds.result.verdict is Verdict.GAVE_UP, "a limit of states ends the first round"
    limited = at_most(1, deleted())
    found = followed.bad_end(plainly(limited, "", None, 1), plainly(limited, "", None, 1).properties, None)
    assert found is not None and found.result.followed == 2
    (violation,) = found.result.violations
    assert [str(stage.action) for stage in violation.trace[1:3]] == ["Delete(p0)", "Create(p0)"]


def test_rounds_before_the_last_are_proved_where_they_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed, "SOON", 1)
    scene = replace(crowd(), properties=("eventually_bound(late)",))
    (pending,) = (each for each in scene.pods if each.name == "late")

    def proved(events: int) -> Checked | None:
        found = by_counting(scene, [pending], events)
        return found if isinstance(found, Checked) else None

    rounds = by_events(scene, 2, plainly, prove=proved).rounds
    plain = by_events(scene, 2, plainly).rounds
    assert [each.verdict for each in rounds] == [each.verdict for each in plain]
    assert [bool(each.proof) for each in rounds] == [True, True, False]


def plainly_up_to(states: int) -> Explore:
    """Explore so many states at most."""
    return lambda scene, engine, kept, soon: plainly(scene, engine, kept, min(states, soon or states))


def of_an_unknown_pod(scene: Scenario, engine: str, kept: Kept | None, soon: int | None) -> Checked:
    """Explore with a scheduler of whose decisions about p0 nothing is known."""

    def driven(each: Scenario, profile: Profile) -> Reference:
        def decides(asked: Pod, there: Snapshot) -> frozenset[Decision]:
            return frozenset({Unknown(asked, "")}) if asked.name == "p0" else profile.decision(asked, there, profile)

        return Driven(each, profile, decides, lambda: "it is not told")

    return check(scene, symmetry=False, bounds=Bounds(max_states=soon), driven=driven)


def test_a_behaviour_that_ends_in_an_unknown_decision_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed, "SOON", 1)
    result = by_events(crowded(3), 0, of_an_unknown_pod).result
    assert result.verdict is Verdict.UNKNOWN and result.followed == 0


def preempting(question: str) -> Scenario:
    """A full node, a pod that preempts there, and two pods that wait in vain."""
    low, high = pod("low", cpu=1, on="n1"), pod("high", cpu=1, priority=1, labels={"app": "web"})
    pods = (low, high, pod("p0", cpu=2), pod("p1", cpu=2))
    return scenario(*pods, node("n1", cpu=1), properties=(question,), profile="kubernetes")


IN_A_STATE, IN_A_STEP = "stays_on(app=web, disk=ssd)", "never_evicted(low)"


@pytest.mark.parametrize("question", [IN_A_STATE, IN_A_STEP])
def test_a_bad_state_or_step_is_found_by_following_behaviours_in_a_large_cluster(
    question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followed, "SOON", 1)
    checked = by_events(preempting(question), 0, plainly)
    (violation,) = checked.result.violations
    assert checked.result.verdict is Verdict.VIOLATED and checked.result.followed == 1
    assert violation.loop is None and replays(checked.machine, violation.trace)
    (explored,) = plainly(preempting(question), "direct", None, None).result.violations
    assert [str(stage.action) for stage in violation.trace] == [str(stage.action) for stage in explored.trace]


def test_behaviours_whose_steps_are_not_judged_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed, "SOON", 1)
    monkeypatch.setattr(followed, "_broken", lambda *_: False)
    assert by_events(preempting(IN_A_STEP), 0, plainly).result.followed == 0


def test_bad_steps_of_a_small_cluster_are_explored_for_the_shortest_behaviour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed, "SOON", 10)
    monkeypatch.setattr(followed, "FEW", 1)
    result = by_events(preempting(IN_A_STEP), 0, plainly).result
    assert result.verdict is Verdict.VIOLATED and result.followed == 0


def test_a_missing_witness_does_not_end_the_rounds() -> None:
    scene = scenario(
        pod("web"), node("n"), absent="web", rules=[on_pods("arrive", "web")], properties=("all_pods_bound",)
    )
    found = by_events(scene, 1, plainly)
    assert [each.verdict for each in found.rounds] == [Verdict.VIOLATED, Verdict.HOLDS]


def test_the_limit_of_one_round_ends_all() -> None:
    def few(scene: Scenario, engine: str, kept: Kept | None, soon: int | None) -> Checked:
        return check(scene, bounds=Bounds(max_states=2))

    found = by_events(two_nodes(), None, few)
    assert [each.stopped for each in found.rounds] == ["", "limits.states 2"]
    assert found.result.verdict is Verdict.GAVE_UP and not found.all_seen


def test_a_machine_that_forgets_the_bound_of_all_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    def own(self: Reference, rule: int) -> tuple[int, ...]:
        return (self._bounded.index(rule),) if rule in self._bounded else ()

    monkeypatch.setattr(Reference, "_counters", own)
    with pytest.raises(AssertionError):
        for seed in range(20):
            compare(random_scenario(seed))


def test_steps_that_are_kept_for_all_states_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    first: dict[str, list[Any]] = {}

    def stale(self: Any, state: State) -> list[Any]:
        return first.setdefault("", list(original(self, state)))

    original = Reference._others
    monkeypatch.setattr(Reference, "_others", stale)
    found = by_events(stranded_after(2), None, plainly)
    assert [each.verdict for each in found.rounds] != [Verdict.HOLDS] * 2 + [Verdict.VIOLATED]


def test_steps_that_are_kept_with_the_events_that_are_left_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    first: dict[Any, list[Any]] = {}

    def counted(self: Any, state: State) -> list[Any]:
        return first.setdefault((self._kept, state._replace(left=())), list(original(self, state)))

    original = Reference._others
    monkeypatch.setattr(Reference, "_others", counted)
    with pytest.raises(AssertionError):
        for seed in range(20):
            compare(random_scenario(seed))
