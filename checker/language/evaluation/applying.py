"""Application of operators to arguments, in the module or through an instance."""

from collections.abc import Sequence
from typing import Any

from schedcheck.checker.language.environment.running import Code, Frame
from schedcheck.checker.language.environment.scopes import Builtin, Missing, Scope, Slot, Substituted, meant
from schedcheck.checker.language.evaluation.arguments import given, lazy, operator, passed, unknown
from schedcheck.checker.language.evaluation.calls import builtin, call
from schedcheck.checker.language.evaluation.compiling import Site, compiles, value
from schedcheck.checker.language.evaluation.core import CORE
from schedcheck.checker.language.evaluation.defined import Operator
from schedcheck.checker.language.evaluation.names import read
from schedcheck.checker.language.evaluation.selecting import named
from schedcheck.checker.language.printing.printing import printed
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import TlaError, Unevaluable
from schedcheck.checker.language.values.values import Value


@compiles(tree.Apply)
def apply(node: tree.Apply, scope: Scope) -> Code:
    """Compile an operator applied to arguments."""
    core = CORE.get(node.operator)
    if core is not None:
        return core(node, scope)
    return applied(scope.find(node.operator), node.operator, node.arguments, scope, Site(node, scope))


@compiles(tree.Through, tree.Selected)
def through(node: tree.Through | tree.Selected, scope: Scope) -> Code:
    """Compile an operator of a named instance, or a selected part of a definition."""
    meaning, arguments = named(node, scope)
    return applied(meaning, printed(node), arguments, scope, Site(node, scope))


@compiles(tree.Labelled)
def labelled(node: tree.Labelled, scope: Scope) -> Code:
    """Compile a labelled expression, which is its body."""
    return value(node.body, scope)


def applied(meaning: Any, of: str, arguments: Sequence[tree.Expression], scope: Scope, site: Site) -> Code:
    """Compile the meaning of a name, applied to arguments."""
    meaning = meant(meaning)
    match meaning:
        case Operator():
            return call(meaning, passed(meaning, arguments, scope, site), site)
        case Slot(parameter=True) if meaning.arity:
            return _passed(meaning.index, arguments, scope, site)
        case Builtin():
            return builtin(
                meaning, [_of_builtin(each, meaning, number, scope) for number, each in enumerate(arguments)], site
            )
        case Substituted():
            return _substituted(meaning, arguments, scope, site)
        case _ if not arguments:
            return read(of, meaning, scope, site)
        case Missing():
            raise Unevaluable(f"{meaning.name} {meaning.why}", site.node.at)
    raise unknown(of, site)


def _substituted(meaning: Substituted, arguments: Sequence[tree.Expression], scope: Scope, site: Site) -> Code:
    """Compile the call of an operator that an instance substitutes for a constant operator."""
    if not arguments:
        return value(meaning.expression, meaning.scope.within(scope.layout))
    called = operator(meaning.expression, meaning.scope.within(scope.layout), site)
    codes = [lazy(each, scope, by_name=True) for each in arguments]
    return lambda frame: called(frame)(*[code(frame) for code in codes])


def _passed(index: int, arguments: Sequence[tree.Expression], scope: Scope, site: Site) -> Code:
    """Compile the call of an operator parameter; its arguments are passed by name only to an action."""
    by_name = [lazy(each, scope, by_name=True) for each in arguments]
    plain = [given(each, scope) for each in arguments]

    def called(frame: Frame) -> Value:
        operator = frame[index]
        try:
            return operator(*[code(frame) for code in (plain if operator.settled else by_name)])
        except TlaError as error:
            raise site.placed(error, frame) from None

    return called


def _of_builtin(node: tree.Expression, meaning: Builtin, number: int, scope: Scope) -> Code:
    if number in meaning.operators:
        return operator(node, scope, Site(node, scope))
    return value(node, scope)
