"""A shorter trace to a violation: `shortened`, by leaving out steps as long as what is left is a violation too.

Each attempt leaves out some consecutive steps, and takes the same actions after them. What is left is judged as every
trace is. Not tried is to leave out a step that has made a later one possible. The result is not the shortest trace in
general.
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
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


Instance = tuple[type, str]


class Steps(Generic[State]):
    """The first step of each instance from each state that was looked at; none is made before it is asked for."""

    def __init__(self, begun: Exploration[State]) -> None:
        self._machine = begun.machine
        self._of_kind = begun.machine.steps_of_kind if isinstance(begun.machine, ByKind) else None
        self._made: dict[Hashable, dict[Instance, tuple[Any, State]]] = {}
        self._left: dict[Hashable, Iterator[tuple[Any, State]]] = {}
        self._states: set[State] = set()

    def first(self, state: State, wanted: Instance) -> tuple[Any, State] | None:
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


def shortened(
    begun: Exploration[State],
    found: Violation,
    possible: Callable[[State], Collection[Instance] | None] = lambda state: None,
) -> Violation:
    """Return a violation of the same property from which no tried part can be left out.

    `possible` are the instances that are known to change a state; None if they are not known.
    """
    steps, links = Steps(begun), Links(begun, possible, found.trace)
    for size in SIZES:
        first = 1
        while first + size <= len(found.trace) and not begun.stop():
            better = None
            if not links.across(first, size):
                shorter = _replayed(begun, steps, (*found.trace[:first], *found.trace[first + size :]), first)
                better = None if shorter is None else _violation(begun, found, shorter)
            if better is None:
                first += 1
            else:
                found, links = better, Links(begun, possible, better.trace)
    return found


class Links(Generic[State]):
    """What makes the steps of a trace possible.

    - `possible`: the instances that change the state of each stage.
    - `since`: for each stage, the first one from which on its action was possible until it was taken.
    """

    def __init__(
        self,
        begun: Exploration[State],
        possible: Callable[[State], Collection[Instance] | None],
        trace: Sequence[Stage],
    ) -> None:
        self.possible = [_instances(begun, possible, stage.state) for stage in trace[:-1]]
        self.wanted = [None, *(instance(stage.action) for stage in trace[1:])]
        self.since = [0]
        for last, wanted in enumerate(self.wanted[1:]):
            lacking = (stage for stage in range(last, -1, -1) if wanted not in self.possible[stage])
            self.since.append(next(lacking, -1) + 1)

    def across(self, first: int, size: int) -> bool:
        """Whether one of so many steps from stage `first` on has made a later one possible, which was not possible before them."""
        return any(
            first <= self.since[stage] < first + size and self.wanted[stage] not in self.possible[first - 1]
            for stage in range(first + size, len(self.wanted))
        )


def _instances(
    begun: Exploration[State], possible: Callable[[State], Collection[Instance] | None], state: State
) -> Collection[Instance]:  # fmt: skip
    """Return the instances that change a state."""
    known = possible(state)
    if known is None:
        known = frozenset(instance(action) for action, after in begun.machine.steps(state) if after != state)
    return known


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
