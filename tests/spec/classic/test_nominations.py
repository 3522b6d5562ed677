"""1.17's nominations, sentence by sentence from the account of preemption (source 002) and its code."""

from dataclasses import replace

import pytest

from schedcheck.checker.check import check, judging, profile_of
from schedcheck.model.reference import Reference
from schedcheck.spec.classic.decision import decision, turn
from schedcheck.spec.classic.filtering import failures, feasible, nominated
from schedcheck.spec.classic.policy import DEFAULT, Classic
from schedcheck.spec.classic.preemption import eligible, permitted, potential_nodes
from schedcheck.spec.decisions import Bind, Nominate, Wait
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.properties import room_kept
from schedcheck.spec.published.control_loop import after
from tests.support.building import apart, near, node, on_pods, pod, scenario, selector, snapshot, term

FULL = node("n", 2)
ALLOCATABLE = Classic(by_allocatable=True)


def victim(name: str = "v", cpu: float = 2, **fields: object) -> Pod:
    return pod(name, cpu, on="n", **fields)


def new(cpu: float = 2, priority: int = 10, **fields: object) -> Pod:
    return pod("new", cpu, priority=priority, **fields)


def waiting(name: str, cpu: float = 2, priority: int = 10, **fields: object) -> Pod:
    """A pod that is nominated to n."""
    return pod(name, cpu, priority=priority, nominated_node_name="n", **fields)


def decided(wanted: Pod, *others: object) -> set[str]:
    return {str(each) for each in decision(wanted, snapshot(wanted, *others), DEFAULT)}  # type: ignore[arg-type]


# The preemptor is nominated, and not placed at once.


def test_a_preemptor_is_nominated_and_bound_in_a_later_turn() -> None:
    there = snapshot(FULL, victim(), new())
    (decided_once,) = decision(new(), there, DEFAULT)
    assert decided_once == Nominate(new(), FULL, frozenset({victim()}), clears_always=True)
    reached = after(decided_once, there)
    held = next(each for each in reached.pods if each.name == "new")
    assert (held.node_name, held.nominated_node_name) == ("", "n")
    gone = reached - frozenset({victim()})
    assert decision(held, gone, DEFAULT) == {Bind(held, FULL)}


def test_a_preemptor_may_be_bound_elsewhere_as_its_nomination_is_no_promise() -> None:
    """Of the two feasible nodes the better one is taken, and not the nominated one."""
    assert decided(waiting("new", 1), FULL, node("m", 8)) == {"Bind(new, m)"}


# While a victim terminates its preemptor evicts nobody else.


def test_a_preemptor_waits_while_a_pod_of_lower_priority_terminates_on_its_node() -> None:
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
def test_a_pod_that_terminates_holds_back_only_the_preemptor_above_it_on_its_node(
    wanted: Pod, on_the_node: Pod
) -> None:
    assert eligible(wanted, snapshot(FULL, node("m", 1), on_the_node))


def test_a_pod_that_waits_for_its_victims_keeps_its_nomination() -> None:
    holding = waiting("new")
    there = snapshot(holding, FULL, victim(terminating=True))
    assert decision(holding, there, DEFAULT) == {Wait(holding)}
    assert permitted(holding, there, DEFAULT) == frozenset()


# A nomination is given up where no eviction helps.


def test_a_pod_that_no_eviction_could_help_loses_its_nomination() -> None:
    holding = waiting("new")
    there = snapshot(holding, replace(FULL, ready="False"), victim())
    assert potential_nodes(holding, there, DEFAULT) == ()
    assert decision(holding, there, DEFAULT) == {Wait(holding, unnominated=True)}
    assert decision(new(), there, DEFAULT) == {Wait(new())}


def test_a_pod_that_no_eviction_is_enough_for_keeps_its_nomination() -> None:
    """As in the code: only where no node is worth trying is the nomination cleared."""
    holding = waiting("new", 3)
    there = snapshot(holding, FULL, victim())
    assert decision(holding, there, DEFAULT) == {Wait(holding)}


def test_a_pod_that_finds_no_node_at_all_keeps_its_nomination() -> None:
    assert decision(waiting("new"), snapshot(), DEFAULT) == {Wait(waiting("new"))}


# The two passes.


def test_a_node_is_judged_with_the_nominated_pods_of_equal_or_higher_priority() -> None:
    for priority, passed in ((9, False), (10, False), (11, True)):
        wanted = pod("new", 1, priority=priority)
        there = snapshot(FULL, waiting("first"), wanted)
        assert (feasible(wanted, there, DEFAULT) != ()) is passed


def test_a_node_is_judged_without_the_nominated_pods_too() -> None:
    """Company that is only nominated may never come."""
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


def test_a_pod_is_not_nominated_against_itself() -> None:
    assert nominated(waiting("new"), FULL, snapshot(FULL, waiting("new"))) == frozenset()
    assert decided(waiting("new"), FULL) == {"Bind(new, n)"}


def test_who_was_bound_or_is_nominated_elsewhere_is_not_expected() -> None:
    bound = replace(waiting("a"), node_name="m")
    elsewhere = pod("b", 2, priority=10, nominated_node_name="m")
    assert nominated(new(), FULL, snapshot(FULL, bound, elsewhere)) == frozenset()


def test_victims_are_such_that_the_preemptor_fits_beside_those_nominated_before_it() -> None:
    there = snapshot(node("n", 3), victim("v", 1), victim("w", 1), waiting("first", 1, priority=20), new(1))
    assert {tuple(sorted(map(str, each.victims))) for each in permitted(new(1), there, DEFAULT)} == {("v",), ("w",)}


# Pods of lower priority give way.


def cleared(there: Snapshot, wanted: Pod) -> set[str]:
    (only,) = decision(wanted, there, DEFAULT)
    before = {each.name for each in there.pods if each.nominated_node_name}
    return before - {each.name for each in after(only, there).pods if each.nominated_node_name}


def test_pods_of_lower_priority_lose_their_nomination_to_the_node() -> None:
    for priority, lost in ((9, {"low"}), (10, set()), (11, set())):
        low = pod("low", 1, priority=priority, nominated_node_name="n")
        there = snapshot(node("n", 3), victim("v", 3), low, new(1))
        assert cleared(there, new(1)) == lost
    elsewhere = pod("low", 1, priority=9, nominated_node_name="m")
    assert cleared(snapshot(FULL, node("m", 0), victim(), elsewhere, new()), new()) == set()


def test_nominations_are_cleared_even_if_every_victim_terminates_already() -> None:
    low = pod("low", 2, priority=5, nominated_node_name="n")
    there = snapshot(FULL, victim(terminating=True), low, new())
    assert cleared(there, new()) == {"low"}


# Whose turn it is.


def test_any_pod_that_waits_may_be_taken_up_unless_it_terminates() -> None:
    """A pod that was tried in vain is set aside, so that it holds up nobody of lower priority."""
    pods = pod("a", 9, priority=5), pod("b"), pod("c", terminating=True), pod("d", on="n"), pod("e", phase="Failed")
    assert {each.name for each in turn(snapshot(FULL, *pods))} == {"a", "b"}


# In the machine.


def test_a_pod_whose_victim_still_terminates_does_not_preempt_again() -> None:
    """The victim lingers; before it has ended the only decision about the preemptor is to wait."""
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
def test_room_that_is_kept_for_a_nominated_pod_is_not_taken_by_a_later_one(engine: str) -> None:
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


def test_a_scheduler_that_forgets_the_nominated_is_noticed() -> None:
    """The broken twin of the room that is kept: with the nominated pods left out of the first pass, it is taken."""
    wanted = pod("late", 1)
    there = snapshot(FULL, waiting("first"), wanted)
    scene = scenario(FULL, wanted, waiting("first"), profile="classic")
    assert not room_kept(there, Bind(wanted, FULL), judging(scene))
    assert room_kept(there, Bind(waiting("first"), FULL), judging(scene))
