r"""Actions and initial predicates: formulas evaluated left to right, with the values found on the way.

As in TLC, `x' = e` assigns x' if it has no value yet, and is a test otherwise. `x' \in S` tries each element, and `x'
\subseteq S` each subset; \/ and \E try each branch. `P => A` tries A if P is true. Every other formula with primed
variables is a test and needs their values. In an initial predicate the same holds for unprimed variables. The code of
an action (`Act`) calls its continuation once for each way to make the action true.
"""

from collections.abc import Sequence
from typing import Any

from schedcheck.checker.language.environment.running import Code, Frame, Running, Thunk
from schedcheck.checker.language.environment.scopes import Local, Scope, Slot, Substituted, meant
from schedcheck.checker.language.evaluation.acting import (
    INITIAL,
    NEXT,
    Act,
    Continue,
    action,
    compiles_actions,
    done,
    finish,
)
from schedcheck.checker.language.evaluation.arguments import lazy, passed
from schedcheck.checker.language.evaluation.assignments import (
    condition,
    equation,
    membership,
    unchanging,
    unless_settled,
)
from schedcheck.checker.language.evaluation.branches import any_of, exists, for_all
from schedcheck.checker.language.evaluation.branching import is_test
from schedcheck.checker.language.evaluation.compiling import Site, value
from schedcheck.checker.language.evaluation.composing import composed
from schedcheck.checker.language.evaluation.defined import Operator, Passed
from schedcheck.checker.language.evaluation.function_bodies import function_body
from schedcheck.checker.language.evaluation.lets import declared
from schedcheck.checker.language.evaluation.selecting import named
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.values.equality import member
from schedcheck.checker.language.values.values import LazyFunction


@compiles_actions
def compiled(node: tree.Expression, scope: Scope, mode: str, rest: Act) -> Act:
    """Compile the formula as an action, followed by the rest."""
    if is_test(node, scope, mode == INITIAL):
        return condition(node, scope, rest)
    match node:
        case tree.Junction(operator="/\\"):
            return _all(node.items, scope, mode, rest)
        case tree.Apply(operator="/\\"):
            return _all(node.arguments, scope, mode, rest)
        case tree.Junction(operator="\\/"):
            return any_of(node.items, scope, mode, rest)
        case tree.Apply(operator="\\/"):
            return any_of(node.arguments, scope, mode, rest)
        case tree.Apply(operator="\\cdot", arguments=(left, right)) if mode == NEXT:
            first, second = (action(each, scope, mode, finish) for each in (left, right))
            return composed(first, second, rest, scope.running, node.at)
        case tree.Apply(operator="=", arguments=(left, right)):
            return equation(node, left, right, scope, mode, rest)
        case tree.Apply(operator="\\in", arguments=(left, right)):
            return membership(node, left, right, scope, mode, rest)
        case tree.Apply(operator="\\subseteq", arguments=(left, right)):
            return membership(node, left, tree.Apply("SUBSET", (right,), at=right.at), scope, mode, rest)
        case tree.Apply(operator="=>", arguments=(left, right)):
            return _implied(node, left, right, scope, mode, rest)
        case tree.Apply(operator="UNCHANGED", arguments=(same,)) if mode == NEXT:
            return unchanging(same, scope, rest)
        case tree.Quantified(quantifier="\\E"):
            return exists(node, scope, mode, rest)
        case tree.Quantified(quantifier="\\A"):
            return for_all(node, scope, mode, rest)
        case tree.If():
            return _if(node, scope, mode, rest)
        case tree.Case():
            return _case(node, scope, mode, rest)
        case tree.Let():
            return _let(node, scope, mode, rest)
        case tree.Index():
            return _function(node, scope, mode, rest)
        case tree.Action():
            return _action(node, scope, mode, rest)
        case tree.Labelled():
            return action(node.body, scope, mode, rest)
        case tree.Name() | tree.Apply() | tree.Through() | tree.Selected():
            return _call(node, scope, mode, rest)
    return condition(node, scope, rest)


def _all(items: Sequence[tree.Expression], scope: Scope, mode: str, rest: Act) -> Act:
    """Compile a conjunction: one conjunct after another."""
    rest = done if rest is finish and len(items) > 1 else rest
    for number, each in reversed(tuple(enumerate(items))):
        act = action(each, scope, mode, rest)
        rest = unless_settled(act, condition(each, scope, rest), scope.running) if number and mode == INITIAL else act
    return rest


def _if(node: tree.If, scope: Scope, mode: str, rest: Act) -> Act:
    guard, site = value(node.condition, scope), Site(node, scope)
    then, otherwise = (action(each, scope, mode, rest) for each in (node.then, node.otherwise))

    def chosen(frame: Frame, go_on: Continue) -> None:
        (then if site.holds(guard(frame), frame) else otherwise)(frame, go_on)

    return chosen


def _implied(
    node: tree.Apply, left: tree.Expression, right: tree.Expression, scope: Scope, mode: str, rest: Act
) -> Act:
    """Compile `P => A`: A if P is true, else only the rest."""
    guard, site, then = value(left, scope), Site(node, scope), action(right, scope, mode, rest)

    def implied(frame: Frame, go_on: Continue) -> None:
        (then if site.holds(guard(frame), frame) else rest)(frame, go_on)

    return implied


def _case(node: tree.Case, scope: Scope, mode: str, rest: Act) -> Act:
    """Compile CASE: the first arm whose condition is true."""
    arms = [(value(guard, scope), action(then, scope, mode, rest)) for guard, then in node.arms]
    other = None if node.other is None else action(node.other, scope, mode, rest)
    site = Site(node, scope)

    def chosen(frame: Frame, go_on: Continue) -> None:
        for guard, then in arms:
            if site.holds(guard(frame), frame):
                then(frame, go_on)
                return
        if other is None:
            raise site.error("no condition of the CASE is true", frame)
        other(frame, go_on)

    return chosen


def _let(node: tree.Let, scope: Scope, mode: str, rest: Act) -> Act:
    inner, locals_ = declared(node.units, scope)
    act = action(node.body, inner, mode, rest)

    def begun(frame: Frame, go_on: Continue) -> None:
        for index in locals_:
            frame[index] = None
        act(frame, go_on)

    return begun


def _action(node: tree.Action, scope: Scope, mode: str, rest: Act) -> Act:
    """Compile `[A]_v` as A or UNCHANGED v, and `<<A>>_v` as A and not UNCHANGED v."""
    same = tree.Apply("UNCHANGED", (node.subscript,), at=node.at)
    if node.changes:
        return _all((node.action, tree.Apply("~", (same,), at=node.at)), scope, mode, rest)
    return any_of((node.action, same), scope, mode, rest)


def _call(node: "tree.Name | tree.Apply | tree.Through | tree.Selected", scope: Scope, mode: str, rest: Act) -> Act:
    """Compile a name or an application; the body of a definition is compiled as an action."""
    match node:
        case tree.Through() | tree.Selected():
            meaning, arguments = named(node, scope)
        case tree.Apply():
            meaning, arguments = scope.find(node.operator), node.arguments
        case _:
            meaning, arguments = scope.find(node.name), ()
    site, meaning = Site(node, scope), meant(meaning)
    match meaning:
        case Operator():
            return _defined(meaning, passed(meaning, arguments, scope, site, acting=True), mode, rest, scope.running)
        case Substituted() if not arguments:
            return action(meaning.expression, meaning.scope.within(scope.layout), mode, rest)
        case Slot(parameter=True):
            return _parameter(meaning, node, arguments, scope, rest)
    if isinstance(meaning, Local) and not isinstance(meaning.body, tree.FunctionDefinition):
        return action(meaning.body, meaning.scope.within(scope.layout), mode, rest)
    return condition(node, scope, rest)


def _defined(operator: Operator, codes: Sequence[Code], mode: str, rest: Act, running: Running) -> Act:
    """Compile the call of a definition as an action.

    A step is named after the innermost definition that is the whole action, without other conjuncts.
    """
    own = len(codes) - len(operator.parameters)

    def begun(frame: Frame, go_on: Continue) -> None:
        within = operator.frame(frame, [code(frame) for code in codes])
        operator.start(within, lambda: rest(frame, go_on))

    def named(frame: Frame, go_on: Continue) -> None:
        arguments = [code(frame) for code in codes]
        label = running.label
        if running.naming:
            running.label = (operator, arguments[own:])
        operator.act(operator.frame(frame, arguments), go_on)
        running.label = label

    def called(frame: Frame, go_on: Continue) -> None:
        naming = running.naming
        running.naming = False
        within = operator.frame(frame, [code(frame) for code in codes])
        operator.act(within, go_on if rest is done else lambda: rest(frame, go_on))
        running.naming = naming

    return begun if mode == INITIAL else named if rest is finish else called


def _function(node: tree.Index, scope: Scope, mode: str, rest: Act) -> Act:
    """Compile a function application; the body of a lazy function is followed as an action.

    It is a test if the function is not lazy, or the argument is outside its domain.
    """
    test, body = condition(node, scope, rest), function_body(node, scope)
    if body is None:
        return test
    site, function = Site(node, scope), value(node.function, scope)
    whole = node.arguments[0] if len(node.arguments) == 1 else tree.Tuple(node.arguments, at=node.at)
    argument = value(whole, scope)
    followed = _defined(
        body,
        passed(body, node.arguments, scope, site, acting=True),
        mode,
        done if rest is finish else rest,
        scope.running,
    )

    def applied(frame: Frame, go_on: Continue) -> None:
        known = function(frame)
        lazily = isinstance(known, LazyFunction) and member(argument(frame), known.domain)
        (followed if lazily else test)(frame, go_on)

    return applied


def _parameter(meaning: Slot, node: Any, arguments: Sequence[tree.Expression], scope: Scope, rest: Act) -> Act:
    """Compile a parameter that is an action, or the call of an operator parameter."""
    index = meaning.index
    test = condition(node, scope, rest)
    codes = [lazy(each, scope, by_name=True) for each in arguments]

    def called(frame: Frame, go_on: Continue) -> None:
        known = frame[index]
        if type(known) is Thunk:
            known.of.act(known.frame, lambda: rest(frame, go_on))
        elif type(known) is Passed:
            known.act([code(frame) for code in codes], lambda: rest(frame, go_on))
        else:
            test(frame, go_on)

    return called
