"""Scopes: the meanings of names (slots, variables, constants, definitions, instances)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from schedcheck.checker.language.environment.running import Code, Layout, Running, Thunk
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.values.values import Value, short

CONSTANT, STATE, ACTION, TEMPORAL = 0, 1, 2, 3
"""The levels of an expression: constant, state, action, temporal."""


class Level(NamedTuple):
    """A level, and whether a parameter or a bound name of the frame occurs."""

    level: int
    bound: bool

    def join(self, other: "Level") -> "Level":
        """Return the level of both together."""
        return Level(max(self.level, other.level), self.bound or other.bound)


class Defined:
    """A definition whose body has a level."""

    __slots__ = ()

    def level(self) -> Level:
        """Return the level of the body, parameters aside."""
        raise NotImplementedError

    def uses(self, number: int) -> bool:
        """Whether the parameter of this number, from 0 on, may occur in the body."""
        raise NotImplementedError


@dataclass(frozen=True)
class Slot:
    """A parameter or a bound name: the place of its value in the frame. A parameter may hold a thunk."""

    index: int
    parameter: bool = False
    arity: int = 0


@dataclass(frozen=True)
class Local:
    """A LET definition without parameters; its slot memoises its value if that is allowed.

    `codes` has its code for each frame layout, `known` its level once that is computed, `parts` its selected parts.
    """

    index: int
    body: "tree.Expression | tree.FunctionDefinition"
    scope: "Scope"
    codes: dict[Layout, Code]
    known: list[Any]
    parts: dict[Any, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Variable:
    """A variable of the root module, with its number."""

    name: str
    number: int


@dataclass(frozen=True)
class Constant:
    """A constant with its value from the configuration."""

    name: str
    value: Value


@dataclass(frozen=True)
class Builtin:
    """An operator of a standard module, written in Python.

    `function` takes values, and callables for the arguments whose numbers are in `operators`. `level` is above
    `CONSTANT` if the result depends on more than the arguments.
    """

    name: str
    arity: int
    function: Callable[..., Value]
    operators: tuple[int, ...] = ()
    level: int = CONSTANT
    running: bool = False


@dataclass(frozen=True)
class Substituted:
    """The expression that an instance substitutes for a constant or variable of its module.

    If a variable is replaced by an expression that is no variable, `apart` is a number of its own: ENABLED quantifies
    over the variables of the instantiated module.
    """

    expression: tree.Expression
    scope: "Scope"
    apart: int | None = None


@dataclass(frozen=True)
class Instantiated:
    """A named instance; `parameters` come first in the frames of its operators, from slot `base` on."""

    name: str
    parameters: tuple[tree.Parameter, ...]
    base: int
    scope: Callable[[], "Scope"]


@dataclass(frozen=True)
class Missing:
    """A constant without a value, or another name without one; `why` is the reason."""

    name: str
    why: str
    constant: bool = True


class Scope:
    """Names with their meanings, and the enclosing scope; `layout` is that of the frame it is evaluated in.

    `hidden` has the names that are LOCAL, `levels` the levels computed so far, by node.
    """

    __slots__ = ("hidden", "layout", "levels", "names", "outer", "running")

    def __init__(
        self,
        names: dict[str, Any],
        outer: "Scope | None",
        layout: Layout,
        running: Running,
    ) -> None:
        self.names: Final = names
        self.outer: Final = outer
        self.layout: Final = layout
        self.running: Final = running
        self.hidden: set[str] = set()
        self.levels: dict[int, Any] = {}

    def __contains__(self, name: object) -> bool:
        """Whether the name has a meaning here."""
        return isinstance(name, str) and self.find(name) is not None

    def find(self, name: str) -> Any:
        """Return the meaning of the name here; None if it has none."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.outer
        return None

    def inner(self, names: Mapping[str, Any], layout: Layout | None = None) -> "Scope":
        """Return an inner scope with more names."""
        return Scope(dict(names), self, layout or self.layout, self.running)

    def within(self, layout: Layout) -> "Scope":
        """Return this scope for a frame of another layout that begins in the same way."""
        return self if layout is self.layout else Scope({}, self, layout, self.running)

    def bind(self, patterns: Sequence[tree.Pattern]) -> tuple["Scope", list[int | tuple[int, ...]]]:
        """Return an inner scope with the names that the patterns bind, and their slots."""
        names: dict[str, Any] = {}
        slots: list[int | tuple[int, ...]] = []
        for pattern in patterns:
            indices = [self.layout.slot() for _ in ((pattern,) if isinstance(pattern, str) else pattern)]
            names.update(zip((pattern,) if isinstance(pattern, str) else pattern, map(Slot, indices), strict=True))
            slots.append(indices[0] if isinstance(pattern, str) else tuple(indices))
        return self.inner(names), slots

    def bindings(self, frame: list[Any]) -> Iterator[tuple[str, str]]:
        """Yield the names bound here with their known values, outermost names first."""
        chain: list[Scope] = []
        scope: Scope | None = self
        while scope is not None:
            chain.append(scope)
            scope = scope.outer
        for each in reversed(chain):
            for name, meaning in each.names.items():
                if isinstance(meaning, Slot | Local) and meaning.index < len(frame):
                    value = frame[meaning.index]
                    value = value.known if type(value) is Thunk else value
                    if value is not None and not (isinstance(meaning, Slot) and meaning.arity):
                        yield name, short(value)


def variable(node: tree.Expression, scope: Scope) -> Variable | None:
    """Return the variable that the expression names, also under another name in an instance; else None."""
    while isinstance(node, tree.Name):
        meaning = scope.find(node.name)
        if isinstance(meaning, Variable):
            return meaning
        if not isinstance(meaning, Substituted):
            return None
        node, scope = meaning.expression, meaning.scope
    return None


def parameter(node: tree.Expression, scope: Scope) -> Slot | None:
    """Return the parameter that the expression names, also under another name in an instance; else None."""
    while isinstance(node, tree.Name):
        meaning = scope.find(node.name)
        if isinstance(meaning, Slot):
            return meaning if meaning.parameter else None
        if not isinstance(meaning, Substituted):
            return None
        node, scope = meaning.expression, meaning.scope
    return None


def stands_for(node: tree.Expression, scope: Scope, frame: list[Any]) -> int | None:
    """Return the number of the variable that the expression, or the argument it stands for, names; else None."""
    found = variable(node, scope)
    while found is None and (slot := parameter(node, scope)) is not None:
        given = frame[slot.index]
        if type(given) is not Thunk:
            return None
        node, scope, frame = given.of.node, given.of.scope, given.frame
        found = variable(node, scope)
    return None if found is None else found.number


def meant(meaning: Any) -> Any:
    """Follow the substituted constants of instances and overridden operators to what they stand for."""
    while isinstance(meaning, Substituted) and isinstance(meaning.expression, tree.Name) and meaning.apart is None:
        found = meaning.scope.find(meaning.expression.name)
        if found is None:
            return meaning
        meaning = found
    return meaning
