r"""Function applications in actions: as in TLC, the body of `f[x \in S] == A` is followed as an action."""

from typing import Any

from schedcheck.checker.language.environment.scopes import CONSTANT, Local, Scope
from schedcheck.checker.language.evaluation.defined import Operator
from schedcheck.checker.language.syntax import tree


def function_body(node: tree.Index, scope: Scope) -> Operator | None:
    """Return the body of the applied function as an operator; None if the function is just a value."""
    found = scope.find(node.function.name) if isinstance(node.function, tree.Name) else None
    if not isinstance(found, Operator | Local):
        return None
    defined: Any = found.node if isinstance(found, Operator) else found.body
    if not isinstance(defined, tree.FunctionDefinition) or _kept(found):
        return None
    names = [pattern for bound in defined.bounds for pattern in bound.patterns]
    if len(names) != len(node.arguments) or not all(isinstance(name, str) for name in names):
        return None
    outer, base = (found.scope, scope.layout.size) if isinstance(found, Local) else (found.scope.outer, found.base)
    assert outer is not None
    key = ("body", base)
    if key not in found.parts:
        parameters = [tree.Parameter(str(name), at=defined.at) for name in names]
        found.parts[key] = Operator(defined.name, parameters, defined.body, outer, base)
    return found.parts[key]


def _kept(found: Operator | Local) -> bool:
    """Whether the function is a constant of the module, whose values are memoised."""
    return isinstance(found, Operator) and found.base == 0 and found.level().level == CONSTANT
