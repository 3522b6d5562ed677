"""Temporal formulas, decomposed: conjunctions, quantifiers over constants and definitions are expanded.

The remaining parts are state predicates, actions, fairness, and combinations of predicates by <>, [] and ~>.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from schedcheck.checker.language.environment.running import Thunk
from schedcheck.checker.language.environment.scopes import STATE, Builtin, Local, Scope, Slot, Substituted
from schedcheck.checker.language.evaluation.arguments import passed
from schedcheck.checker.language.evaluation.compiling import Site
from schedcheck.checker.language.evaluation.defined import Operator
from schedcheck.checker.language.evaluation.lets import declared
from schedcheck.checker.language.evaluation.levels import level
from schedcheck.checker.language.evaluation.selecting import named
from schedcheck.checker.language.evaluation.system import Formula
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.ordering import listed


@dataclass(frozen=True)
class Predicate:
    """A state predicate; its negation if `holds` is false."""

    formula: Formula
    holds: bool = True


@dataclass(frozen=True)
class Steps:
    """An action `[A]_v` of a step; if `holds` is false, the step is none: `<<~A>>_v`."""

    formula: Formula
    holds: bool = True


@dataclass(frozen=True)
class Both:
    """The conjunction of the parts."""

    parts: tuple["Temporal", ...]


@dataclass(frozen=True)
class Either:
    """The disjunction of the parts."""

    parts: tuple["Temporal", ...]


@dataclass(frozen=True)
class Always:
    """The formula `[]part`."""

    part: "Temporal"


@dataclass(frozen=True)
class Eventually:
    """The formula `<>part`."""

    part: "Temporal"


@dataclass(frozen=True)
class Fair:
    """WF or SF of an action; if `holds` is false, its negation."""

    formula: Formula
    strong: bool
    holds: bool = True


Temporal = Predicate | Steps | Both | Either | Always | Eventually | Fair


def opened(of: Formula, holds: bool = True) -> Temporal:
    """Decompose a formula, or its negation if `holds` is false. Raises Unevaluable for unsupported formulas."""
    node, scope, frame = of.node, of.scope, of.frame

    def part(each: tree.Expression, positive: bool = holds) -> Temporal:
        return opened(Formula(each, scope, frame), positive)

    if level(node, scope).level <= STATE and not _names_parameter(node, scope):
        return Predicate(of, holds)
    match node:
        case (
            tree.Junction(operator=symbol, items=items) | tree.Apply(operator="/\\" | "\\/" as symbol, arguments=items)
        ):
            parts = tuple(part(each) for each in items)
            return _joined(parts, (symbol == "/\\") is holds)
        case tree.Apply(operator="~", arguments=(inner,)):
            return part(inner, not holds)
        case tree.Apply(operator="=>", arguments=(left, right)):
            return _joined((part(left, not holds), part(right)), not holds)
        case tree.Apply(operator="<=>", arguments=(left, right)) if level(node, scope).level > STATE:
            both = (part(left, True), part(right, holds)), (part(left, False), part(right, not holds))
            return Either(tuple(Both(each) for each in both))
        case tree.Apply(operator="[]", arguments=(inner,)):
            return Always(part(inner)) if holds else Eventually(part(inner))
        case tree.Apply(operator="<>", arguments=(inner,)):
            return Eventually(part(inner)) if holds else Always(part(inner))
        case tree.Apply(operator="~>", arguments=(left, right)):
            if holds:
                return Always(Either((part(left, False), Eventually(part(right)))))
            return Eventually(Both((part(left, True), Always(part(right)))))
        case tree.Action():
            return Steps(of, holds)
        case tree.Fairness():
            return Fair(of, node.strong, holds)
        case tree.Quantified(quantifier="\\A" | "\\E" as quantifier):
            parts = tuple(opened(each, holds) for each in _instances(node, of))
            return _joined(parts, (quantifier == "\\A") is holds)
        case tree.If() if level(node.condition, scope).level <= STATE:
            yes, no = part(node.condition, True), part(node.condition, False)
            return Either((Both((yes, part(node.then))), Both((no, part(node.otherwise)))))
    return _followed(of, holds)


def _joined(parts: tuple[Temporal, ...], both: bool) -> Temporal:
    return Both(parts) if both else Either(parts)


def _instances(node: tree.Quantified, of: Formula) -> Iterator[Formula]:
    """Yield the body for each way to bind the names."""
    patterns: list[tree.Pattern] = []
    sets: list[Sequence[Any]] = []
    for bound in node.bounds:
        if bound.domain is None:
            raise Unevaluable("a name without a set to range over has no finite range", bound.at)
        elements = tuple(listed(Formula(bound.domain, of.scope, of.frame).value()))
        patterns += bound.patterns
        sets += [elements] * len(bound.patterns)
    scope, slots = of.scope.bind(patterns)
    for chosen in product(*sets):
        frame = [*of.frame, *[None] * (scope.layout.size - len(of.frame))]
        for slot, each in zip(slots, chosen, strict=True):
            if isinstance(slot, int):
                frame[slot] = each
            else:
                for index, one in zip(slot, each, strict=True):
                    frame[index] = one
        yield Formula(node.body, scope, frame)


def _followed(of: Formula, holds: bool) -> Temporal:
    """Decompose the definition that the formula names; a state predicate is left as it is."""
    node, scope, frame = of.node, of.scope, of.frame
    arguments: tuple[tree.Expression, ...] = ()
    match node:
        case tree.Let():
            inner, _ = declared(node.units, scope)
            return opened(Formula(node.body, inner, of.padded()), holds)
        case tree.Name():
            meaning = scope.find(node.name)
        case tree.Apply():
            meaning, arguments = scope.find(node.operator), node.arguments
        case tree.Labelled():
            return opened(Formula(node.body, scope, frame), holds)
        case tree.Through() | tree.Selected():
            meaning, arguments = named(node, scope)
        case _:
            raise Unevaluable("this temporal formula is not supported", node.at)
    if level(node, scope).level <= STATE and not isinstance(meaning, Operator):
        return Predicate(of, holds)
    match meaning:
        case Operator():
            if meaning.level().level <= STATE:
                return Predicate(of, holds)
            codes = passed(meaning, arguments, scope, Site(node, scope))
            padded = of.padded()
            within = meaning.frame(padded, [code(padded) for code in codes])
            return opened(Formula(meaning.node, meaning.scope, within), holds)
        case Substituted():
            return opened(Formula(meaning.expression, meaning.scope.within(scope.layout), frame), holds)
        case Local() if not isinstance(meaning.body, tree.FunctionDefinition):
            return opened(Formula(meaning.body, meaning.scope.within(scope.layout), frame), holds)
        case Builtin():
            return Predicate(of, holds)
        case Slot():
            return _parameter(meaning, of, holds)
    raise Unevaluable("this temporal formula is not supported", node.at)


def _names_parameter(node: tree.Expression, scope: Scope) -> bool:
    """Whether the formula is a parameter, which may stand for a temporal formula."""
    return isinstance(node, tree.Name) and isinstance(scope.find(node.name), Slot)


def _parameter(meaning: Slot, of: Formula, holds: bool) -> Temporal:
    """Decompose the formula passed as an argument; a value passed is a predicate."""
    given = of.frame[meaning.index]
    if isinstance(given, Thunk):
        return opened(Formula(given.of.node, given.of.scope, given.frame), holds)
    return Predicate(of, holds)


def conjuncts(of: Temporal) -> Iterator[Temporal]:
    """Yield the parts of nested conjunctions."""
    if isinstance(of, Both):
        for each in of.parts:
            yield from conjuncts(each)
    else:
        yield of
