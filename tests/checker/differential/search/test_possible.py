"""Which steps are possible in a state: a missing step, a wrong one and one that does nothing are noticed"""

import pytest

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.model.production.machine.actions import KINDS, Advance, Deliver, Evicting, PermitOver, TimedOut, Try
from schedcheck.model.production.machine.machine import Production, State
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from tests.checker.differential.search.possible import GOES_ON, possible, wrong_steps
from tests.checker.differential.search.walks import machine
from tests.support.building import node, pod

HIGH = pod("p", 2, priority=9)
SCENARIO = Scenario(
    "possible",
    (HIGH, pod("q", 1), pod("v", 1, "n1"), pod("w", 1, "n1")),
    (node("n1", 2), node("n2", 1)),
    rules=(Rule("cordon", nodes=("n1",), bound=1),),
    profile="kubernetes",
    plugins=(DEFAULT_PLUGINS,),
)


def states() -> tuple[Production, list[State]]:
    """Return the states of a preemption beside a binding, whose steps are taken as they come."""
    made = machine(SCENARIO, faults=0, interrupted=False)
    chance, found = Chance("possible"), [next(iter(made.initial_states()))]
    for _ in range(25):
        after = [state for action, state in made.steps(found[-1]) if isinstance(action, KINDS) and state != found[-1]]
        if not after:
            break
        found.append(chance.choice(after))
    return made, found


MACHINE, STATES = states()


def test_the_states_have_steps_of_most_kinds() -> None:
    assert {kind for state in STATES for kind, _ in possible(state)} >= {Try, Evicting, Deliver, Advance, TimedOut}


def test_the_steps_of_the_machine_are_those_that_are_possible() -> None:
    assert [wrong_steps(state, list(MACHINE.steps(state))) for state in STATES] == [""] * len(STATES)


@pytest.mark.parametrize("kind", [Try, Evicting, Deliver, Advance, TimedOut])
def test_a_step_that_is_not_taken_is_noticed(kind: type) -> None:
    told = [
        wrong_steps(state, [each for each in MACHINE.steps(state) if not isinstance(each[0], kind)])
        for state in STATES
        if any(each is kind for each, _ in possible(state))
    ]
    assert told and all(f"{kind.__name__}(" in each and each.endswith("are not taken") for each in told)


@pytest.mark.parametrize("kind", [PermitOver, Evicting, Advance])
def test_a_step_of_nothing_is_noticed(kind: type) -> None:
    first = STATES[0]
    assert "are taken wrongly" in wrong_steps(first, [*MACHINE.steps(first), (kind("x"), STATES[-1])])


@pytest.mark.parametrize("kind", [each for each in GOES_ON if each is not PermitOver])
def test_a_step_that_does_nothing_is_noticed(kind: type) -> None:
    told = [
        wrong_steps(state, [(step, state if isinstance(step, kind) else after) for step, after in MACHINE.steps(state)])
        for state in STATES
        if any(each is kind for each, _ in possible(state))
    ]
    assert told and all(each.endswith("do nothing") for each in told)


def test_a_pod_that_waits_for_its_permit_is_not_bound_before() -> None:
    waits = State(STATES[0].objects, memory=STATES[0].memory._replace(permits=((HIGH, ("A", "B"), None),), waiters=()))
    assert possible(waits) == {(PermitOver, "p, A"), (PermitOver, "p, B")}
