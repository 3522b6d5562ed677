r"""Action composition: `A \cdot B` is a step of A followed by a step of B, taken as one step.

As in TLC, the intermediate states count as generated.
"""

from typing import Any

from schedcheck.checker.language.environment.running import UNSET, Frame, Running
from schedcheck.checker.language.evaluation.acting import Act, Continue
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.syntax.tree import Position
from schedcheck.checker.language.values.equality import equal

State = tuple[Any, ...]


def composed(first: Act, second: Act, rest: Act, running: Running, at: Position) -> Act:
    """Compile both actions, one after the other, followed by the rest."""

    def reached(act: Act, state: Any, frame: Frame) -> list[State]:
        """Return the successors of a state by the action. Raises Unevaluable."""
        found: list[State] = []
        saved = running.state, running.following, running.unsettled
        running.state, running.following = state, [UNSET] * len(state)
        running.unsettled = running.unsettled or state is not saved[0]
        try:
            act(list(frame), lambda: found.append(tuple(running.following)))
        finally:
            running.state, running.following, running.unsettled = saved
        if any(UNSET in each for each in found):
            raise Unevaluable(r"an action of \cdot leaves a variable without a value", at)
        return found

    def both(frame: Frame, go_on: Continue) -> None:
        between = reached(first, running.state, frame)
        running.between += len(between)
        for state in between:
            for after in reached(second, state, frame):
                _taken(after, running, lambda: rest(frame, go_on))

    return both


def _taken(after: State, running: Running, go_on: Continue) -> None:
    """Assign these next values and continue, unless a variable already has another next value."""
    known: Any = running.following
    before = list(known)
    if all(old is UNSET or equal(old, new) for old, new in zip(before, after, strict=True)):
        known[:] = after
        go_on()
        known[:] = before
