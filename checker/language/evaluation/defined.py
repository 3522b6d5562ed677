"""User-defined operators, compiled at their first call: as a value, as an action, or as an initial predicate."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from schedcheck.checker.language.environment.running import DEEPEST, Code, Frame, Layout, Thunk
from schedcheck.checker.language.environment.scopes import ACTION, CONSTANT, STATE, Defined, Level, Scope, Slot
from schedcheck.checker.language.evaluation.acting import INITIAL, NEXT, Act, Continue, action, finish
from schedcheck.checker.language.evaluation.compiling import Site, value
from schedcheck.checker.language.evaluation.levels import calls_unknown, level, occurs
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.lazy import Everything, Functions, Interval, Products, Sequences, Subsets
from schedcheck.checker.language.values.tested import Conditional, Filtered
from schedcheck.checker.language.values.values import LazyFunction, Value

MOST_KEPT = 100_000
TRIED = 2_000
"""The most values kept for an operator, and the number of misses after which its memo must have proved useful."""


class Memory:
    """A memo of an operator's values by its arguments; it is dropped if the same arguments rarely recur."""

    __slots__ = ("hits", "known", "misses", "state")

    def __init__(self) -> None:
        self.known: dict[Any, Value] = {}
        self.hits = 0
        self.misses = 0
        self.state: Any = None

    def keep(self, arguments: Any, known: Value) -> bool:
        """Keep a value; return whether the memo is still worth keeping."""
        self.misses += 1
        if len(self.known) >= MOST_KEPT:
            self.known.clear()
        self.known[arguments] = known
        return self.misses < TRIED or self.hits > self.misses


class Operator(Defined):
    """A definition; its frame begins with the first `base` slots of the frame around it, then its parameters.

    `body` evaluates it in such a frame; `act` and `start` evaluate the same body as an action and as an initial
    predicate; `parts` has its selected parts.
    """

    __slots__ = (
        "_level",
        "_settled",
        "act",
        "base",
        "body",
        "layout",
        "memory",
        "name",
        "needed",
        "node",
        "parameters",
        "parts",
        "recursive",
        "scope",
        "site",
        "start",
    )

    def __init__(
        self,
        name: str,
        parameters: Sequence[tree.Parameter],
        node: tree.Expression,
        outer: Scope,
        base: int,
        recursive: bool = False,
    ) -> None:
        self.name: Final = name
        self.parameters: Final = tuple(parameters)
        self.node: Final = node
        self.base: Final = base
        self.recursive: Final = recursive
        self.layout: Final = Layout(base)
        slots = {each.name: Slot(self.layout.slot(), parameter=True, arity=each.arity) for each in parameters}
        self.scope: Final = outer.inner(slots, self.layout)
        self.site: Final = Site(node, self.scope)
        self.memory: Memory | None = None
        self.parts: dict[Any, Operator] = {}
        self.needed: dict[int, bool] = {}
        self._level: Level | None = None
        self._settled: bool | None = None
        self.body: Code = self._first_value
        self.act: Act = self._first_act
        self.start: Act = self._first_start

    def level(self) -> Level:
        """Return the level of the body, parameters aside."""
        if self._level is None:
            self._level = Level(CONSTANT, False)
            self.scope.running.settling += 1
            self._level = Level(level(self.node, self.scope).level, self.base > 0)
            self.scope.running.settling -= 1
        return self._level

    def uses(self, number: int) -> bool:
        """Whether the parameter of this number may occur in the body; True for a number that is none."""
        return number >= len(self.parameters) or occurs(self.parameters[number].name, self.node)

    def settled(self) -> bool:
        """Whether it reads its arguments in the state of the call only; an operator that it is given may prime them."""
        if self._settled is None:
            self._settled = self.level().level < ACTION and not (self.base and calls_unknown(self.node, self.scope))
        return self._settled

    def remembers(self) -> bool:
        """Whether its value depends only on the values of its parameters, so that it can be memoised."""
        return self.base == 0 and self.level().level == CONSTANT and not any(each.arity for each in self.parameters)

    def remembers_in_state(self) -> bool:
        """Whether its value depends only on the current state and the values of its parameters."""
        return self.base == 0 and self.level().level == STATE and not any(each.arity for each in self.parameters)

    def _first_value(self, frame: Frame) -> Value:
        body = value(self.node, self.scope)
        if self.recursive:
            body = self._bounded(body)
        elif not self.parameters and self.base == 0:
            body = self._kept(body)
        self.body = body
        return body(self.padded(frame))

    def _first_act(self, frame: Frame, go_on: Continue) -> None:
        act = action(self.node, self.scope, NEXT, finish)
        self.act = self._bounded_act(act) if self.recursive else act
        self.act(self.padded(frame), go_on)

    def _first_start(self, frame: Frame, go_on: Continue) -> None:
        start = action(self.node, self.scope, INITIAL, finish)
        self.start = self._bounded_act(start) if self.recursive else start
        self.start(self.padded(frame), go_on)

    def padded(self, frame: Frame) -> Frame:
        """Extend the frame to all slots known so far."""
        frame.extend([None] * (self.layout.size - len(frame)))
        return frame

    def frame(self, around: Frame, arguments: Sequence[Any]) -> Frame:
        """Return the frame of a call; `around` begins like the frame around the definition."""
        begun = self.base + len(self.parameters) - len(arguments)
        if begun == 0:
            return [*arguments, *[None] * (self.layout.size - len(arguments))]
        return [*around[:begun], *arguments, *[None] * (self.layout.size - begun - len(arguments))]

    def _bounded(self, body: Code) -> Code:
        """Return the body with a bound on its recursion depth."""
        running = self.scope.running

        def bounded(frame: Frame) -> Value:
            running.depth += 1
            if running.depth > DEEPEST:
                running.depth -= 1
                raise self.site.error(f"{self.name} calls itself more than {DEEPEST} deep", frame)
            try:
                return body(frame)
            finally:
                running.depth -= 1

        return bounded

    def _bounded_act(self, act: Act) -> Act:
        """Return the body as an action, with a bound on its recursion depth."""
        running = self.scope.running

        def bounded(frame: Frame, go_on: Continue) -> None:
            running.depth += 1
            try:
                if running.depth > DEEPEST:
                    raise self.site.error(f"{self.name} calls itself more than {DEEPEST} deep", frame)
                act(frame, go_on)
            finally:
                running.depth -= 1

        return bounded

    def _kept(self, body: Code) -> Code:
        """Return the body of a parameterless definition, evaluated once if it is constant, else once in each state."""
        running = self.scope.running
        if self.level().level == CONSTANT:
            constant: Value = None

            def of_constants(frame: Frame) -> Value:
                nonlocal constant
                if constant is None:
                    constant = body(frame)
                return constant

            return of_constants
        if self.level().level > STATE:
            return body
        known: Value = None
        state: Any = None

        def of_state(frame: Frame) -> Value:
            nonlocal known, state
            if running.unsettled:
                return body(frame)
            if state is not running.state:
                known = body(frame)
                state = running.state
            return known

        return of_state


class Passed:
    """An operator passed as an argument, with the frame around it; it is called with values or thunks.

    `settled`: its body reads its arguments in the state of the call only.
    """

    __slots__ = ("arity", "around", "operator", "settled")

    def __init__(self, operator: Operator, around: Frame) -> None:
        self.operator = operator
        self.around = around
        self.arity = len(operator.parameters)
        self.settled = operator.settled()

    def __call__(self, *arguments: Any) -> Value:
        """Return the operator's value for these arguments."""
        operator = self.operator
        if len(arguments) != self.arity:
            raise Unevaluable(f"{operator.name} takes {self.arity} arguments, not {len(arguments)}")
        if operator.remembers():
            return recalled(operator, arguments)
        return operator.body(operator.frame(self.around, arguments))

    def act(self, arguments: Sequence[Any], go_on: Continue) -> None:
        """Run the operator as an action."""
        self.operator.act(self.operator.frame(self.around, arguments), go_on)


class PassedBuiltin:
    """A built-in operator passed as an argument."""

    __slots__ = ("arity", "function")
    settled: Final = True

    def __init__(self, function: Callable[..., Value], arity: int) -> None:
        self.function = function
        self.arity = arity

    def __call__(self, *arguments: Any) -> Value:
        """Return the operator's value for these arguments."""
        return self.function(*[each.force() if type(each) is Thunk else each for each in arguments])


UNKEPT = frozenset(
    {Thunk, LazyFunction, Interval, Subsets, Functions, Products, Sequences, Everything, Filtered, Conditional}
)
"""Types of arguments for which no value is memoised: thunks, and lazy sets and functions."""


def settled(arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return the arguments as a key of a memo, with the values of known thunks; None if there is no such key."""
    made = tuple([each.known if type(each) is Thunk and each.known is not None else each for each in arguments])
    for each in made:
        if type(each) in UNKEPT:
            return None
    return made


def recalled(operator: Operator, arguments: tuple[Any, ...]) -> Value:
    """Return the value of a definition that depends on its arguments alone, from its memo if it is known."""
    memory = operator.memory
    key = None if memory is None else settled(arguments)
    if memory is None or key is None:
        return operator.body(operator.frame([], arguments))
    frame = operator.frame([], key)
    at: Any = key[0] if len(key) == 1 else key
    known = memory.known.get(at)
    if known is not None:
        memory.hits += 1
        return known
    known = operator.body(frame)
    if not memory.keep(at, known):
        operator.memory = None
    return known
