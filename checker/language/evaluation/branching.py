r"""Whether a formula can be true in only one way as an action, so that it can be evaluated as a test.

Where an action may stand, TLC follows every true branch of \/ and \E, even without primed variables, and counts the
states reached by each.
"""

from typing import Any

from schedcheck.checker.language.environment.scopes import CONSTANT, STATE, Builtin, Scope, Slot, parameter
from schedcheck.checker.language.evaluation.defined import Operator
from schedcheck.checker.language.evaluation.function_bodies import function_body
from schedcheck.checker.language.evaluation.levels import level
from schedcheck.checker.language.evaluation.selecting import named
from schedcheck.checker.language.syntax import tree


def is_test(node: tree.Expression, scope: Scope, initial: bool) -> bool:
    """Whether the formula assigns no variable and can be true in at most one way."""
    of = level(node, scope)
    if of.level > (CONSTANT if initial else STATE) or (initial and of.bound):
        return False
    return not _branches(node, scope, set())


def _branches(node: Any, scope: Scope, seen: set[int]) -> bool:
    match node:
        case tree.Junction(operator="/\\", items=items) | tree.Apply(operator="/\\", arguments=items):
            return any(_branches(each, scope, seen) for each in items)
        case tree.Junction() | tree.Quantified(quantifier="\\E") | tree.Apply(operator="\\/") | tree.Action():
            return True
        case tree.Quantified(body=body) | tree.Apply(operator="=>", arguments=(_, body)):
            return _branches(body, scope, seen)
        case tree.If(then=then, otherwise=otherwise):
            return _branches(then, scope, seen) or _branches(otherwise, scope, seen)
        case tree.Case(arms=arms, other=other):
            return any(_branches(each, scope, seen) for _, each in arms) or _branches(other, scope, seen)
        case tree.Let():
            return True
        case tree.Apply(operator="=" | "\\in" | "\\subseteq", arguments=(tree.Name() as left, _)):
            # The parameter may stand for a primed variable, which this would assign.
            return parameter(left, scope) is not None
        case tree.Index():
            followed = function_body(node, scope)
            return followed is not None and id(followed) not in seen and _called(followed, seen)
        case tree.Name(name=name):
            return _called(scope.find(name), seen)
        case tree.Apply(operator=name):
            return _called(scope.find(name), seen)
        case tree.Labelled(body=body):
            return _branches(body, scope, seen)
        case tree.Through() | tree.Selected():
            return _through(node, scope, seen)
    return False


def _through(node: tree.Through | tree.Selected, scope: Scope, seen: set[int]) -> bool:
    return _called(named(node, scope)[0], seen)


def _called(meaning: Any, seen: set[int]) -> bool:
    """Whether the meaning of a name may be true in several ways."""
    if meaning is None or isinstance(meaning, Builtin):
        return False
    if isinstance(meaning, Slot):
        return meaning.parameter
    if not isinstance(meaning, Operator) or id(meaning) in seen:
        return True
    seen.add(id(meaning))
    return _branches(meaning.node, meaning.scope, seen)
