"""Behaviours that are followed to their end, in a space that is too large to explore: `bad_end`, `to_the_end`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import chain, islice
from random import Random
from typing import Any

from schedcheck.checker.check import Checked
from schedcheck.checker.limits.clock import Clock, OutOfTime
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.result import Stage, Verdict, Violation
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.decisions import Unknown
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Always, Eventually, LeadsTo, Property, Step

SOON, FEW = 100_000, 100
"""How many looks are taken before single behaviours are followed; and the most states that this is in a large cluster."""

BEHAVIOURS, LONGEST, SEED = 20, 4000, 0
"""How many behaviours are followed, at most how many steps, and what they are drawn from."""


def soon(scenario: Scenario) -> int:
    """Return how many states are explored before behaviours are followed: fewer of a large cluster, as each takes longer.

    A state takes a look at every object, and at every node for each pod that waits.
    """
    waiting = sum(not pod.node_name and pod.key not in scenario.absent for pod in scenario.pods)
    looks = max(len(scenario.pods) + len(scenario.nodes), waiting * len(scenario.nodes))
    return max(1, SOON // looks)


def worth_following(questions: Sequence[Property], scenario: Scenario) -> bool:
    """Whether behaviours are followed: all is asked of their ends, or the cluster is large and one may show a violation."""
    if all(isinstance(each, LeadsTo) for each in questions):
        return True
    return is_large(scenario) and any(isinstance(each, LeadsTo | Always | Step) for each in questions)


def is_large(scenario: Scenario) -> bool:
    """Whether few states are explored before behaviours are followed."""
    return soon(scenario) <= FEW


def bad_end(begun: Checked, asked: Sequence[Property], seconds: float | None) -> Checked | None:
    """Return the exploration with the violations that some random behaviours end in, or meet; None if none does.

    The behaviour rests in its last state, as no step changes it. Each violation is the shortest of those found. In a
    large cluster the first behaviour that is bad ends the search.
    """
    doing("following some behaviours to their end")
    clock, chance, number = Clock(seconds), Random(SEED), 0
    found: dict[str, Violation] = {}
    machine, mentioned = begun.machine, frozenset(chain.from_iterable(each.mentions for each in asked))
    assert isinstance(machine, Reference)
    with suppress(OutOfTime):
        for turn in range(BEHAVIOURS):
            trace = to_the_end(machine, chance, clock, mentioned if turn % 2 else frozenset())
            if trace is None:
                continue
            number += 1
            for bad in violations(asked, trace, machine):
                known = found.get(bad.property.name)
                if known is None or len(bad.trace) < len(known.trace):
                    found[bad.property.name] = bad
            if found and is_large(begun.scenario):
                break
    if not found:
        return None
    return replace(
        begun, result=replace(begun.result, verdict=Verdict.VIOLATED, violations=tuple(found.values()), followed=number)
    )  # fmt: skip


def violations(asked: Sequence[Property], trace: tuple[Stage, ...], machine: Reference) -> Iterator[Violation]:
    """Yield the violation of each property that this behaviour violates: by a state, by a step, or by its end."""
    seen = cache(lambda place: machine.view(trace[place].state))
    for question in asked:
        places: Iterable[int]
        match question:
            case Always():
                places = (place for place in range(len(trace)) if not question.holds(seen(place)))
            case Step():
                places = (
                    place for place in range(1, len(trace)) if _broken(question, trace[place].action, seen, place)
                )
            case Eventually() if any(question.holds(seen(place)) for place in reversed(range(len(trace)))):
                places = ()
            case _:
                places = () if kept(question, seen(len(trace) - 1)) else (len(trace) - 1,)
        for first in islice(places, 1):
            yield Violation(question, trace[: first + 1], None if isinstance(question, Always | Step) else first)


def _broken(question: Step, action: Any, seen: Callable[[int], Snapshot], place: int) -> bool:
    """Whether the step to this place of a behaviour violates the property."""
    return type(action) in question.kinds and not question.holds(seen(place - 1), action, seen(place))


def to_the_end(
    machine: Reference, chance: Random, clock: Clock, against: frozenset[str] = frozenset()
) -> tuple[Stage, ...] | None:
    """Return a random behaviour that ends in a state that no step changes; None if it is long, or its end is unknown.

    `against`: the names of pods which it works against, as in `random_step`.

    Raises: OutOfTime.
    """
    (state,) = machine.initial_states()
    trace = [Stage(None, state)]
    while len(trace) < LONGEST:
        clock.look()
        step = machine.random_step(state, chance, against)
        if step is None:
            return tuple(trace)
        action, state = step
        if isinstance(action, Unknown):
            return None
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
