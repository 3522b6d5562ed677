"""Gangs in the machine: waiting pods, their time limit, and all states of two gangs on two nodes

The states are counted a second time without schedcheck, from the rules of the plugin alone.
"""

from dataclasses import replace
from itertools import product

from schedcheck.checker.check import Checked, check
from schedcheck.checker.result import Verdict
from schedcheck.model.nominations import EvictVictim, TimeOut
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.decisions import Bind, WaitOnPermit
from tests.support.building import pod
from tests.support.gangs import scenario_of


def machine(scenario: Scenario) -> Reference:
    return Reference(scenario, profile_of(scenario))


def explored(scenario: Scenario) -> Checked:
    return check(replace(scenario, properties=("no_overcommit",)))


def counted(pods: int, nodes: int) -> tuple[int, int]:
    """The reachable states of two gangs that need all their pods, and their steps, by a search of its own.

    A state says of each pod 0 (pending), n (waits for node n) or -n (bound to node n).
    """
    gangs = [range(pods), range(pods, 2 * pods)]

    def steps(state: tuple[int, ...]) -> list[tuple[int, ...]]:
        found = []
        for pod_, at in enumerate(state):
            gang = gangs[pod_ >= pods]
            if at > 0:
                found.append((*state[:pod_], 0, *state[pod_ + 1 :]))
            free = [n for n in range(1, nodes + 1) if n not in map(abs, state)] if at == 0 else []
            for n in free:
                placed = [*state[:pod_], n, *state[pod_ + 1 :]]
                if all(placed[each] for each in gang):
                    placed = [-abs(each) if place in gang else each for place, each in enumerate(placed)]
                found.append(tuple(placed))
            if at == 0 and not free:
                found.append(state)
        return found

    first = (0,) * (2 * pods)
    known, waiting, generated = {first}, [first], 1
    while waiting:
        for reached in steps(waiting.pop()):
            generated += 1
            if reached not in known:
                known.add(reached)
                waiting.append(reached)
    return len(known), generated


def test_all_states_of_two_gangs_are_those_of_a_search_by_hand() -> None:
    for pods, nodes in product((2, 3), (2, 3)):
        result = explored(scenario_of(pods, nodes, "blue", "red")).result
        assert (result.distinct, result.generated) == counted(pods, nodes)


def test_the_counts_are_pinned() -> None:
    found = [explored(scenario_of(2, nodes, "blue", "red")).result for nodes in (2, 3)]
    # No pod has a place; one of 4 pods waits; one of each gang waits; one of the 2 gangs is bound; and, on 3 nodes, one
    # of the other gang's 2 pods waits beside it.
    assert [each.distinct for each in found] == [1 + 4 * 2 + 4 * 2 + 2 * 2, 1 + 4 * 3 + 4 * 6 + 2 * 6 + 2 * 6 * 2]
    assert [each.depth for each in found] == [3, 4]


def test_gangs_are_not_tabulated_and_not_symmetric() -> None:
    checked = check(replace(scenario_of(2, 2, "blue", "red"), properties=("no_overcommit",)), engine="auto")
    assert (checked.engine, checked.symmetry) == ("direct", ())
    assert "permit" in checked.why


def test_a_time_limit_ends_the_wait_and_the_pod_may_be_tried_again() -> None:
    made = machine(scenario_of(2, 2, "red"))
    (start,) = made.initial_states()
    waiting = next(reached for action, reached in made.steps(start) if isinstance(action, WaitOnPermit))
    after = {str(action): reached for action, reached in made.steps(waiting)}
    assert after["TimeOut(red-1)"] == start
    assert TimeOut in made.kinds()


def test_without_the_gate_no_pod_waits_on_permit() -> None:
    made = machine(scenario_of(2, 2, "red", gate=False))
    assert not {TimeOut, WaitOnPermit} & {*made.kinds()}
    (start,) = made.initial_states()
    assert {type(action) for action, _ in made.steps(start)} == {Bind}


def test_a_preempted_waiting_pod_is_rejected_and_not_deleted() -> None:
    scenario = scenario_of(2, 1, "red")
    high = pod("urgent", 1, priority=1)
    made = machine(replace(scenario, pods=(*scenario.pods, high)))
    (start,) = made.initial_states()

    def state_after(state: State, name: str) -> State:
        return next(reached for action, reached in made.steps(state) if str(action) == name)

    waiting = state_after(start, "WaitOnPermit(red-1, n1)")
    nominated = state_after(waiting, "Nominate(urgent, n1, {red-1})")
    (evicted,) = (reached for action, reached in made.steps(nominated) if isinstance(action, EvictVictim))
    red = evicted.pods[0]
    assert red is not None
    assert (red.waits_on, red.terminating, red.preempted) == ("", False, False)


def test_a_deleted_waiting_pod_leaves_its_node() -> None:
    scenario = scenario_of(2, 2, "red", rules=(Rule("delete", pods=(("default", "red-1"),)),))
    made = machine(scenario)
    (start,) = made.initial_states()
    waiting = next(r for action, r in made.steps(start) if str(action) == "WaitOnPermit(red-1, n1)")
    deleted = next(r for action, r in made.steps(waiting) if str(action) == "Delete(red-1)")
    assert deleted.pods[0] is None


def test_a_gang_that_lost_a_node_is_bound_to_its_name_all_the_same() -> None:
    # The API server does not look for the node of a binding.
    scenario = scenario_of(2, 2, "red", rules=(Rule("fail", nodes=("n1",), bound=1),))
    checked = explored(scenario)
    assert checked.result.verdict is Verdict.HOLDS
