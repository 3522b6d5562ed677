"""Formulas about two states or behaviours: primes, UNCHANGED, [A]_v, ENABLED, and the temporal operators."""

from schedcheck.checker.language.environment.running import UNSET, Code, Frame
from schedcheck.checker.language.environment.scopes import Scope, variable
from schedcheck.checker.language.evaluation.compiling import Site, compiles, value
from schedcheck.checker.language.evaluation.core import core
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.values import FALSE, TRUE, Value, truth


@core("'")
def prime(node: tree.Apply, scope: Scope) -> Code:
    """Compile a primed expression: its value in the next state."""
    inner, running, site = node.arguments[0], scope.running, Site(node, scope)
    meaning = variable(inner, scope)
    if meaning is not None:
        number = meaning.number

        def next_value(frame: Frame) -> Value:
            known = running.following[number]
            if known is UNSET:
                raise site.error(f"{meaning.name}' is read before it has a value", frame)
            return known

        return next_value
    code = value(inner, scope)

    def primed(frame: Frame) -> Value:
        saved, unsettled = running.state, running.unsettled
        running.state, running.unsettled = running.following, True
        running.level += 1
        try:
            return code(frame)
        finally:
            running.state, running.unsettled = saved, unsettled
            running.level -= 1

    return primed


@core("UNCHANGED")
def unchanged(node: tree.Apply, scope: Scope) -> Code:
    """Compile UNCHANGED as a test."""
    primed = prime(node, scope)
    code = value(node.arguments[0], scope)

    def same(frame: Frame) -> Value:
        one, two = code(frame), primed(frame)
        return TRUE if one is two or one == two else FALSE

    return same


@compiles(tree.Action)
def action_formula(node: tree.Action, scope: Scope) -> Code:
    """Compile [A]_v and <<A>>_v as tests."""
    action = value(node.action, scope)
    stays = unchanged(tree.Apply("UNCHANGED", (node.subscript,), at=node.at), scope)
    site = Site(node, scope)
    if node.changes:
        return lambda frame: FALSE if stays(frame) is TRUE else truth(site.holds(action(frame), frame))
    return lambda frame: TRUE if stays(frame) is TRUE else truth(site.holds(action(frame), frame))


@core("[]", "<>", "~>", "-+->", "\\cdot")
def temporal(node: tree.Apply, scope: Scope) -> Code:
    """Refuse a temporal operator where a value is expected. Raises Unevaluable."""
    raise Unevaluable(f"{node.operator} has no value in a state: it is a formula about behaviours", node.at)


@compiles(tree.Fairness)
def fairness(node: tree.Fairness, scope: Scope) -> Code:
    """Refuse fairness where a value is expected. Raises Unevaluable."""
    raise Unevaluable(
        f"{'SF' if node.strong else 'WF'} has no value in a state: it is a formula about behaviours", node.at
    )
