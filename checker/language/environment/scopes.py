"""What names mean where an expression stands: slots, variables, constants, definitions, instances."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from schedcheck.checker.language.environment.running import Code, Layout, Running, Thunk
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.values.showing import short
from schedcheck.checker.language.values.values import Value

if TYPE_CHECKING:
    pass

CONSTANT, STATE, ACTION, TEMPORAL = 0, 1, 2, 3
"""The levels of an expression."""


@dataclass(frozen=True)
class Slot:
    """A parameter or a bound name: where its value stands in the frame. A parameter may hold a thunk."""

    index: int
    parameter: bool = False
    arity: int = 0


@dataclass(frozen=True)
class Local:
    """A LET definition without parameters: its slot keeps its value, if it may be kept.

    `codes` holds its code by the layout of the frame it is read in, `known` its level once it was looked at,
    `parts` the parts of it that were selected.
    """

    index: int
    body: "tree.Expression | tree.FunctionDefinition"
    scope: "Scope"
    codes: dict[Layout, Code]
    known: list[Any]
    parts: dict[Any, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Variable:
    """A variable of the root module, by its number."""

    name: str
    number: int


@dataclass(frozen=True)
class Constant:
    """A value that is given."""

    name: str
    value: Value


@dataclass(frozen=True)
class Builtin:
    """An operator of a standard module, written in Python.

    `function` takes values, and callables for the arguments whose numbers are `operators`. Of a level above
    `CONSTANT` are those that do not depend on their arguments alone.
    """

    name: str
    arity: int
    function: Callable[..., Value]
    operators: tuple[int, ...] = ()
    level: int = CONSTANT
    running: bool = False


@dataclass(frozen=True)
class Substituted:
    """A constant or variable of an instance: an expression where the instance stands.

    A variable that is no variable there has a number of its own, `apart`: what ENABLED says of an action is that some
    values of the variables of its own module make a step.
    """

    expression: tree.Expression
    scope: "Scope"
    apart: int | None = None


@dataclass(frozen=True)
class Instantiated:
    """A named instance: `parameters` come first in the frames of its operators, from slot `base` on."""

    name: str
    parameters: tuple[tree.Parameter, ...]
    base: int
    scope: Callable[[], "Scope"]


@dataclass(frozen=True)
class Missing:
    """A constant that nobody gave a value, or what has none, and why."""

    name: str
    why: str
    constant: bool = True


class Scope:
    """Names and what they mean, and the scope around it; `layout` is that of the frame in which it is evaluated.

    `hidden` are the names that are LOCAL, `levels` those that were found, by node.
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

    def find(self, name: str) -> Any:
        """What the name means here; None where it means nothing."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.outer
        return None

    def inner(self, names: Mapping[str, Any], layout: Layout | None = None) -> "Scope":
        """This scope with more names."""
        return Scope(dict(names), self, layout or self.layout, self.running)

    def within(self, layout: Layout) -> "Scope":
        """This scope, evaluated in a frame of another layout that begins in the same way."""
        return self if layout is self.layout else Scope({}, self, layout, self.running)

    def bind(self, patterns: Sequence[tree.Pattern]) -> tuple["Scope", list[int | tuple[int, ...]]]:
        """This scope with what the patterns bind, and their slots."""
        names: dict[str, Any] = {}
        slots: list[int | tuple[int, ...]] = []
        for pattern in patterns:
            indices = [self.layout.slot() for _ in ((pattern,) if isinstance(pattern, str) else pattern)]
            names.update(zip((pattern,) if isinstance(pattern, str) else pattern, map(Slot, indices), strict=True))
            slots.append(indices[0] if isinstance(pattern, str) else tuple(indices))
        return self.inner(names), slots

    def bindings(self, frame: list[Any]) -> Iterator[tuple[str, str]]:
        """The names bound here and their values, as far as they are known, outermost first."""
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
    """The variable that an expression is, also by another name in an instance."""
    while isinstance(node, tree.Name):
        meaning = scope.find(node.name)
        if isinstance(meaning, Variable):
            return meaning
        if not isinstance(meaning, Substituted):
            return None
        node, scope = meaning.expression, meaning.scope
    return None


def meant(meaning: Any) -> Any:
    """What is named, where a name stands for a constant of an instance or an operator that is overridden."""
    while isinstance(meaning, Substituted) and isinstance(meaning.expression, tree.Name) and meaning.apart is None:
        found = meaning.scope.find(meaning.expression.name)
        if found is None:
            return meaning
        meaning = found
    return meaning
