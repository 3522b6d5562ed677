"""Compilation of names by their meanings."""

from operator import itemgetter
from typing import Any

from schedcheck.checker.language.environment.running import UNSET, Code, Frame, Thunk
from schedcheck.checker.language.environment.scopes import (
    ACTION,
    Builtin,
    Constant,
    Local,
    Missing,
    Scope,
    Slot,
    Substituted,
    Variable,
    stands_for,
)
from schedcheck.checker.language.evaluation.arguments import WORDS, unknown
from schedcheck.checker.language.evaluation.calls import builtin, call
from schedcheck.checker.language.evaluation.compiling import Site, compiles, literal, value
from schedcheck.checker.language.evaluation.defined import Operator
from schedcheck.checker.language.evaluation.levels import of_local
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.values import Value


@compiles(tree.Name)
def name(node: tree.Name, scope: Scope) -> Code:
    """Compile a name."""
    if node.name in WORDS:
        return literal(WORDS[node.name])
    return read(node.name, scope.find(node.name), scope, Site(node, scope))


def read(of: str, meaning: Any, scope: Scope, site: Site) -> Code:
    """Compile reading a name with this meaning."""
    match meaning:
        case Slot(parameter=True):
            return _parameter(meaning.index)
        case Slot():
            return itemgetter(meaning.index)
        case Local():
            return _local(meaning, scope)
        case Variable():
            return _variable(meaning, scope, site)
        case Constant():
            return literal(meaning.value)
        case Substituted():
            return _expression(meaning, scope, site)
        case Operator():
            return call(meaning, (), site)
        case Builtin():
            return builtin(meaning, (), site)
        case Missing():
            raise Unevaluable(f"{meaning.name} {meaning.why}", site.node.at)
    raise unknown(of, site)


def _parameter(index: int) -> Code:
    def parameter(frame: Frame) -> Value:
        known = frame[index]
        if type(known) is not Thunk:
            return known
        found = known.force()
        if known.known is not None:
            frame[index] = found
        return found

    return parameter


def _expression(meaning: Substituted, scope: Scope, site: Site) -> Code:
    """Compile a substituted constant or variable of an instance; within ENABLED a variable has values of its own."""
    code, running, apart = value(meaning.expression, meaning.scope.within(scope.layout)), scope.running, meaning.apart
    if apart is None:
        return code

    def expression(frame: Frame) -> Value:
        if running.apart is None or running.state is not running.following:
            return code(frame)
        if stands_for(meaning.expression, meaning.scope, frame) is not None:
            return code(frame)
        known = running.apart.get(apart)
        if known is None:
            raise site.error("a variable is read before it has a value", frame)
        return known

    return expression


def _variable(meaning: Variable, scope: Scope, site: Site) -> Code:
    running, number = scope.running, meaning.number

    def variable(frame: Frame) -> Value:
        known = running.state[number]
        if known is UNSET:
            raise site.error(f"the variable {meaning.name} is read before it has a value", frame)
        return known

    return variable


def _local(meaning: Local, scope: Scope) -> Code:
    """Compile a parameterless LET definition; its slot memoises it, unless the state may still change."""
    running, index = scope.running, meaning.index
    code = meaning.codes.get(scope.layout)
    if code is None:
        code = meaning.codes[scope.layout] = value(meaning.body, meaning.scope.within(scope.layout))
    if of_local(meaning).level >= ACTION:
        return code

    def local(frame: Frame) -> Value:
        if running.unsettled:
            return code(frame)
        known = frame[index]
        if known is None:
            known = frame[index] = code(frame)
        return known

    return local
