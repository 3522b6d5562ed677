"""Operators written without their snapshot, which is then the current one: `Pods` is `Pods(Objects)`."""

from dataclasses import fields, replace
from typing import Any

from schedcheck.checker.language.environment.scopes import Scope
from schedcheck.checker.language.evaluation.defined import Operator
from schedcheck.checker.language.syntax import tree

LEFT_OUT, NOW = "Snapshot", "Objects"


def completed(node: tree.Expression, scope: Scope) -> tree.Expression:
    """Return the expression with the current snapshot added to every operator that lacks only this argument."""
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
        case tree.Name(name=name) if _lacking(scope.find(name), 0) is not None:
            return tree.Apply(name, (tree.Name(NOW, at=made.at),), at=made.at)
        case tree.Apply(operator=name, arguments=given) if (
            place := _lacking(scope.find(name), len(given))
        ) is not None:
            return replace(made, arguments=(*given[:place], tree.Name(NOW, at=made.at), *given[place:]))
    return made


def _lacking(meaning: Any, given: int) -> int | None:
    """Return the position of the missing parameter Snapshot; None if none is missing, or another one."""
    if not isinstance(meaning, Operator) or len(meaning.parameters) != given + 1:
        return None
    return next((place for place, each in enumerate(meaning.parameters) if each.name == LEFT_OUT), None)
