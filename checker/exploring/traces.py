"""Traces: behaviours from an initial state, replayed on real states.

Under symmetry the stored states are representatives, and a path through them is a behaviour only up to renaming. The
path is replayed here step by step from a real initial state, so every trace shown is a real behaviour.
"""

from collections.abc import Iterator

from schedcheck.checker.exploring.exploration import Evidence, Exploration, State
from schedcheck.checker.result import Stage, Violation
from schedcheck.spec.properties.kinds import Always, Property, Step


def trace(exploration: Exploration[State], number: int) -> tuple[Stage, ...]:
    """Return a behaviour that ends in the state of this number, or in a symmetric one."""
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
    """Return the violated property with its trace: a trace to the source state, and the last step after it."""
    if evidence.origin < 0:
        return Violation(question, (evidence.stage,))
    behaviour = trace(exploration, evidence.origin)
    last = [
        stage for stage in _steps(exploration, behaviour[-1]) if breaks(exploration, question, behaviour[-1], stage)
    ]
    return Violation(question, (*behaviour, min(last, key=lambda stage: (str(stage.action), repr(stage.state)))))


def breaks(exploration: Exploration[State], question: Property, before: Stage, after: Stage) -> bool:
    """Whether this one step violates the property."""
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
    """Return the possible next stages."""
    return (Stage(action, state) for action, state in exploration.machine.steps(stage.state))


def _itself(state: State) -> State:
    """Return the state itself, its canonical form without symmetry."""
    return state
