"""Arguments of operators: values, operators, or thunks.

An argument becomes a thunk if it is more than a name or simple arithmetic. It also becomes one if a primed body may
read it in another state than that of the call.
"""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from schedcheck.checker.language.environment.running import Argument, Code, Frame, Thunk
from schedcheck.checker.language.environment.scopes import (
    ACTION,
    CONSTANT,
    STATE,
    Builtin,
    Scope,
    Slot,
    Substituted,
    meant,
    variable,
)
from schedcheck.checker.language.evaluation.acting import NEXT, Act, Continue, action, finish
from schedcheck.checker.language.evaluation.branching import is_test
from schedcheck.checker.language.evaluation.compiling import Site, value
from schedcheck.checker.language.evaluation.core import CORE
from schedcheck.checker.language.evaluation.defined import Operator, Passed, PassedBuiltin
from schedcheck.checker.language.evaluation.demand import needs, slots_read
from schedcheck.checker.language.evaluation.levels import calls_unknown, level
from schedcheck.checker.language.evaluation.selecting import named
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import TlaError, Unevaluable
from schedcheck.checker.language.values.lazy import STRING
from schedcheck.checker.language.values.values import BOOLEAN, FALSE, TRUE, Value

WORDS: dict[str, Value] = {"TRUE": TRUE, "FALSE": FALSE, "BOOLEAN": BOOLEAN, "STRING": STRING}


def unknown(name: str, site: Site) -> Unevaluable:
    """Return the error that the name has no meaning here."""
    return Unevaluable(f"unknown operator: {name}", site.node.at)


def passed(
    callee: Operator,
    arguments: Sequence[tree.Expression],
    scope: Scope,
    site: Site,
    primed: bool = False,
    acting: bool = False,
) -> list[Code]:
    """Compile the arguments of a definition; the arguments of its instances come first.

    The arguments may be `primed`. If the definition is called as an action (`acting`), they may be actions too.
    """
    leading = len(arguments) - len(callee.parameters)
    if leading < 0 or leading > callee.base:
        wanted = len(callee.parameters)
        raise Unevaluable(f"{callee.name} takes {wanted} arguments, not {len(arguments)}", site.node.at)
    arities = [0] * leading + [each.arity for each in callee.parameters]
    primed |= not callee.settled() or any(
        arity and (level(each, scope).level >= ACTION or calls_unknown(each, scope))
        for each, arity in zip(arguments, arities, strict=True)
    )
    return [
        operator(each, scope, site, arity)
        if arity
        else _branching(each, primed, scope)
        if acting and not is_test(each, scope, initial=False)
        else _argument(each, primed, scope, not (primed or acting) and needs(callee, number - leading))
        for number, (each, arity) in enumerate(zip(arguments, arities, strict=True))
    ]


def _branching(node: tree.Expression, primed: bool, scope: Scope) -> Code:
    """Compile an argument that may be true in several ways as an action: to a thunk, unless it is an operator."""
    of = level(node, scope)
    by_name = of.level >= ACTION or (primed and (of.level >= STATE or of.bound))
    meaning = meant(scope.find(node.name)) if isinstance(node, tree.Name) else None
    of_operator = isinstance(meaning, Slot) or (isinstance(meaning, Operator | Builtin) and _arity(meaning) > 0)
    if of_operator or isinstance(node, tree.Lambda):
        return lazy(node, scope, by_name)
    return _thunk(node, scope, by_name)


def _argument(node: tree.Expression, primed: bool, scope: Scope, needed: bool) -> Code:
    """Compile an argument of an operator, whose body may be primed, to a value or a thunk."""
    of = level(node, scope)
    if of.level < ACTION and needed and not isinstance(node, tree.Name):
        return _now(node, scope)
    if not primed or of != (CONSTANT, True):
        return lazy(node, scope, by_name=of.level >= ACTION or (primed and (of.level >= STATE or of.bound)))
    slots, by_name = slots_read(node, scope), lazy(node, scope, by_name=True)
    if slots is None or isinstance(by_name, itemgetter):
        return by_name
    return _by_slots(slots, lazy(node, scope, by_name=False), by_name)


def _by_slots(slots: Sequence[int], plain: Code, by_name: Code) -> Code:
    """Compile an argument that depends on the state only if one of these parameters is a thunk."""

    def argument(frame: Frame) -> Any:
        for slot in slots:
            if type(frame[slot]) is Thunk:
                return by_name(frame)
        return plain(frame)

    return argument


def _now(node: tree.Expression, scope: Scope) -> Code:
    """Compile an argument that is certainly needed; if it fails, the error is raised where it is used."""
    try:
        code = value(node, scope)
    except TlaError:
        return lazy(node, scope, by_name=False)
    later = _thunk(node, scope, by_name=False)

    def now(frame: Frame) -> Any:
        try:
            return code(frame)
        except Unevaluable as error:
            made: Thunk = later(frame)
            made.code = failing(error)
            return made

    return now


def failing(error: Unevaluable) -> Code:
    """Return code that raises the error."""

    def fail(frame: Frame) -> Value:
        raise error

    return fail


def given(node: tree.Expression, scope: Scope) -> Code:
    """Compile an argument of an operator that is not primed, but otherwise unknown."""
    return lazy(node, scope, by_name=level(node, scope).level >= ACTION)


def lazy(node: tree.Expression, scope: Scope, by_name: bool) -> Code:
    """Compile an argument to a thunk, unless it is an operator or cheap to evaluate."""
    meaning = meant(scope.find(node.name)) if isinstance(node, tree.Name) else None
    if isinstance(node, tree.Lambda) or (isinstance(meaning, Slot | Operator | Builtin) and _arity(meaning)):
        return operator(node, scope, Site(node, scope))
    if isinstance(meaning, Slot):
        return itemgetter(meaning.index)
    if isinstance(node, tree.Number | tree.String) or (isinstance(node, tree.Name) and node.name in WORDS):
        return value(node, scope)
    if not by_name and _cheap(node, scope):
        return _eager(node, scope)
    return _thunk(node, scope, by_name)


def _arity(meaning: Any) -> int:
    if isinstance(meaning, Operator):
        return len(meaning.parameters)
    return int(meaning.arity)


def _cheap(node: tree.Expression, scope: Scope) -> bool:
    """Whether an argument is cheap to evaluate at once: names, fields, applications, simple arithmetic, constants."""
    match node:
        case tree.Name() | tree.Number() | tree.String():
            return True
        case tree.Field():
            return _cheap(node.record, scope)
        case tree.Index():
            return _cheap(node.function, scope) and all(_cheap(each, scope) for each in node.arguments)
        case tree.Apply(operator="+" | "-"):
            return isinstance(scope.find(node.operator), Builtin) and all(
                _cheap(each, scope) for each in node.arguments
            )
        case tree.Apply(operator="\\cup" | "\\"):
            return all(_cheap(each, scope) for each in node.arguments)
        case tree.Tuple() | tree.SetOf():
            return all(_cheap(each, scope) for each in node.elements)
    return level(node, scope) == (CONSTANT, False)


def _eager(node: tree.Expression, scope: Scope) -> Code:
    """Compile to a value evaluated at once; if that fails, to a thunk that fails when it is used."""
    code, later = value(node, scope), _thunk(node, scope, by_name=True)

    def eager(frame: Frame) -> Any:
        try:
            return code(frame)
        except Unevaluable:
            return later(frame)

    return eager


def _thunk(node: tree.Expression, scope: Scope, by_name: bool) -> Code:
    running = scope.running
    code = _late(node, scope)
    primed = isinstance(node, tree.Apply) and node.operator == "'"
    found = variable(node.arguments[0] if isinstance(node, tree.Apply) and primed else node, scope)
    of = Argument(node, scope, _late_action(node, scope), None if found is None else found.number, primed)
    return lambda frame: Thunk(code, frame, running, by_name, of)


def _late(node: tree.Expression, scope: Scope) -> Code:
    """Return code that is compiled at its first use, as an argument that is never evaluated may be invalid."""
    known: Code | None = None
    layout = scope.layout

    def code(frame: Frame) -> Value:
        nonlocal known
        if known is None:
            known = value(node, scope)
        if len(frame) < layout.size:
            frame.extend([None] * (layout.size - len(frame)))
        return known(frame)

    return code


def _late_action(node: tree.Expression, scope: Scope) -> Act:
    """Return an action that is compiled at its first use.

    It gets a frame of its own, as it may continue while the original frame is used elsewhere.
    """
    known: Act | None = None
    layout = scope.layout

    def act(frame: Frame, go_on: Continue) -> None:
        nonlocal known
        if known is None:
            known = action(node, scope, NEXT, finish)
        known([*frame, *[None] * (layout.size - len(frame))], go_on)

    return act


def operator(node: tree.Expression, scope: Scope, site: Site, arity: int | None = None) -> Callable[[Frame], Any]:
    """Compile an operator argument to a callable; `arity` is the number of arguments it must take, if known."""
    if isinstance(node, tree.Lambda):
        _fits("the LAMBDA", len(node.parameters), arity, node)
        parameters = [tree.Parameter(each, at=node.at) for each in node.parameters]
        written = Operator("LAMBDA", parameters, node.body, scope, scope.layout.size)
        return lambda frame: Passed(written, frame)
    if isinstance(node, tree.Through | tree.Selected):
        meaning, given = named(node, scope)
        if isinstance(meaning, Operator) and not given:
            _fits(meaning.name, len(meaning.parameters), arity, node)
            return lambda frame: Passed(meaning, frame)
    if not isinstance(node, tree.Name):
        raise Unevaluable("an operator is expected as an argument here", site.node.at)
    meaning = scope.find(node.name)
    match meaning:
        case Slot():
            return itemgetter(meaning.index)
        case Operator():
            _fits(meaning.name, len(meaning.parameters), arity, node)
            return lambda frame: Passed(meaning, frame)
        case Substituted():
            return operator(meaning.expression, meaning.scope.within(scope.layout), site)
        case Builtin():
            made = PassedBuiltin(meaning.function, meaning.arity)
            return lambda frame: made
    if node.name in CORE:
        names = [tree.Parameter(each, at=node.at) for each in ("a", "b")[: 1 if node.name in _PREFIX else 2]]
        body = tree.Apply(node.name, tuple(tree.Name(each.name, at=node.at) for each in names), at=node.at)
        core = Operator(node.name, names, body, scope, scope.layout.size)
        return lambda frame: Passed(core, frame)
    raise unknown(node.name, site)


def _fits(name: str, has: int, wanted: int | None, node: tree.Expression) -> None:
    """Raise Unevaluable unless the operator takes the wanted number of arguments."""
    if wanted is not None and has != wanted:
        raise Unevaluable(f"{name} takes {has} arguments: an operator of {wanted} is expected here", node.at)


_PREFIX = ("~", "SUBSET", "UNION", "DOMAIN", "UNCHANGED", "ENABLED", "'", "[]", "<>")
