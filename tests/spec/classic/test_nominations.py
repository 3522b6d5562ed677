"""Nominations in Kubernetes 1.17, one test for each sentence of its description of preemption (source 002) and of its
code
"""

from dataclasses import replace

import pytest

from schedcheck.checker.check import check
from schedcheck.model.profiles import judging, profile_of
from schedcheck.model.reference import Reference
from schedcheck.spec.classic.decision import decision, turn
from schedcheck.spec.classic.filtering import failures, feasible, nominated
from schedcheck.spec.classic.policy import DEFAULT, Classic
from schedcheck.spec.classic.preemption import eligible, permitted, potential_nodes
from schedcheck.spec.decisions import Bind, Nominate, Wait
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.properties.of_decisions import room_kept
from schedcheck.spec.published.control_loop import after
from tests.support.building import apart, near, node, on_pods, pod, scenario, selector, snapshot, term

FULL = node("n", 2)
ALLOCATABLE = Classic(by_allocatable=True)


def victim(name: str = "v", cpu: float = 2, **fields: object) -> Pod:
    return pod(name, cpu, on="n", **fields)


def new(cpu: float = 2, priority: int = 10, **fields: object) -> Pod:
    return pod("new", cpu, priority=priority, **fields)


def waiting(name: str, cpu: float = 2, priority: int = 10, **fields: object) -> Pod:
    """A pending pod that is nominated to n."""
    return pod(name, cpu, priority=priority, nominated_node_name="n", **fields)


def decided(wanted: Pod, *others: object) -> set[str]:
    return {str(each) for each in decision(wanted, snapshot(wanted, *others), DEFAULT)}  # type: ignore[arg-type]


# The preemptor is nominated, and not bound at once.


def test_a_preemptor_is_nominated_and_bound_in_a_later_turn() -> None:
    there = snapshot(FULL, victim(), new())
    (decided_once,) = decision(new(), there, DEFAULT)
    assert decided_once == Nominate(new(), FULL, frozenset({victim()}), clears_always=True)
    reached = after(decided_once, there)
    held = next(each for each in reached.pods if each.name == "new")
    assert (held.node_name, held.nominated_node_name) == ("", "n")
    gone = reached - frozenset({victim()})
    assert decision(held, gone, DEFAULT) == {Bind(held, FULL)}


def test_a_preemptor_may_be_bound_to_a_better_node_than_its_nominated_one() -> None:
    """Of two feasible nodes the one with the better score is chosen."""
    assert decided(waiting("new", 1), FULL, node("m", 8)) == {"Bind(new, m)"}


# While a victim terminates, its preemptor evicts no other pod.


def test_a_preemptor_waits_while_a_lower_priority_pod_terminates_on_its_node() -> None:
    more = victim("w", 1), victim("v", 1)
    assert decided(waiting("new"), FULL, more[0], replace(more[1], terminating=True)) == {"Wait(new)"}
    assert decided(waiting("new"), FULL, *more) == {"Nominate(new, n, {v, w})"}


@pytest.mark.parametrize(
    ("wanted", "on_the_node"),
    [
        (new(), victim("v", 1, terminating=True)),
        (pod("new", 2, priority=10, nominated_node_name="m"), victim("v", 1, terminating=True)),
        (pod("new", 2, priority=10, nominated_node_name="gone"), victim("v", 1, terminating=True)),
        (waiting("new"), victim("v", 1, priority=10, terminating=True)),
        (waiting("new"), victim("v", 1, terminating=True, phase="Succeeded")),
    ],
    ids=["not nominated", "nominated elsewhere", "its node is gone", "of no lower priority", "it has ended"],
)
def test_a_terminating_pod_holds_back_only_its_own_preemptor(wanted: Pod, on_the_node: Pod) -> None:
    assert eligible(wanted, snapshot(FULL, node("m", 1), on_the_node))


def test_a_pod_that_waits_for_its_victims_keeps_its_nomination() -> None:
    holding = waiting("new")
    there = snapshot(holding, FULL, victim(terminating=True))
    assert decision(holding, there, DEFAULT) == {Wait(holding)}
    assert permitted(holding, there, DEFAULT) == frozenset()


# A nomination is cleared where no eviction can help.


def test_the_nomination_is_cleared_when_no_node_is_a_preemption_candidate() -> None:
    holding = waiting("new")
    there = snapshot(holding, replace(FULL, ready="False"), victim())
    assert potential_nodes(holding, there, DEFAULT) == ()
    assert decision(holding, there, DEFAULT) == {Wait(holding, unnominated=True)}
    assert decision(new(), there, DEFAULT) == {Wait(new())}


def test_the_nomination_is_kept_when_evictions_would_not_free_enough() -> None:
    """As in the code: the nomination is cleared only if there is no potential node."""
    holding = waiting("new", 3)
    there = snapshot(holding, FULL, victim())
    assert decision(holding, there, DEFAULT) == {Wait(holding)}


def test_the_nomination_is_kept_when_there_is_no_node_at_all() -> None:
    assert decision(waiting("new"), snapshot(), DEFAULT) == {Wait(waiting("new"))}


# The two passes of the predicates.


def test_predicates_count_nominated_pods_of_equal_or_higher_priority() -> None:
    for priority, passed in ((9, False), (10, False), (11, True)):
        wanted = pod("new", 1, priority=priority)
        there = snapshot(FULL, waiting("first"), wanted)
        assert (feasible(wanted, there, DEFAULT) != ()) is passed


def test_a_node_must_also_be_feasible_without_the_nominated_pods() -> None:
    """A nominated pod that satisfies an affinity may never be bound there."""
    company = near(term("zone", selector(app="db")))
    zoned = node("n", 2, labels={"zone": "a"})
    wanted = new(1, affinity=company)
    there = snapshot(zoned, waiting("db", 1, labels={"app": "db"}), wanted)
    assert feasible(wanted, there, DEFAULT) == ()
    assert feasible(wanted, snapshot(zoned, victim("db", 1, labels={"app": "db"}), wanted), DEFAULT) == (zoned,)


def test_the_anti_affinity_of_a_nominated_pod_counts() -> None:
    zoned = node("n", 2, labels={"zone": "a"})
    shy = waiting("shy", 1, affinity=apart(term("zone", selector(app="web"))))
    wanted = new(1, labels={"app": "web"})
    assert feasible(wanted, snapshot(zoned, shy, wanted), DEFAULT) == ()
    (failed, *_) = failures(wanted, zoned, snapshot(zoned, shy, wanted), DEFAULT)
    assert failed.words == "node(s) didn't match pod affinity/anti-affinity"


def test_a_pod_does_not_count_as_nominated_against_itself() -> None:
    assert nominated(waiting("new"), FULL, snapshot(FULL, waiting("new"))) == frozenset()
    assert decided(waiting("new"), FULL) == {"Bind(new, n)"}


def test_bound_pods_and_pods_nominated_elsewhere_do_not_count_as_nominated() -> None:
    bound = replace(waiting("a"), node_name="m")
    elsewhere = pod("b", 2, priority=10, nominated_node_name="m")
    assert nominated(new(), FULL, snapshot(FULL, bound, elsewhere)) == frozenset()


def test_victims_leave_room_for_pods_nominated_with_higher_priority_too() -> None:
    there = snapshot(node("n", 3), victim("v", 1), victim("w", 1), waiting("first", 1, priority=20), new(1))
    assert {tuple(sorted(map(str, each.victims))) for each in permitted(new(1), there, DEFAULT)} == {("v",), ("w",)}


# Nominated pods of lower priority give way to a preemptor.


def cleared(there: Snapshot, wanted: Pod) -> set[str]:
    (only,) = decision(wanted, there, DEFAULT)
    before = {each.name for each in there.pods if each.nominated_node_name}
    return before - {each.name for each in after(only, there).pods if each.nominated_node_name}


def test_preemption_clears_lower_priority_nominations_to_the_node() -> None:
    for priority, lost in ((9, {"low"}), (10, set()), (11, set())):
        low = pod("low", 1, priority=priority, nominated_node_name="n")
        there = snapshot(node("n", 3), victim("v", 3), low, new(1))
        assert cleared(there, new(1)) == lost
    elsewhere = pod("low", 1, priority=9, nominated_node_name="m")
    assert cleared(snapshot(FULL, node("m", 0), victim(), elsewhere, new()), new()) == set()


def test_nominations_are_cleared_even_if_every_victim_already_terminates() -> None:
    low = pod("low", 2, priority=5, nominated_node_name="n")
    there = snapshot(FULL, victim(terminating=True), low, new())
    assert cleared(there, new()) == {"low"}


# Which pending pod is tried next.


def test_any_pending_pod_may_be_tried_next_unless_it_terminates() -> None:
    """A pod that was tried without success moves out of the way, so that it does not block pods of lower priority."""
    pods = pod("a", 9, priority=5), pod("b"), pod("c", terminating=True), pod("d", on="n"), pod("e", phase="Failed")
    assert {each.name for each in turn(snapshot(FULL, *pods))} == {"a", "b"}


# In the transition system.


def test_a_pod_whose_victim_still_terminates_does_not_preempt_again() -> None:
    """Until the terminating victim has ended, the only decision about the preemptor is to wait."""
    scene = scenario(
        node("n", 2),
        node("m", 2),
        pod("v", 2, on="n"),
        pod("w", 2, on="m"),
        new(),
        profile="classic",
        policy=ALLOCATABLE,
    )
    machine = Reference(scene, profile_of(scene))
    (state,) = machine.initial_states()
    taken: list[str] = []
    for prefix in ("Nominate(new, n", "EvictVictim(v)", "Wait(new)", "Terminate(v)", "Bind(new, n)"):
        found = {str(action): reached for action, reached in machine.steps(state)}
        name = next(each for each in found if each.startswith(prefix))
        assert not any(each.startswith("Nominate") for each in found) or prefix.startswith("Nominate")
        taken.append(name)
        state = found[name]
    assert taken[0] == "Nominate(new, n, {v})"
    assert [str(each) for each in machine.view(state).pods if each.node_name] == ["new", "w"]


@pytest.mark.parametrize("engine", ["both", "direct"])
def test_room_kept_for_a_nominated_pod_is_not_taken_by_a_later_pod(engine: str) -> None:
    scene = scenario(
        node("n", 2),
        pod("v", 2, on="n"),
        new(2, 10),
        pod("late", 1),
        absent="late",
        rules=[on_pods("arrive", "late")],
        profile="classic",
        policy=ALLOCATABLE,
        properties=("room_kept", "pod_can_still_be_bound(new)"),
    )
    assert check(scene, engine=engine).result.violations == ()


def test_a_scheduler_that_ignores_nominated_pods_breaks_room_kept() -> None:
    """The broken twin leaves the nominated pods out of the first pass and takes the room."""
    wanted = pod("late", 1)
    there = snapshot(FULL, waiting("first"), wanted)
    scene = scenario(FULL, wanted, waiting("first"), profile="classic")
    assert not room_kept(there, Bind(wanted, FULL), judging(scene))
    assert room_kept(there, Bind(waiting("first"), FULL), judging(scene))
