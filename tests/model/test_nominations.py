"""The control loop of kube-scheduler as a transition system: nominations, single evictions, terminating pods"""

from dataclasses import replace

from schedcheck.checker.check import check
from schedcheck.checker.exploring.symmetry import indifferent
from schedcheck.checker.result import Verdict
from schedcheck.model.nominations import NOBODY, due
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import Pod
from tests.support.building import UNIT, node, pod

HIGH, FIRST, SECOND = pod("high", cpu=4, priority=9), pod("first", cpu=2), pod("second", cpu=2)


def scenario(*pods: Pod, profile: str = "kubernetes", **fields: object) -> Scenario:
    waiting = {"absent": frozenset[tuple[str, str]](), "profile": profile} | fields
    return Scenario("s", tuple(sorted(pods, key=lambda each: each.key)), (node("n", 4),), **waiting)  # type: ignore[arg-type]


def on(place: str, each: Pod) -> Pod:
    return replace(each, node_name=place, phase="Running")


def machine(asked: Scenario) -> Reference:
    return Reference(asked, profile_of(asked))


def story(asked: Scenario, *actions: str) -> State:
    """The state after these actions, each of which must be enabled."""
    moving = machine(asked)
    (state,) = moving.initial_states()
    for action in actions:
        state = {str(step): after for step, after in moving.steps(state)}[action]
    return state


def possible(asked: Scenario, state: State) -> list[str]:
    return [str(action) for action, _ in machine(asked).steps(state)]


CROWDED = scenario(HIGH, on("n", FIRST), on("n", SECOND))
NOMINATED = "Nominate(high, n, {first, second})"


def test_victims_are_evicted_one_by_one_and_end_before_the_binding() -> None:
    state = story(CROWDED, NOMINATED)
    assert possible(CROWDED, state) == ["EvictVictim(first)", "EvictVictim(second)"]
    state = story(CROWDED, NOMINATED, "EvictVictim(second)")
    assert possible(CROWDED, state) == ["EvictVictim(first)", "Terminate(second)"]
    state = story(CROWDED, NOMINATED, "EvictVictim(second)", "EvictVictim(first)")
    # Scheduled again, the pod may not evict more: its victims still terminate.
    assert possible(CROWDED, state) == ["Terminate(first)", "Terminate(second)", "Wait(high)"]


def test_nominating_evicting_and_terminating_equals_an_atomic_preemption() -> None:
    """Except for the nomination, and if nothing comes between."""
    evicted = ("EvictVictim(first)", "EvictVictim(second)", "Terminate(first)", "Terminate(second)")
    end = story(CROWDED, NOMINATED, *evicted)
    at_once = story(replace(CROWDED, profile="corrected"), "Preempt(high, n, {first, second})")
    unnominated = [each and replace(each, nominated_node_name="") for each in end.pods]
    assert unnominated == list(at_once.pods) and end.to_evict == ()
    assert possible(CROWDED, end) == ["Bind(high, n)"]


def test_the_nomination_ends_with_the_binding() -> None:
    evicted = ("EvictVictim(first)", "EvictVictim(second)", "Terminate(first)", "Terminate(second)")
    (high,) = (each for each in story(CROWDED, NOMINATED, *evicted, "Bind(high, n)").pods if each)
    assert (high.node_name, high.nominated_node_name) == ("n", "")


def test_evictions_continue_after_their_preemptor_is_deleted() -> None:
    asked = replace(CROWDED, rules=(Rule("delete", pods=(HIGH.key,)),))
    state = story(asked, NOMINATED, "Delete(high)")
    assert state.to_evict == ((NOBODY, 0), (NOBODY, 2))
    assert possible(asked, state) == ["EvictVictim(first)", "EvictVictim(second)"]


def test_a_deleted_victim_is_not_evicted_even_if_it_arrives_again() -> None:
    asked = replace(CROWDED, rules=(Rule("delete", pods=(FIRST.key,)), Rule("arrive", pods=(FIRST.key,))))
    state = story(asked, NOMINATED, "Delete(first)", "Arrive(first)")
    assert "EvictVictim(first)" not in possible(asked, state) and "EvictVictim(second)" in possible(asked, state)


def test_a_terminating_pod_is_not_evicted_again() -> None:
    asked = scenario(HIGH, replace(on("n", FIRST), terminating=True), on("n", SECOND))
    assert possible(asked, story(asked, NOMINATED)) == ["EvictVictim(second)", "Terminate(first)"]


def test_an_owner_may_recreate_a_victim() -> None:
    asked = replace(CROWDED, victims="pending")
    state = story(asked, NOMINATED, "EvictVictim(first)", "Terminate(first)")
    assert state.pods[0] == FIRST


def test_a_due_victim_is_present_and_not_terminating() -> None:
    pods = (on("n", FIRST), replace(on("n", SECOND), terminating=True), None, HIGH)
    assert due(((3, 0), (3, 1), (3, 2)), pods) == ((3, 0),)
    assert due(((3, 0),), (*pods[:3], None)) == ((NOBODY, 0),)
    assert due(((3, 0),), (FIRST, *pods[1:])) == (), "a pod without a node is not a victim"


def test_the_room_made_by_evictions_may_be_taken_by_another_pod() -> None:
    """A preemptor has no guarantee of its node: while its victims terminate, a pod of higher priority takes the room."""
    higher = pod("higher", cpu=4, priority=10)
    asked = scenario(
        HIGH, higher, on("n", FIRST), absent=frozenset({higher.key}), rules=(Rule("arrive", pods=(higher.key,)),)
    )
    state = story(
        asked,
        "Nominate(high, n, {first})",
        "EvictVictim(first)",
        "Terminate(first)",
        "Arrive(higher)",
        "Bind(higher, n)",
    )
    assert [each.node_name for each in state.pods if each] == ["", "n"]


def test_gated_pods_and_pods_of_another_scheduler_are_not_scheduled() -> None:
    gated = pod("gated", scheduling_gates=("wait",))
    foreign = pod("foreign", scheduler_name="other")
    asked = scenario(gated, foreign, pod("p"))
    assert possible(asked, story(asked)) == ["Bind(p, n)"]


def test_a_departure_is_found_as_a_violation_of_the_documentation() -> None:
    """With its own 900m `p` would leave 300 of 2000 on `m` and 100 of 1000 on `n`; scored with 100m it leaves 1100 and
    900.
    """
    wanted = pod("p", pod_requests={"cpu": 900 * UNIT})
    asked = replace(
        scenario(wanted, on("m", pod("there", cpu=800))),
        nodes=(node("m", 2000), node("n", 1000)),
        properties=("bind_most_viable",),
    )
    assert check(asked).result.verdict == Verdict.VIOLATED
    assert check(replace(asked, profile="kubernetes-documented")).result.verdict == Verdict.HOLDS


def test_symmetry_is_off_if_a_nomination_may_name_a_node() -> None:
    assert indifferent(scenario(FIRST, SECOND)) and not indifferent(scenario(FIRST, HIGH))
    assert not indifferent(scenario(replace(FIRST, nominated_node_name="n")))
    assert indifferent(scenario(FIRST, HIGH, profile="corrected"))


def test_symmetry_changes_no_verdict_about_kube_scheduler() -> None:
    pods = tuple(pod(f"p{number}", cpu=2) for number in range(3))
    asked = replace(
        scenario(*pods, absent=frozenset(each.key for each in pods)),
        nodes=(node("m", 4), node("n", 4)),
        rules=(Rule("arrive", pods=tuple(each.key for each in pods)), Rule("delete", pods=(pods[0].key,))),
    )
    plain, symmetric = check(asked, symmetry=False).result, check(asked).result
    assert plain.verdict == symmetric.verdict == Verdict.HOLDS
    assert symmetric.distinct < plain.distinct
