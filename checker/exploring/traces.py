"""From what an exploration kept to a behaviour that a person can follow: traces, run again on real states.

Under symmetry the stored states are representatives, and a path through them is a behaviour only up to renaming; it
is found again here step by step from a real initial state, so that every trace that is shown was run.
"""

from collections.abc import Callable, Iterable, Iterator

from schedcheck.checker.exploring.exploration import Evidence, Exploration, State
from schedcheck.checker.exploring.result import Stage, Violation
from schedcheck.checker.liveness.standstill import Move
from schedcheck.spec.properties import Always, Ends, Progresses, Property, Step


def trace(exploration: Exploration[State], number: int) -> tuple[Stage, ...]:
    """A behaviour that ends in the state of this number, or in one that symmetry makes equal to it."""
    path = []
    while number >= 0:
        path.append(exploration.states[number])
        number = exploration.origin[number]
    path.reverse()
    form = exploration.canonical or _itself
    initial = (Stage(None, state) for state in exploration.machine.initial_states())
    stages = [next(stage for stage in initial if form(stage.state) == path[0])]
    for stored in path[1:]:
        stages.append(next(stage for stage in _steps(exploration, stages[-1]) if form(stage.state) == stored))
    return tuple(stages)


def violation(exploration: Exploration[State], question: Property, evidence: Evidence) -> Violation:
    """The broken property with its trace: one to the state it was met from, and the last step after it."""
    if evidence.origin < 0:
        return Violation(question, (evidence.stage,))
    behaviour = trace(exploration, evidence.origin)
    last = [
        stage for stage in _steps(exploration, behaviour[-1]) if breaks(exploration, question, behaviour[-1], stage)
    ]
    return Violation(question, (*behaviour, min(last, key=lambda stage: (str(stage.action), repr(stage.state)))))


def lasso(exploration: Exploration[State], question: Ends, number: int, path: list[int]) -> Violation:
    """A behaviour that reaches the state of this number, and goes round `path`, which leads back to it, for ever.

    Under symmetry one round may end in another state of the same orbit; it is gone on until a state comes again.
    """
    form = exploration.canonical or _itself
    stages = list(trace(exploration, number))
    visited = {stages[-1].state: len(stages) - 1}
    while True:
        for target in path:
            stages.append(_own_step(exploration, question, stages[-1], exploration.states[target], form))
        if stages[-1].state in visited:
            return Violation(question, tuple(stages), visited[stages[-1].state])
        visited[stages[-1].state] = len(stages) - 1


def _own_step(
    exploration: Exploration[State], question: Ends, stage: Stage, target: State, form: Callable[[State], State]
) -> Stage:
    """A step to a state that is equal to `target` up to symmetry; one of those that must end, if there is one."""
    steps = [
        each
        for each in _steps(exploration, stage)
        if type(each.action) not in question.meanwhile and form(each.state) == target
    ]
    return min(steps, key=lambda each: (type(each.action) not in question.kinds, str(each.action)))


def round_trip(
    exploration: Exploration[State], question: Progresses, number: int, moves: Iterable[Move]
) -> Violation:  # fmt: skip
    """A behaviour that reaches the state of this number, and makes these moves, which lead back to it, for ever.

    Without any it ends there. The graph is unreduced.
    """
    stages = list(trace(exploration, number))
    loop = len(stages) - 1
    for end, name in moves:
        target = exploration.states[end]
        steps = [
            each
            for each in _steps(exploration, stages[-1])
            if each.state == target and question.fair(each.action) == name
        ]
        stages.append(min(steps, key=lambda each: str(each.action)))
    return Violation(question, tuple(stages), loop)


def breaks(exploration: Exploration[State], question: Property, before: Stage, after: Stage) -> bool:
    """Whether this one step breaks the property."""
    view = exploration.machine.view
    match question:
        case Always():
            return not question.holds(view(after.state))
        case Step():
            return type(after.action) in question.kinds and not question.holds(
                view(before.state), after.action, view(after.state)
            )
        case _:
            return False


def _steps(exploration: Exploration[State], stage: Stage) -> Iterator[Stage]:
    """The stages that may follow."""
    return (Stage(action, state) for action, state in exploration.machine.steps(stage.state))


def _itself(state: State) -> State:
    """The canonical form without symmetry."""
    return state
