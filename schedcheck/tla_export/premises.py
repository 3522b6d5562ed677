"""The premise of an implication: `premise`. A property whose premise never holds is true only vacuously."""

from schedcheck.checker.language.environment.scopes import STATE
from schedcheck.checker.language.evaluation.defined import Operator
from schedcheck.checker.language.evaluation.levels import level
from schedcheck.checker.language.evaluation.system import Formula
from schedcheck.checker.language.syntax import tree


def premise(of: Formula) -> Formula | None:
    r"""Return P of P => Q, \E x \in S : P of \A x \in S : P => Q, also through definitions; None otherwise."""
    node, scope = of.node, of.scope
    if isinstance(node, tree.Name):
        meaning = scope.find(node.name)
        if isinstance(meaning, Operator) and meaning.level().level <= STATE:
            return premise(Formula(meaning.node, meaning.scope, meaning.frame(of.padded(), [])))
        return None
    supposed = _supposed(node)
    if supposed is None or level(supposed, scope).level > STATE:
        return None
    return Formula(supposed, scope, of.frame)


def _supposed(node: tree.Expression) -> tree.Expression | None:
    match node:
        case tree.Apply(operator="=>", arguments=(left, _)):
            return left
        case tree.Quantified(quantifier="\\A", bounds=bounds, body=body):
            inner = _supposed(body)
            return None if inner is None else tree.Quantified("\\E", bounds, inner, at=node.at)
        case tree.Labelled(body=body):
            return _supposed(body)
        case _:
            return None
