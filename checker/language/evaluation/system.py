"""A specification as a state machine: its initial states, its steps, and formulas evaluated in states and steps."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from schedcheck.checker.language.environment.running import UNSET, Frame, Layout
from schedcheck.checker.language.environment.scopes import Scope
from schedcheck.checker.language.evaluation.acting import INITIAL, NEXT, Act, action, finish
from schedcheck.checker.language.evaluation.assignments import condition
from schedcheck.checker.language.evaluation.compiling import value
from schedcheck.checker.language.evaluation.modules import Universe
from schedcheck.checker.language.evaluation.steps import Label, labelled
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.showing import shown
from schedcheck.checker.language.values.values import FALSE, TRUE, Value, short

State = tuple[Value, ...]
"""The values of the variables, in the order of their declarations."""


class Formula:
    """A formula in its scope; the frame holds the values of its bound names."""

    __slots__ = ("_code", "frame", "node", "scope", "variables")

    def __init__(self, node: tree.Expression, scope: Scope, frame: Frame) -> None:
        self.node: Final = node
        self.scope: Final = scope
        self.frame: Final = frame
        self._code: Any = None

    def value(self) -> Value:
        """Return its value in the current states."""
        if self._code is None:
            self._code = value(self.node, self.scope)
        size = self.scope.layout.size
        return self._code([*self.frame, *[None] * (size - len(self.frame))])

    def holds(self) -> bool:
        """Whether it is TRUE in the current states. Raises Unevaluable if it is neither TRUE nor FALSE."""
        known = self.value()
        if known is TRUE or known is FALSE:
            return known is TRUE
        raise Unevaluable(f"{short(known)} is neither TRUE nor FALSE", self.node.at)

    def act(self, mode: str) -> Act:
        """Return it as an action or an initial predicate, which runs in a frame of its own."""
        act = action(self.node, self.scope, mode, finish)
        return lambda frame, go_on: act(self.padded(), go_on)

    def test(self) -> Act:
        """Return it as an action that assigns nothing."""
        act = condition(self.node, self.scope, finish)
        return lambda frame, go_on: act(self.padded(), go_on)

    def padded(self) -> Frame:
        """Return its frame, with room for all names bound in it."""
        return [*self.frame, *[None] * (self.scope.layout.size - len(self.frame))]


def formula(node: tree.Expression, universe: Universe) -> Formula:
    """Return a formula in the scope of the root module."""
    return Formula(node, universe.root.inner({}, Layout()), [])


class System:
    """The initial predicates of a specification, all of which must hold, and its next-state action."""

    def __init__(self, universe: Universe, initial: Sequence[Formula], following: Formula | None) -> None:
        self.universe: Final = universe
        self.running: Final = universe.running
        self.names: Final = tuple(universe.variables)
        self._start = [each.act(INITIAL) for each in initial]
        self._tests = [each.test() for each in initial]
        self._next = None if following is None else following.act(NEXT)

    def initial(self) -> list[State]:
        """Return the initial states, in the order in which they are found. Raises Unevaluable if one is incomplete."""
        found: list[State] = []
        running = self.running
        running.state = [UNSET] * len(self.names)
        running.unsettled = True

        def begun(number: int) -> None:
            if number == len(self._start):
                found.append(self._complete(running.state, "the initial predicate"))
            else:
                starts = self._tests if number and UNSET not in running.state else self._start
                starts[number]([], lambda: begun(number + 1))

        try:
            begun(0)
        finally:
            running.unsettled = False
        return found

    def successors(self, state: State) -> list[tuple[Label | None, State]]:
        """Return the steps from a state. Raises Unevaluable if one leaves a variable without a value."""
        found: list[tuple[Label | None, State]] = []
        running = self.running
        running.state, running.following = state, [UNSET] * len(self.names)
        running.label, running.naming, running.unsettled = None, True, False

        def taken() -> None:
            if UNSET in running.following:
                self._complete(running.following, f"the action {labelled(running) or 'of the specification'}")
            found.append((labelled(running), tuple(running.following)))

        if self._next is not None:
            self._next([], taken)
        return found

    def _complete(self, values: Sequence[Value], what: str) -> State:
        for name, each in zip(self.names, values, strict=True):
            if each is UNSET:
                raise Unevaluable(f"{what} leaves the variable {name} without a value")
        return tuple(values)

    @contextmanager
    def at(self, state: State, following: State | None = None) -> Iterator[None]:
        """Make this the current state, and this the next one."""
        running = self.running
        running.state = state
        running.following = following if following is not None else [UNSET] * len(self.names)
        running.unsettled = False
        yield

    def in_state(self, asked: Formula, state: State) -> bool:
        """Whether a state predicate holds in the state."""
        running = self.running
        running.state, running.unsettled = state, False
        return asked.holds()

    def in_step(self, asked: Formula, state: State, following: State) -> bool:
        """Whether an action holds of the step."""
        running = self.running
        running.state, running.following, running.unsettled = state, following, False
        return asked.holds()

    def shown(self, state: State) -> Mapping[str, str]:
        """Return the TLA+ texts of the values, by variable."""
        return {name: shown(each) for name, each in zip(self.names, state, strict=True)}
