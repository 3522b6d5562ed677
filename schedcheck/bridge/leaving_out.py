"""Operators of the vocabulary written without the snapshot: `Pods` is `Pods(Objects)`, `Feasibility(p, n)` has it last."""

from dataclasses import fields, replace
from typing import Any

from schedcheck.checker.language import tree
from schedcheck.checker.language.defined import Operator
from schedcheck.checker.language.scopes import Scope

LEFT_OUT, NOW = "Snapshot", "Objects"


def completed(node: tree.Expression, scope: Scope) -> tree.Expression:
    """The expression with the snapshot of now given to every operator that lacks its last parameter, a snapshot."""
    made: tree.Expression = _with_now(node, scope)
    return made


def _with_now(part: Any, scope: Scope) -> Any:
    if isinstance(part, tuple):
        return tuple(_with_now(each, scope) for each in part)
    if not isinstance(part, tree.Node):
        return part
    changed = {each.name: _with_now(getattr(part, each.name), scope) for each in fields(part) if each.name != "at"}
    made = replace(part, **changed)
    match made:
        case tree.Name(name=name) if _lacks(scope.find(name), 0):
            return tree.Apply(name, (tree.Name(NOW, at=made.at),), at=made.at)
        case tree.Apply(operator=name, arguments=arguments) if _lacks(scope.find(name), len(arguments)):
            return replace(made, arguments=(*arguments, tree.Name(NOW, at=made.at)))
    return made


def _lacks(meaning: Any, given: int) -> bool:
    """Whether an operator with so many arguments lacks only its last one, a snapshot."""
    if not isinstance(meaning, Operator) or len(meaning.parameters) != given + 1:
        return False
    return meaning.parameters[-1].name == LEFT_OUT
