"""A shorter trace to a violation: `shortened`, by leaving out steps as long as what is left is a violation too.

Each attempt leaves out some consecutive steps, and takes the same actions after them. What is left is judged as every
trace is. The result is not the shortest trace in general.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from schedcheck.checker.exploring.exploration import Exploration, State
from schedcheck.checker.liveness.graph import instance
from schedcheck.checker.liveness.repetitions import repetition
from schedcheck.checker.liveness.temporal import NotABehaviour, shown
from schedcheck.checker.result import Stage, Violation
from schedcheck.spec.properties.kinds import Once

SIZES = (16, 8, 4, 3, 2, 1)
"""How many steps are left out at once, one number after the other."""

MOST_STATES = 1_000
"""The states whose steps are looked at, for one violation."""

Steps = dict[Hashable, dict[tuple[type, str], tuple[Any, Any]]]
"""The first step of each instance from each state that was looked at."""


def shortened(begun: Exploration[State], found: Violation) -> Violation:
    """Return a violation of the same property from which no tried part can be left out."""
    known: Steps = {}
    for size in SIZES:
        first = 1
        while first + size <= len(found.trace) and not begun.stop():
            shorter = _replayed(begun, known, (*found.trace[:first], *found.trace[first + size :]), first)
            better = None if shorter is None else _violation(begun, found, shorter)
            found, first = (found, first + 1) if better is None else (better, first)
    return found


def _replayed(
    begun: Exploration[State], known: Steps, stages: Sequence[Stage], first: int
) -> tuple[Stage, ...] | None:  # fmt: skip
    """Return the behaviour with the same actions, of which those up to stage `first` are as before; None if there is none."""
    made = list(stages[:first])
    for stage in stages[first:]:
        state = made[-1].state
        if state not in known:
            if len(known) >= MOST_STATES:
                return None
            known[state] = {}
            for step in begun.machine.steps(state):
                known[state].setdefault(instance(step[0]), step)
        taken = known[state].get(instance(stage.action))
        if taken is None or (begun.constraint is not None and not begun.constraint(begun.machine.view(taken[1]))):
            return None
        made.append(Stage(*taken))
    return tuple(made)


def _violation(begun: Exploration[State], found: Violation, trace: tuple[Stage, ...]) -> Violation | None:
    """Return the violation that the behaviour shows; None if it shows none of the property."""
    question = found.property
    if isinstance(question, Once):
        return Violation(question, trace) if repetition(question, trace) is not None else None
    for loop in _returns(found, trace):
        try:
            return shown(begun.machine, question, trace, loop)  # type: ignore[arg-type]
        except NotABehaviour:
            continue
    return None


def _returns(found: Violation, trace: Sequence[Stage]) -> Iterator[int]:
    """Yield the stages at which the behaviour may continue after its last: where it stutters if that did, else the latest first."""
    last = len(trace) - 1
    if found.loop == len(found.trace) - 1:
        yield last
        return
    yield from (place for place in range(last - 1, -1, -1) if trace[place].state == trace[-1].state)
