"""The state of a running evaluation: current and next state, frames, and thunks.

A frame is a list of slots: the parameters of a definition, then one slot for each name bound in it. An inner definition
is called with the beginning of the frame around it, followed by its own slots.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.values import Value

Frame = list[Any]
Code = Callable[[Frame], Value]

DEEPEST = 2_500
"""The maximum recursion depth of recursive operators and functions."""

PYTHON_FRAMES = 400_000


class Unset:
    """The marker for a variable that has no value yet."""

    def __repr__(self) -> str:
        """Return a text that is never shown to users."""
        return "UNSET"


UNSET: Final = Unset()


def tell(line: str) -> None:
    """Print the output of a module (`Print`, `PrintT`) on standard error, as it is no part of an answer."""
    print(line, file=sys.stderr)


class Running:
    """The current state, the next state as far as it is known, and the progress of the evaluation.

    - `unsettled`: the state that is read may still change, so values computed from it are not memoised
    - `apart`: within ENABLED, the next values of instance variables that are expressions here
    - `nesting`: the nesting depth of the expression being compiled
    - `settling`: the number of definitions whose level is being computed
    - `naming`: the next definition called names the step
    - `between`: the number of intermediate states of composed steps
    """

    __slots__ = (
        "apart",
        "begun",
        "between",
        "deadlock",
        "depth",
        "diameter",
        "distinct",
        "following",
        "generated",
        "label",
        "level",
        "naming",
        "nesting",
        "output",
        "queue",
        "registers",
        "settling",
        "state",
        "universe",
        "unsettled",
    )

    def __init__(self, variables: int) -> None:
        self.state: Sequence[Value] = (UNSET,) * variables
        self.following: Sequence[Value] = [UNSET] * variables
        self.unsettled = False
        self.label: Any = None
        self.naming = True
        self.nesting = 0
        self.settling = 0
        self.universe: Any = None
        self.apart: dict[int, Value] | None = None
        self.depth = 0
        self.level = 0
        self.distinct = self.generated = self.queue = self.diameter = self.between = 0
        self.begun = time.monotonic()
        self.deadlock = True
        self.registers: dict[Value, Value] = {}
        self.output: Callable[[str], None] = tell


class Argument:
    """The syntax of an argument: the expression, and its code as an action.

    `variable` is the number of the variable, if the argument is a variable, primed or not.
    """

    __slots__ = ("act", "node", "primed", "scope", "variable")

    def __init__(self, node: Any, scope: Any, act: Any, variable: int | None, primed: bool) -> None:
        self.node: Final = node
        self.scope: Final = scope
        self.act: Final = act
        self.variable: Final = variable
        self.primed: Final = primed


class Thunk:
    """An argument that is evaluated when it is needed; `by_name`: at every use, as its value depends on the place."""

    __slots__ = ("by_name", "code", "frame", "known", "of", "running")

    def __init__(self, code: Code, frame: Frame, running: Running, by_name: bool, of: Argument) -> None:
        self.code = code
        self.frame = frame
        self.running = running
        self.by_name = by_name
        self.of = of
        self.known: Value = None

    def force(self) -> Value:
        """Return the value; memoise it if that is allowed."""
        if self.known is not None:
            return self.known
        value = self.code(self.frame)
        if not self.by_name and not self.running.unsettled:
            self.known = value
        return value

    def lasting(self) -> "Thunk":
        """Return the same argument with a copy of its frame, so that later changes of the frame do not affect it."""
        if self.known is not None:
            return self
        return Thunk(self.code, lasting(self.frame), self.running, self.by_name, self.of)


def lasting(frame: Frame) -> Frame:
    """Return a copy of the frame that later changes of the original do not affect."""
    return [each.lasting() if type(each) is Thunk else each for each in frame]


def suspended(running: Running, code: Code) -> Code:
    """Return the code, to be run later on the states that are current now."""
    state, following, unsettled, apart = running.state, running.following, running.unsettled, running.apart
    state = tuple(state) if isinstance(state, list) else state
    following = tuple(following) if isinstance(following, list) else following

    def resumed(frame: Frame) -> Value:
        saved = running.state, running.following, running.unsettled, running.apart
        running.state, running.following, running.unsettled, running.apart = state, following, unsettled, apart
        try:
            return code(frame)
        finally:
            running.state, running.following, running.unsettled, running.apart = saved

    return resumed


class Layout:
    """The number of slots that a frame has so far."""

    __slots__ = ("size",)

    def __init__(self, size: int = 0) -> None:
        self.size = size

    def slot(self) -> int:
        """Return a new slot."""
        self.size += 1
        return self.size - 1


@contextmanager
def deep() -> Iterator[None]:
    """Lift Python's recursion limit for `DEEPEST` calls; deeper recursion raises Unevaluable instead of crashing."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, PYTHON_FRAMES))
    try:
        yield
    except RecursionError:
        raise Unevaluable("the expression is nested too deeply, or recurses without end") from None
    finally:
        sys.setrecursionlimit(limit)
