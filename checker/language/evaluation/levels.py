"""The level of an expression, and whether it depends on names bound around it."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, NamedTuple

from schedcheck.checker.language.environment.scopes import (
    ACTION,
    CONSTANT,
    STATE,
    TEMPORAL,
    Builtin,
    Local,
    Scope,
    Slot,
    Substituted,
    Variable,
)
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Unevaluable


class Level(NamedTuple):
    """A level, and whether a parameter or a bound name of the frame occurs."""

    level: int
    bound: bool

    def join(self, other: "Level") -> "Level":
        """Return the level of both together."""
        return Level(max(self.level, other.level), self.bound or other.bound)


NOTHING = Level(CONSTANT, False)

_OPERATORS = {
    "'": ACTION,
    "UNCHANGED": ACTION,
    "\\cdot": ACTION,
    "ENABLED": STATE,
    "[]": TEMPORAL,
    "<>": TEMPORAL,
    "~>": TEMPORAL,
}


def level(node: Any, scope: Scope) -> Level:
    """Return the level of a node; names bound within the node are not in the scope."""
    if scope.running.settling:
        return _found(node, scope)
    known: tuple[Any, Level] | None = scope.levels.get(id(node))
    if known is None or known[0] is not node:
        known = scope.levels[id(node)] = (node, _found(node, scope))
    return known[1]


def _found(node: Any, scope: Scope) -> Level:
    found = NOTHING
    if isinstance(node, tree.Name):
        return _of(scope.find(node.name), scope)
    if isinstance(node, tree.Apply):
        found = found.join(_of(scope.find(node.operator), scope))
        found = found.join(Level(_OPERATORS.get(node.operator, CONSTANT), False))
        if node.operator == "ENABLED":
            return Level(STATE, level(node.arguments[0], scope).bound)
    elif isinstance(node, tree.Through | tree.Selected):
        found = found.join(_through(node, scope))
    elif isinstance(node, tree.Action):
        found = Level(ACTION, False)
    elif isinstance(node, tree.Fairness):
        found = Level(TEMPORAL, False)
    for each in _children(node):
        found = found.join(level(each, scope))
    return found


def _children(node: Any) -> Iterator[Any]:
    """Yield the child nodes of a node."""
    if isinstance(node, tuple):
        for each in node:
            yield from _children(each) if isinstance(each, tuple) else (each,)
    elif isinstance(node, tree.Node):
        for field in fields(node):
            value = getattr(node, field.name)
            if isinstance(value, tuple):
                yield from _children(value)
            elif isinstance(value, tree.Node):
                yield value


def _of(meaning: Any, scope: Scope) -> Level:
    from schedcheck.checker.language.evaluation.defined import Operator

    match meaning:
        case Slot():
            return Level(CONSTANT, True)
        case Local():
            return of_local(meaning)
        case Variable():
            return Level(STATE, False)
        case Builtin():
            return Level(meaning.level, False)
        case Substituted():
            return level(meaning.expression, meaning.scope)
        case Operator():
            return meaning.level()
    return NOTHING


def _through(node: tree.Through | tree.Selected, scope: Scope) -> Level:
    """Return the level of an instance's operator or a selected part; a name without meaning is reported elsewhere."""
    from schedcheck.checker.language.evaluation.selecting import named

    try:
        return _of(named(node, scope)[0], scope)
    except Unevaluable:
        return NOTHING


def of_local(meaning: Local) -> Level:
    """Return the level of a LET definition, which may be recursive."""
    if not meaning.known:
        meaning.known.append(Level(CONSTANT, True))
        meaning.scope.running.settling += 1
        meaning.known[0] = level(meaning.body, meaning.scope).join(Level(CONSTANT, True))
        meaning.scope.running.settling -= 1
    found: Level = meaning.known[0]
    return found
