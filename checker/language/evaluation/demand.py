"""Which names an expression reads, and which parameters a definition certainly needs.

An argument that is certainly needed is evaluated before the call, unless it fails; the result is the same as later.
"""

from typing import Any

from schedcheck.checker.language.environment.scopes import Builtin, Constant, Scope, Slot, meant
from schedcheck.checker.language.evaluation.core import CORE
from schedcheck.checker.language.evaluation.defined import Operator
from schedcheck.checker.language.evaluation.levels import children
from schedcheck.checker.language.syntax import tree

DEEPEST = 6
"""The number of nested definitions that are searched for the use of a parameter."""


def slots_read(node: tree.Expression, scope: Scope) -> tuple[int, ...] | None:
    """Return the slots that may be read; None if anything else but slots and constants may be read."""
    found: set[int] = set()
    waiting: list[Any] = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, tree.Through | tree.Selected | tree.Let | tree.Lambda):
            return None
        name = each.name if isinstance(each, tree.Name) else each.operator if isinstance(each, tree.Apply) else None
        meaning = None if name is None or name in CORE else meant(scope.find(name))
        if isinstance(meaning, Slot) and not meaning.arity:
            found.add(meaning.index)
        elif not (meaning is None or isinstance(meaning, Builtin | Constant) or _apart(meaning)):
            return None
        waiting += children(each)
    return tuple(sorted(found))


def _apart(meaning: Any) -> bool:
    """Whether the definition reads nothing of the frame around it."""
    return isinstance(meaning, Operator) and meaning.base == 0


def needs(callee: Operator, number: int, depth: int = 0) -> bool:
    """Whether the body of a definition certainly evaluates this parameter, or fails before."""
    if depth > DEEPEST or not 0 <= number < len(callee.parameters):
        return False
    if number not in callee.needed:
        callee.needed[number] = False
        callee.needed[number] = _needed(callee.node, callee.parameters[number].name, callee.scope, depth)
    return callee.needed[number]


def _needed(node: Any, name: str, scope: Scope, depth: int) -> bool:
    match node:
        case tree.Name():
            return bool(node.name == name)
        case tree.Field(record=first) | tree.Filter(domain=first) | tree.Choose(domain=first):
            return _needed(first, name, scope, depth)
        case tree.Quantified(bounds=(bound, *_)):
            return _needed(bound.domain, name, scope, depth)
        case tree.Junction(items=(first, *_)):
            return _needed(first, name, scope, depth)
        case tree.If(condition=first, then=then, otherwise=otherwise):
            if _needed(first, name, scope, depth):
                return True
            return _needed(then, name, scope, depth) and _needed(otherwise, name, scope, depth)
        case tree.Index(function=function, arguments=arguments):
            return any(_needed(each, name, scope, depth) for each in (function, *arguments))
        case tree.Function(bounds=bounds) | tree.Image(bounds=bounds):
            return any(_needed(each.domain, name, scope, depth) for each in bounds[:1])
        case tree.Tuple(elements=elements) | tree.SetOf(elements=elements):
            return any(_needed(each, name, scope, depth) for each in elements)
        case tree.Apply():
            return _needed_by_call(node, name, scope, depth)
    return False


def _needed_by_call(node: tree.Apply, name: str, scope: Scope, depth: int) -> bool:
    if node.operator in ("/\\", "\\/", "=>"):
        return _needed(node.arguments[0], name, scope, depth)
    if node.operator in EVALUATING:
        return any(_needed(each, name, scope, depth) for each in node.arguments)
    meaning = scope.find(node.operator)
    if isinstance(meaning, Builtin):
        return any(
            _needed(each, name, scope, depth)
            for number, each in enumerate(node.arguments)
            if number not in meaning.operators
        )
    if isinstance(meaning, Operator) and meaning.base == 0 and len(node.arguments) == len(meaning.parameters):
        return any(
            not meaning.parameters[number].arity
            and needs(meaning, number, depth + 1)
            and _needed(each, name, scope, depth)
            for number, each in enumerate(node.arguments)
        )
    return False


EVALUATING = frozenset(
    {"~", "=", "#", "\\in", "\\notin", "\\subseteq", "\\cup", "\\cap", "\\", "UNION", "DOMAIN", "<=>"}
)
"""The operators of the language that evaluate all their operands."""
