"""What an evaluation goes by while it runs: the states, frames, and arguments that are worked out when needed.

A frame is a list: the parameters of a definition, then what is bound in it, each in a slot of its own. An inner
definition is called with the beginning of the frame it stands in, and its own slots after that.
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
"""How deep recursive operators and functions may call themselves."""

PYTHON_FRAMES = 400_000


class Unset:
    """Stands for the value of a variable that has none yet."""

    def __repr__(self) -> str:
        """Never seen."""
        return "UNSET"


UNSET: Final = Unset()


def tell(line: str) -> None:
    """Print what a module prints, on standard error, where it is no part of an answer."""
    print(line, file=sys.stderr)


class Running:
    """The current state, the next one as far as it is known, and what is going on.

    `unsettled` says that the state that is read may still change, so that nothing worked out from it may be kept;
    `apart` holds, within ENABLED, the next values of variables that are expressions here; `nesting` is how deep the
    expression that is compiled stands in others; `settling` counts the definitions whose level is being found; `naming`
    says that the definition that is called next names the step; `between` counts the states within composed steps.
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
    """What an argument says, beside its value: the expression, and how it is evaluated as an action.

    `variable` is the number of the variable that it is, primed or not, if it is one.
    """

    __slots__ = ("act", "node", "primed", "scope", "variable")

    def __init__(self, node: Any, scope: Any, act: Any, variable: int | None, primed: bool) -> None:
        self.node: Final = node
        self.scope: Final = scope
        self.act: Final = act
        self.variable: Final = variable
        self.primed: Final = primed


class Thunk:
    """An argument that is worked out when it is needed; by name where its value depends on where that is."""

    __slots__ = ("by_name", "code", "frame", "known", "of", "running")

    def __init__(self, code: Code, frame: Frame, running: Running, by_name: bool, of: Argument) -> None:
        self.code = code
        self.frame = frame
        self.running = running
        self.by_name = by_name
        self.of = of
        self.known: Value = None

    def force(self) -> Value:
        """The value."""
        if self.known is not None:
            return self.known
        value = self.code(self.frame)
        if not self.by_name and not self.running.unsettled:
            self.known = value
        return value

    def lasting(self) -> "Thunk":
        """The same argument, whatever becomes of the frame that it stands in."""
        if self.known is not None:
            return self
        return Thunk(self.code, lasting(self.frame), self.running, self.by_name, self.of)


def lasting(frame: Frame) -> Frame:
    """A copy of the frame that keeps what it says."""
    return [each.lasting() if type(each) is Thunk else each for each in frame]


def suspended(running: Running, code: Code) -> Code:
    """The code, which is run later, reading the states that are read now."""
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
    """How many slots a frame has so far."""

    __slots__ = ("size",)

    def __init__(self, size: int = 0) -> None:
        self.size = size

    def slot(self) -> int:
        """A new slot."""
        self.size += 1
        return self.size - 1


@contextmanager
def deep() -> Iterator[None]:
    """Let Python go as deep as `DEEPEST` calls need; deeper is an error, and no crash."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, PYTHON_FRAMES))
    try:
        yield
    except RecursionError:
        raise Unevaluable("the expression is nested too deeply, or calls itself without end") from None
    finally:
        sys.setrecursionlimit(limit)
