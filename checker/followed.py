"""Behaviours that are followed to their end, in a space that is too large to explore: `bad_end`, `to_the_end`."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random

from schedcheck.checker.check import Checked
from schedcheck.checker.limits.clock import Clock, OutOfTime
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.result import Stage, Verdict, Violation
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Eventually, LeadsTo, Property

SOON, FEWEST = 100_000, 50
"""The pods and nodes of all states together that are explored before single behaviours are followed to their end; and
the fewest of these states.
"""

BEHAVIOURS, LONGEST, SEED = 20, 4000, 0
"""How many behaviours are followed, at most how many steps, and what they are drawn from."""


def soon(scenario: Scenario) -> int:
    """Return how many states are explored before behaviours are followed: fewer of a large cluster, as each takes longer."""
    return max(FEWEST, SOON // (len(scenario.pods) + len(scenario.nodes)))


def bad_end(begun: Checked, asked: Sequence[Property], seconds: float | None) -> Checked | None:
    """Return the exploration with the violations that one of some random behaviours ends in; None if none does.

    The behaviour rests in its last state, as no step changes it. It is the shortest of those that were followed.
    """
    doing("following some behaviours to their end")
    clock, chance, number = Clock(seconds), Random(SEED), 0
    found: tuple[Violation, ...] = ()
    machine = begun.machine
    assert isinstance(machine, Reference)
    with suppress(OutOfTime):
        for _ in range(BEHAVIOURS):
            trace = to_the_end(machine, chance, clock)
            number += trace is not None
            if trace is None or (found and len(trace) >= len(found[0].trace)):
                continue
            end = machine.view(trace[-1].state)
            broken = [each for each in asked if not kept(each, end)]
            found = tuple(Violation(each, trace, len(trace) - 1) for each in broken) or found
    if not found:
        return None
    return replace(
        begun, result=replace(begun.result, verdict=Verdict.VIOLATED, violations=found, followed=number)
    )  # fmt: skip


def to_the_end(machine: Reference, chance: Random, clock: Clock) -> tuple[Stage, ...] | None:
    """Return a random behaviour that ends in a state that no step changes; None if it is long. Raises: OutOfTime."""
    (state,) = machine.initial_states()
    trace = [Stage(None, state)]
    while len(trace) < LONGEST:
        clock.look()
        step = machine.random_step(state, chance)
        if step is None:
            return tuple(trace)
        action, state = step
        trace.append(Stage(action, state))
    return None


def kept(question: Property, end: Snapshot) -> bool:
    """Whether a behaviour that rests in this snapshot satisfies a property about its end; other properties it does."""
    match question:
        case Eventually():
            return question.holds(end)
        case LeadsTo():
            return not question.when(end) or question.holds(end)
        case _:
            return True
