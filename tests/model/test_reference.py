"""The reference transition system takes exactly the steps of the specification, in a fixed order"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings

from schedcheck.checker.drawing.scenarios import scenarios
from schedcheck.checker.exploring.memo import remembering
from schedcheck.manifests import read
from schedcheck.manifests import scenario as read_scenario
from schedcheck.model.controllers import Deschedule
from schedcheck.model.environment import EVENTS
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Scenario
from schedcheck.spec.decisions import Bind, Preempt, Wait
from schedcheck.spec.faults import Fault
from schedcheck.spec.profiles import CORRECTED, profile, scheduler
from schedcheck.spec.properties.of_snapshots import type_correct
from schedcheck.spec.published.control_loop import after
from tests.support.building import namespace, node, on_nodes, on_pods, pod, scenario, snapshot

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
DECISIONS = (Bind, Preempt, Wait)


def machine_of(each: Scenario) -> Reference:
    return Reference(each, profile("test", frozenset(Fault(name) for name in each.faults)))


def some_states(machine: Reference, most: int = 40) -> list[State]:
    """The first states in BFS order."""

    def found() -> Iterator[State]:
        states = list(machine.initial_states())
        seen = set(states)
        for state in states:
            yield state
            for _, reached in machine.steps(state):
                if reached not in seen:
                    seen.add(reached)
                    states.append(reached)

    return list(islice(found(), most))


@settings(max_examples=100, suppress_health_check=SLOW)
@given(scenarios())
def test_its_decisions_are_those_of_the_specification(each: Scenario) -> None:
    machine = machine_of(each)
    for state in some_states(machine):
        taken = [action for action, _ in machine.steps(state) if isinstance(action, DECISIONS)]
        assert len(set(taken)) == len(taken)
        assert set(taken) == scheduler(machine.view(state), machine.profile)


@settings(max_examples=100, suppress_health_check=SLOW)
@given(scenarios())
def test_a_decision_has_the_effect_given_in_the_specification(each: Scenario) -> None:
    """Equal as snapshots where victims are removed; where they are pending again, equal except for the victims."""
    machine = machine_of(each)
    for state in some_states(machine):
        for decision in scheduler(machine.view(state), machine.profile):
            seen = machine.view(machine.carried_out(decision, state))
            if each.victims == "pending" and isinstance(decision, Preempt):
                keys = {victim.key for victim in decision.victims}
                again = frozenset(one for one in seen.pods if one.key in keys)
                assert all((one.node_name, one.phase) == ("", "Pending") for one in again)
                assert len(again) == len(keys)
                seen = seen - again
            assert seen == after(decision, machine.view(state))


@settings(max_examples=60, suppress_health_check=SLOW)
@given(scenarios())
def test_steps_and_their_order_do_not_depend_on_earlier_calls(each: Scenario) -> None:
    machine = machine_of(each)
    for state in reversed(some_states(machine)):
        taken = list(machine.steps(state))
        assert taken == list(machine.steps(state)) == list(machine_of(each).steps(state))
        texts = [str(action) for action, _ in taken if isinstance(action, DECISIONS)]
        assert texts == sorted(texts)
        assert [action for action, _ in taken if isinstance(action, DECISIONS)] == [
            action for action, _ in taken[len(taken) - len(texts) :]
        ]


@settings(max_examples=60, suppress_health_check=SLOW)
@given(scenarios())
def test_every_step_has_a_declared_kind_and_states_print_differently(each: Scenario) -> None:
    machine = machine_of(each)
    states = some_states(machine)
    assert {type(action) for state in states for action, _ in machine.steps(state)} <= set(machine.kinds())
    assert len({repr(state) for state in states}) == len(states)
    assert all(type_correct(machine.view(state)) for state in states)
    assert all(view.pods == snapshot(*view.pods).pods for view in map(machine.view, states))


def test_the_initial_state_holds_the_present_objects_of_the_scenario() -> None:
    each = scenario(
        pod("a", 1, on="n"), pod("b"), pod("c", on="gone"), node("n", 1), namespace("default", x="y"), absent="b"
    )
    machine = Reference(each, CORRECTED)
    (state,) = machine.initial_states()
    assert state == State((pod("a", 1, on="n"), None, pod("c", on="gone")), (node("n", 1),))
    assert machine.view(state) == snapshot(
        pod("a", 1, on="n"), pod("c", on="gone"), node("n", 1), namespace("default", x="y")
    )


def test_its_kinds_are_the_events_of_its_rules_and_the_decisions() -> None:
    each = scenario(pod("a"), node("n"), rules=[on_nodes("fail", "n"), on_pods("arrive", "a"), on_nodes("fail", "n")])
    assert Reference(each, CORRECTED).kinds() == (EVENTS["arrive"], EVENTS["fail"], *DECISIONS)


def test_events_come_first_then_decisions_sorted_by_text() -> None:
    each = scenario(
        pod("a"),
        pod("b"),
        node("m"),
        node("n"),
        rules=[on_nodes("cordon", "m n"), on_pods("delete", "a b"), on_nodes("fail", "n")],
    )
    machine = Reference(each, CORRECTED)
    (state,) = machine.initial_states()
    assert [str(action) for action, _ in machine.steps(state)] == [
        *("Delete(a)", "Delete(b)", "Cordon(m)", "Cordon(n)", "Fail(n)"),
        *("Bind(a, m)", "Bind(a, n)", "Bind(b, m)", "Bind(b, n)"),
    ]


def test_a_state_is_unfinished_while_a_pod_is_pending() -> None:
    def unfinished(*pods: object) -> bool:
        machine = Reference(scenario(*pods, node("n")), CORRECTED)  # type: ignore[arg-type]
        return machine.unfinished(next(iter(machine.initial_states())))

    assert unfinished(pod("a"))
    assert not unfinished()
    assert not unfinished(pod("a", on="n"), pod("b", on="gone"), pod("c", phase="Failed"))


def test_equal_objects_of_different_states_are_identical() -> None:
    each = scenario(pod("a"), pod("b"), node("n"), rules=[on_pods("delete", "a b")])
    machine = Reference(each, CORRECTED)
    (state,) = machine.initial_states()
    first, second = (
        next(after for action, after in machine.steps(state) if str(action) == "Bind(a, n)") for _ in (1, 2)
    )
    assert first is not second
    assert first.pods[0] is second.pods[0]
    assert machine.one(pod("a")) is machine.one(pod("a"))


@settings(max_examples=60, suppress_health_check=SLOW)
@given(scenarios())
def test_a_random_step_is_one_of_the_steps_that_change_the_state(each: Scenario) -> None:
    machine, chance = machine_of(each), Random(0)
    for state in some_states(machine, 15):
        changing = [(action, reached) for action, reached in machine.steps(state) if reached != state]
        drawn = machine.random_step(state, chance)
        assert drawn in changing if changing else drawn is None


BESIDE = (
    "descheduler-duplicates",
    "descheduler-levelling",
    "descheduler-packing",
    "descheduler-spread",
    "karpenter-oscillate",
    "rollout-duplicates",
    "preemption-chain",
)


def of_example(name: str) -> Reference:
    each = read_scenario(read([Path("examples") / name]), frozenset())
    return Reference(each, remembering(profile_of(each), each.pods))


@pytest.mark.parametrize("name", BESIDE)
def test_the_steps_of_a_kind_are_those_among_all_steps(name: str) -> None:
    machine, taken = of_example(name), Counter[type]()
    for state in some_states(machine, 25):
        steps = list(machine.steps(state))
        taken.update(type(action) for action, _ in steps)
        for kind in machine.kinds():
            found = [step for step in machine.steps_of_kind(state, kind) if type(step[0]) is kind]
            assert found == [step for step in steps if type(step[0]) is kind]
    assert len(taken) > 1


@pytest.mark.parametrize("name", [name for name in BESIDE if name.startswith("descheduler")])
def test_all_that_a_plugin_has_just_decided_on_can_happen(name: str) -> None:
    """What can no longer happen is dropped from a cycle after every other step; here nothing would be."""
    machine, decided = of_example(name), 0
    descheduling = machine._descheduling
    assert descheduling is not None
    for state in some_states(machine, 60):
        for action, reached in machine.steps(state):
            if isinstance(action, Deschedule) and reached.cycle is not None:
                decided += 1
                assert descheduling.lasting(reached.cycle, reached.pods, machine.view(reached)) == reached.cycle
    assert decided > 0
