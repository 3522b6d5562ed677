r"""Whether a formula, evaluated as an action, can only be true in one way, so that it may be evaluated as a test.

TLC follows every true branch of \/ and \E where an action may stand, also of a formula that says nothing of primed
variables, and counts the states that each leads to.
"""

from typing import Any

from schedcheck.checker.language.environment.scopes import CONSTANT, STATE, Builtin, Scope, Slot
from schedcheck.checker.language.evaluation.defined import Operator
from schedcheck.checker.language.evaluation.function_bodies import function_body
from schedcheck.checker.language.evaluation.levels import level
from schedcheck.checker.language.evaluation.selecting import named
from schedcheck.checker.language.syntax import tree


def is_test(node: tree.Expression, scope: Scope, initial: bool) -> bool:
    """Whether a formula gives no variable a value, and is true in one way at most."""
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
        case tree.Apply(operator="=" | "\\in" | "\\subseteq", arguments=(tree.Name(name=name), _)):
            # The parameter may be passed a primed variable, to which this gives a value.
            meaning = scope.find(name)
            return isinstance(meaning, Slot) and meaning.parameter
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
    """Whether what a name means may be true in several ways."""
    if meaning is None or isinstance(meaning, Builtin):
        return False
    if isinstance(meaning, Slot):
        return meaning.parameter
    if not isinstance(meaning, Operator) or id(meaning) in seen:
        return True
    seen.add(id(meaning))
    return _branches(meaning.node, meaning.scope, seen)
