r"""Formulas that assign variables in an action: `x' = e`, `x' \in S`, UNCHANGED. For assigned ones they are tests."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from schedcheck.checker.language.environment.running import UNSET, Argument, Code, Frame, Running, Thunk
from schedcheck.checker.language.environment.scopes import (
    Local,
    Scope,
    Substituted,
    Variable,
    parameter,
    stands_for,
    variable,
)
from schedcheck.checker.language.evaluation.acting import INITIAL, NEXT, Act, Continue, finish
from schedcheck.checker.language.evaluation.arguments import passed
from schedcheck.checker.language.evaluation.compiling import Site, value
from schedcheck.checker.language.evaluation.core import CORE
from schedcheck.checker.language.evaluation.defined import Operator
from schedcheck.checker.language.evaluation.priming import unchanged
from schedcheck.checker.language.evaluation.selecting import named
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import TlaError
from schedcheck.checker.language.values.equality import differ
from schedcheck.checker.language.values.ordering import listed
from schedcheck.checker.language.values.values import FALSE, TRUE, Value, whole


def condition(node: tree.Expression, scope: Scope, rest: Act) -> Act:
    """Compile a formula as a test."""
    code, site = value(node, scope), Site(node, scope)

    def tested(frame: Frame, go_on: Continue) -> None:
        known = code(frame)
        if known is TRUE:
            rest(frame, go_on)
        elif known is not FALSE:
            raise site.no_truth(known, frame)

    return tested


def unless_settled(act: Act, test: Act, running: Running) -> Act:
    """Return the test if every variable has a value, as TLC continues an initial predicate; else the action."""

    def chosen(frame: Frame, go_on: Continue) -> None:
        (act if UNSET in running.state else test)(frame, go_on)

    return chosen


@dataclass(frozen=True)
class _Parameter:
    """A parameter that may stand for a variable; `primed`: it is primed at this place."""

    index: int
    primed: bool


def _target(node: tree.Expression, scope: Scope, mode: str) -> "Variable | _Parameter | None":
    """Return the variable that one side of an equation may assign, or a parameter that may stand for one; else None."""
    primed = mode == NEXT and isinstance(node, tree.Apply) and node.operator == "'"
    if isinstance(node, tree.Apply) and primed:
        node = node.arguments[0]
    if primed or mode == INITIAL:
        found = variable(node, scope)
        if found is not None:
            return found
    slot = parameter(node, scope)
    return None if slot is None else _Parameter(slot.index, primed)


def _known(running: Running, mode: str) -> Any:
    """Return the values found so far."""
    return running.following if mode == NEXT else running.state


def _number(target: "Variable | _Parameter", frame: Frame, mode: str) -> int | None:
    """Return the number of the variable to assign; None if the parameter stands for no variable."""
    if isinstance(target, Variable):
        return target.number
    given = frame[target.index]
    if type(given) is not Thunk or (target.primed or given.of.primed) is not (mode == NEXT):
        return None
    if given.of.variable is not None:
        return given.of.variable
    inner = given.of.node.arguments[0] if given.of.primed else given.of.node
    return stands_for(inner, given.of.scope, given.frame)


def equation(
    node: tree.Expression, left: tree.Expression, right: tree.Expression, scope: Scope, mode: str, rest: Act
) -> Act:
    """Compile `x' = e`."""
    target, test = _target(left, scope, mode), condition(node, scope, rest)
    code, running = value(right, scope), scope.running
    if isinstance(target, Variable):
        return _assignment(target.number, code, running, mode, rest, Site(node, scope))
    apart = _apart(left, scope, mode, rest, test, lambda frame: (code(frame),))
    if target is None:
        return apart

    def by_parameter(frame: Frame, go_on: Continue) -> None:
        number = _number(target, frame, mode)
        known = _known(running, mode)
        if number is None or known[number] is not UNSET:
            (apart if number is None else test)(frame, go_on)
            return
        known[number] = whole(code(frame))
        rest(frame, go_on)
        known[number] = UNSET

    return by_parameter


def _apart(
    left: tree.Expression, scope: Scope, mode: str, rest: Act, test: Act, values: Callable[[Frame], Iterable[Value]]
) -> Act:
    """Return the test; within ENABLED, assign an instance variable that is an expression here instead."""
    if mode != NEXT or not isinstance(left, tree.Apply) or left.operator != "'":
        return test
    inner = left.arguments[0]
    meaning = scope.find(inner.name) if isinstance(inner, tree.Name) else None
    if not isinstance(meaning, Substituted) or meaning.apart is None:
        return test
    number, running = meaning.apart, scope.running

    def given(frame: Frame, go_on: Continue) -> None:
        apart = running.apart
        if apart is None or number in apart or stands_for(inner, scope, frame) is not None:
            test(frame, go_on)
            return
        for each in values(frame):
            apart[number] = each
            rest(frame, go_on)
        apart.pop(number, None)

    return given


def _assignment(number: int, code: Code, running: Running, mode: str, rest: Act, site: Site) -> Act:
    def given(frame: Frame, go_on: Continue) -> None:
        known: Any = running.following if mode == NEXT else running.state
        new = code(frame)
        old = known[number]
        if old is UNSET:
            known[number] = whole(new)
            rest(frame, go_on)
            known[number] = UNSET
        elif old is new or old == new:
            rest(frame, go_on)
        else:
            try:
                differ(old, new)
            except TlaError as error:
                raise site.placed(error, frame) from None

    return given


def membership(
    node: tree.Expression, left: tree.Expression, right: tree.Expression, scope: Scope, mode: str, rest: Act
) -> Act:
    r"""Compile `x' \in S`."""
    target, test = _target(left, scope, mode), condition(node, scope, rest)
    code, running, site = value(right, scope), scope.running, Site(node, scope)
    apart = _apart(left, scope, mode, rest, test, lambda frame: listed(code(frame)))
    if target is None:
        return apart

    def chosen(frame: Frame, go_on: Continue) -> None:
        number = _number(target, frame, mode)
        known = _known(running, mode)
        if number is None or known[number] is not UNSET:
            (apart if number is None else test)(frame, go_on)
            return
        try:
            elements = listed(code(frame))
        except TlaError as error:
            raise site.placed(error, frame) from None
        for each in elements:
            known[number] = whole(each)
            rest(frame, go_on)
        known[number] = UNSET

    return chosen


def unchanging(same: tree.Expression, scope: Scope, rest: Act) -> Act:
    """Compile `UNCHANGED e`: variables, also in tuples, keep their values; any other expression is a test."""
    found = variable(same, scope)
    if found is not None:
        number, running = found.number, scope.running

        def kept(frame: Frame, go_on: Continue) -> None:
            known: Any = running.following
            old = running.state[number]
            new = known[number]
            if new is UNSET:
                known[number] = old
                rest(frame, go_on)
                known[number] = UNSET
            elif new is old or new == old:
                rest(frame, go_on)

        return kept
    if isinstance(same, tree.Tuple):
        for each in reversed(same.elements):
            rest = unchanging(each, scope, rest)
        return rest
    if isinstance(same, tree.Labelled):
        return unchanging(same.body, scope, rest)
    meaning, given = _meaning(same, scope)
    if isinstance(meaning, Operator) and len(given) == meaning.base + len(meaning.parameters):
        return _elsewhere(meaning, passed(meaning, given, scope, Site(same, scope), primed=True), rest)
    if isinstance(meaning, Local) and not isinstance(meaning.body, tree.FunctionDefinition):
        return unchanging(meaning.body, meaning.scope.within(scope.layout), rest)
    if isinstance(meaning, Substituted):
        plain = unchanging(meaning.expression, meaning.scope.within(scope.layout), rest)
        now = value(same, scope)
        return _apart(tree.Apply("'", (same,), at=same.at), scope, NEXT, rest, plain, lambda frame: (now(frame),))
    code = unchanged(tree.Apply("UNCHANGED", (same,), at=same.at), scope)

    def tested(frame: Frame, go_on: Continue) -> None:
        if code(frame) is TRUE:
            rest(frame, go_on)

    return tested if parameter(same, scope) is None else _argument_kept(same, scope, tested, rest)


def _argument_kept(same: tree.Expression, scope: Scope, tested: Act, rest: Act) -> Act:
    """Compile `UNCHANGED v` of a parameter: the variables of the argument keep their values."""
    slot = parameter(same, scope)
    assert slot is not None
    index, acts = slot.index, dict[Argument, Act]()

    def kept(frame: Frame, go_on: Continue) -> None:
        given = frame[index]
        if type(given) is not Thunk:
            tested(frame, go_on)
            return
        of = given.of
        if of not in acts:
            acts[of] = unchanging(of.node, of.scope, finish)
        within = [*given.frame, *[None] * (of.scope.layout.size - len(given.frame))]
        acts[of](within, lambda: rest(frame, go_on))

    return kept


def _meaning(node: tree.Expression, scope: Scope) -> tuple[Any, tuple[tree.Expression, ...]]:
    """Return the meaning of a name, also through instances, and its arguments, those of instances first."""
    if isinstance(node, tree.Through | tree.Selected):
        return named(node, scope)
    if isinstance(node, tree.Apply) and node.operator not in CORE:
        return scope.find(node.operator), node.arguments
    return (scope.find(node.name) if isinstance(node, tree.Name) else None), ()


def _elsewhere(operator: Operator, codes: Sequence[Code], rest: Act) -> Act:
    """Return an action that keeps the body of a definition, in the definition's frame."""
    act = unchanging(operator.node, operator.scope, finish)

    def kept(frame: Frame, go_on: Continue) -> None:
        within = operator.frame(frame, [code(frame) for code in codes])
        act(within, lambda: rest(frame, go_on))

    return kept
