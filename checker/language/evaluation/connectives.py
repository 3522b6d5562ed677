r"""Logic, equality, sets and control: /\ \/ ~ => <=> = # \in \cup SUBSET IF CASE."""

from collections.abc import Callable, Sequence
from typing import Any

from schedcheck.checker.language.environment.running import Code, Frame
from schedcheck.checker.language.environment.scopes import Scope
from schedcheck.checker.language.evaluation.compiling import Site, compiles, literal, value
from schedcheck.checker.language.evaluation.core import core
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import TlaError, Unevaluable
from schedcheck.checker.language.values.combining import common, subset, united, without
from schedcheck.checker.language.values.equality import differ, member
from schedcheck.checker.language.values.lazy import Interval, Products, Subsets
from schedcheck.checker.language.values.ordering import listed
from schedcheck.checker.language.values.values import (
    FALSE,
    TRUE,
    FiniteSet,
    Function,
    LazyFunction,
    LazySet,
    Value,
    finite_set,
    short,
    truth,
)


@compiles(tree.Number)
def number(node: tree.Number, scope: Scope) -> Code:
    """Compile a number."""
    return literal(node.value)


@compiles(tree.String)
def string(node: tree.String, scope: Scope) -> Code:
    """Compile a string."""
    return literal(node.text)


@compiles(tree.Junction)
def junction(node: tree.Junction, scope: Scope) -> Code:
    """Compile an aligned list of conjuncts or disjuncts: left to right, with short-circuit evaluation."""
    return _junction([value(each, scope) for each in node.items], node.operator, Site(node, scope))


@core("/\\", "\\/")
def infix_junction(node: tree.Apply, scope: Scope) -> Code:
    """Compile infix conjunctions and disjunctions in the same way."""
    return _junction([value(each, scope) for each in _flat(node, node.operator)], node.operator, Site(node, scope))


def _flat(node: tree.Expression, operator: str) -> list[tree.Expression]:
    if isinstance(node, tree.Apply) and node.operator == operator:
        return [part for each in node.arguments for part in _flat(each, operator)]
    return [node]


def _junction(codes: Sequence[Code], operator: str, site: Site) -> Code:
    r"""Compile a junction; the first deciding item (FALSE for /\, TRUE for \/) ends the evaluation."""
    deciding, neutral = (FALSE, TRUE) if operator == "/\\" else (TRUE, FALSE)

    def joined(frame: Frame) -> Value:
        for code in codes:
            known = code(frame)
            if known is not neutral:
                if known is deciding:
                    return deciding
                raise site.no_truth(known, frame)
        return neutral

    return joined


@core("~")
def negation(node: tree.Apply, scope: Scope) -> Code:
    """Compile ~."""
    code, site = value(node.arguments[0], scope), Site(node, scope)

    def negated(frame: Frame) -> Value:
        known = code(frame)
        if known is TRUE:
            return FALSE
        if known is FALSE:
            return TRUE
        raise site.no_truth(known, frame)

    return negated


@core("=>")
def implication(node: tree.Apply, scope: Scope) -> Code:
    """Compile =>."""
    left, right = (value(each, scope) for each in node.arguments)
    site = Site(node, scope)

    def implied(frame: Frame) -> Value:
        if not site.holds(left(frame), frame):
            return TRUE
        known = right(frame)
        if known is TRUE or known is FALSE:
            return known
        raise site.no_truth(known, frame)

    return implied


@core("<=>")
def equivalence(node: tree.Apply, scope: Scope) -> Code:
    """Compile <=>."""
    left, right = (value(each, scope) for each in node.arguments)
    site = Site(node, scope)
    return lambda frame: truth(site.holds(left(frame), frame) is site.holds(right(frame), frame))


@core("=", "#")
def equality(node: tree.Apply, scope: Scope) -> Code:
    """Compile = and #."""
    left, right = (value(each, scope) for each in node.arguments)
    site = Site(node, scope)
    same, other = (TRUE, FALSE) if node.operator == "=" else (FALSE, TRUE)
    if isinstance(node.arguments[1], tree.String | tree.Number):
        return _equal_to(left, right([]), same, other, site)

    def equal(frame: Frame) -> Value:
        one, two = left(frame), right(frame)
        try:
            if one is two or one == two:
                return same
            kind = type(one)
            if kind is not type(two) or (kind is not str and kind is not int):
                differ(one, two)
        except TlaError as error:
            raise site.placed(error, frame) from None
        return other

    return equal


def _equal_to(code: Code, known: Value, same: Value, other: Value, site: Site) -> Code:
    """Compile the comparison with a number or string literal."""
    kind = type(known)

    def equal(frame: Frame) -> Value:
        one = code(frame)
        if one == known:
            return same
        if type(one) is not kind:
            try:
                differ(one, known)
            except TlaError as error:
                raise site.placed(error, frame) from None
        return other

    return equal


def _binary(function: Callable[[Value, Value], Value]) -> Callable[[tree.Apply, Scope], Code]:
    """Return the compiler of an operator on two values."""

    def compiler(node: tree.Apply, scope: Scope) -> Code:
        left, right = (value(each, scope) for each in node.arguments)
        site = Site(node, scope)

        def operate(frame: Frame) -> Value:
            one, two = left(frame), right(frame)
            try:
                return function(one, two)
            except TlaError as error:
                raise site.placed(error, frame) from None

        return operate

    return compiler


def _unary(function: Callable[[Value], Value]) -> Callable[[tree.Apply, Scope], Code]:
    """Return the compiler of an operator on one value."""

    def compiler(node: tree.Apply, scope: Scope) -> Code:
        code, site = value(node.arguments[0], scope), Site(node, scope)

        def operate(frame: Frame) -> Value:
            one = code(frame)
            try:
                return function(one)
            except TlaError as error:
                raise site.placed(error, frame) from None

        return operate

    return compiler


def as_set(what: Value) -> Any:
    """Return the value. Raises Unevaluable if it is no set."""
    if isinstance(what, FiniteSet | LazySet):
        return what
    raise Unevaluable(f"{short(what)} is no set")


def union(of: Value) -> Value:
    """Return the UNION of the sets in a set."""
    made: Any = FiniteSet()
    for each in listed(of):
        made = united(made, as_set(each))
    return made


def domain(of: Value) -> Value:
    """Return the DOMAIN of a function. Raises Unevaluable."""
    if type(of) is Function:
        return finite_set(of)
    if type(of) is tuple:
        return Interval(1, len(of))
    if isinstance(of, LazyFunction):
        return of.domain
    raise Unevaluable(f"{short(of)} is no function")


core("\\in")(_binary(lambda one, two: TRUE if member(one, two) else FALSE))


core("\\notin")(_binary(lambda one, two: FALSE if member(one, two) else TRUE))


core("\\subseteq")(_binary(lambda one, two: truth(subset(as_set(one), as_set(two)))))


core("\\cup")(_binary(lambda one, two: united(as_set(one), as_set(two))))


core("\\cap")(_binary(lambda one, two: common(as_set(one), as_set(two))))


core("\\")(_binary(lambda one, two: without(as_set(one), as_set(two))))


core("SUBSET")(_unary(lambda of: Subsets(as_set(of))))


core("UNION")(_unary(union))


core("DOMAIN")(_unary(domain))


@compiles(tree.SetOf)
def set_of(node: tree.SetOf, scope: Scope) -> Code:
    """Compile a set given by its elements."""
    codes, site = [value(each, scope) for each in node.elements], Site(node, scope)

    def made(frame: Frame) -> Value:
        try:
            return finite_set([code(frame) for code in codes])
        except TlaError as error:
            raise site.placed(error, frame) from None

    return made


@compiles(tree.Product)
def product(node: tree.Product, scope: Scope) -> Code:
    r"""Compile \X."""
    codes, site = [value(each, scope) for each in node.factors], Site(node, scope)

    def made(frame: Frame) -> Value:
        try:
            return Products([as_set(code(frame)) for code in codes])
        except TlaError as error:
            raise site.placed(error, frame) from None

    return made


@compiles(tree.If)
def if_(node: tree.If, scope: Scope) -> Code:
    """Compile IF."""
    condition, then, otherwise = (value(each, scope) for each in (node.condition, node.then, node.otherwise))
    site = Site(node, scope)

    def chosen(frame: Frame) -> Value:
        known = condition(frame)
        if known is TRUE:
            return then(frame)
        if known is FALSE:
            return otherwise(frame)
        raise site.no_truth(known, frame)

    return chosen


@compiles(tree.Case)
def case(node: tree.Case, scope: Scope) -> Code:
    """Compile CASE: the first arm whose condition is true."""
    arms = [(value(condition, scope), value(then, scope)) for condition, then in node.arms]
    other = None if node.other is None else value(node.other, scope)
    site = Site(node, scope)

    def chosen(frame: Frame) -> Value:
        for condition, then in arms:
            if site.holds(condition(frame), frame):
                return then(frame)
        if other is None:
            raise site.error("no condition of the CASE is true", frame)
        return other(frame)

    return chosen
