"""A shorter trace to a violation: `shortened`, by leaving out steps as long as what is left is a violation too.

Each attempt leaves out some consecutive steps, and takes the same actions after them. What is left is judged as every
trace is. The result is not the shortest trace in general.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Generic

from schedcheck.checker.exploring.exploration import Exploration, State
from schedcheck.checker.liveness.graph import instance
from schedcheck.checker.liveness.repetitions import repetition
from schedcheck.checker.liveness.temporal import NotABehaviour, shown
from schedcheck.checker.result import Stage, Violation
from schedcheck.model.machine import ByKind
from schedcheck.spec.properties.kinds import Once

SIZES = (16, 8, 4, 3, 2, 1)
"""How many steps are left out at once, one number after the other."""

MOST_STATES = 1_000
"""The states whose steps are looked at, for one violation."""


class Steps(Generic[State]):
    """The first step of each instance from each state that was looked at; none is made before it is asked for."""

    def __init__(self, begun: Exploration[State]) -> None:
        self._machine = begun.machine
        self._of_kind = begun.machine.steps_of_kind if isinstance(begun.machine, ByKind) else None
        self._made: dict[Hashable, dict[tuple[type, str], tuple[Any, State]]] = {}
        self._left: dict[Hashable, Iterator[tuple[Any, State]]] = {}
        self._states: set[State] = set()

    def first(self, state: State, wanted: tuple[type, str]) -> tuple[Any, State] | None:
        """Return the first step of the instance; None if there is none, or if more states would be looked at than may be."""
        if state not in self._states and len(self._states) >= MOST_STATES:
            return None
        self._states.add(state)
        asked = (state, None if self._of_kind is None else wanted[0])
        if asked not in self._left:
            steps = self._machine.steps(state) if self._of_kind is None else self._of_kind(state, wanted[0])
            self._left[asked], self._made[asked] = iter(steps), {}
        made = self._made[asked]
        while wanted not in made:
            step = next(self._left[asked], None)
            if step is None:
                return None
            made.setdefault(instance(step[0]), step)
        return made[wanted]


def shortened(begun: Exploration[State], found: Violation) -> Violation:
    """Return a violation of the same property from which no tried part can be left out."""
    steps = Steps(begun)
    for size in SIZES:
        first = 1
        while first + size <= len(found.trace) and not begun.stop():
            shorter = _replayed(begun, steps, (*found.trace[:first], *found.trace[first + size :]), first)
            better = None if shorter is None else _violation(begun, found, shorter)
            found, first = (found, first + 1) if better is None else (better, first)
    return found


def _replayed(
    begun: Exploration[State], steps: Steps[State], stages: Sequence[Stage], first: int
) -> tuple[Stage, ...] | None:  # fmt: skip
    """Return the behaviour with the same actions, of which those up to stage `first` are as before; None if there is none."""
    made = list(stages[:first])
    for stage in stages[first:]:
        taken = steps.first(made[-1].state, instance(stage.action))
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
