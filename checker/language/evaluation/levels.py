"""The level of an expression, and whether it depends on names bound around it."""

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

from schedcheck.checker.language.environment.scopes import (
    ACTION,
    CONSTANT,
    STATE,
    TEMPORAL,
    Builtin,
    Defined,
    Level,
    Local,
    Scope,
    Slot,
    Substituted,
    Variable,
)
from schedcheck.checker.language.syntax import tree

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


Found = Callable[[Any, Scope], Level]
_COMPUTED: dict[type, Found] = {}


def computes(*kinds: type) -> Callable[[Found], Found]:
    """Register how the level of these kinds of nodes is found, besides the levels of their child nodes."""

    def register(found: Found) -> Found:
        _COMPUTED.update(dict.fromkeys(kinds, found))
        return found

    return register


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
        return of_meaning(scope.find(node.name), scope)
    if isinstance(node, tree.Apply):
        found = found.join(of_meaning(scope.find(node.operator), scope))
        found = found.join(Level(_OPERATORS.get(node.operator, CONSTANT), False))
        if node.operator == "ENABLED":
            return Level(STATE, level(node.arguments[0], scope).bound)
    elif type(node) in _COMPUTED:
        found = found.join(_COMPUTED[type(node)](node, scope))
    elif isinstance(node, tree.Action):
        found = Level(ACTION, False)
    elif isinstance(node, tree.Fairness):
        found = Level(TEMPORAL, False)
    for each in _counting(node, scope):
        found = found.join(level(each, scope))
    return found


def _counting(node: Any, scope: Scope) -> Iterator[Any]:
    """Yield the child nodes, without arguments that the definition does not use."""
    if isinstance(node, tree.Apply):
        meaning = scope.find(node.operator)
        if isinstance(meaning, Defined):
            return (each for number, each in enumerate(node.arguments) if meaning.uses(number))
    return children(node)


def children(node: Any) -> Iterator[Any]:
    """Yield the child nodes of a node."""
    if isinstance(node, tuple):
        for each in node:
            yield from children(each) if isinstance(each, tuple) else (each,)
    elif isinstance(node, tree.Node):
        for field in fields(node):
            value = getattr(node, field.name)
            if isinstance(value, tuple):
                yield from children(value)
            elif isinstance(value, tree.Node):
                yield value


def of_meaning(meaning: Any, scope: Scope) -> Level:
    """Return the level of a name's meaning."""
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
        case Defined():
            return meaning.level()
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


def occurs(name: str, node: Any) -> bool:
    """Whether the name occurs in the node, as a value or an operator, even where it is bound again; True if that is not sure."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, tree.Name) and each.name == name:
            return True
        if isinstance(each, tree.Apply) and each.operator == name:
            return True
        if isinstance(each, tree.Through | tree.Selected | tree.Instance):
            return True
        waiting += children(each)
    return False


def calls_unknown(node: Any, scope: Scope) -> bool:
    """Whether the node may call an operator that is a parameter, directly or by a definition around it."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, tree.Through | tree.Selected | tree.Let):
            return True
        name = each.operator if isinstance(each, tree.Apply) else each.name if isinstance(each, tree.Name) else None
        meaning = None if name is None else scope.find(name)
        if isinstance(meaning, Local | Substituted) or (isinstance(meaning, Slot) and meaning.arity):
            return True
        if isinstance(meaning, Defined) and meaning.level().bound:
            return True
        waiting += children(each)
    return False
