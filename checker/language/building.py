"""From what the grammar finds to expressions: a method for every rule, under the rule's name.

lark calls each with what the rule's parts gave, the innermost rules first.
"""

# ruff: noqa: D102 the name of each method is that of its rule in the grammar

from typing import Any

from lark import Token

from schedcheck.checker.language.binding import bound_and_domain, bounds, name_of, one_bound, where
from schedcheck.checker.language.errors import Misread
from schedcheck.checker.language.literals import number, string
from schedcheck.checker.language.operators import INFIX, POSTFIX, PREFIX
from schedcheck.checker.language.precedence import Chain, Guarded, Symbol, outermost, plain, resolved
from schedcheck.checker.language.tree import (
    Action,
    Apply,
    Case,
    Choose,
    Except,
    Expression,
    Fairness,
    Field,
    Filter,
    Function,
    FunctionSet,
    If,
    Image,
    Index,
    Junction,
    Lambda,
    Let,
    Name,
    Number,
    Position,
    Quantified,
    Record,
    RecordSet,
    SetOf,
    String,
    Through,
    Tuple,
    Update,
)

Parts = list[Any]
Segment = tuple[Token, tuple[Expression, ...]]
Arm = tuple[Expression | None, Expression]


class Placing:
    """`source` is the name that positions carry."""

    source = ""

    def at(self, token: Token) -> Position:
        """Where the token stands."""
        return Position(self.source, token.line or 0, token.column or 0)


class Chains(Placing):
    """Operators in a row, and what ends in a postfix operator, a field or an index."""

    def expression(self, parts: Parts) -> Expression:
        return resolved(parts[0].items())

    def chains(self, parts: Parts) -> list[Chain]:
        return parts[::2]

    def operand(self, parts: Parts) -> Chain:
        return Chain([parts[0]])

    def prefixed(self, parts: Parts) -> Chain:
        chain: Chain = parts[1]
        chain.reversed_items.append(Symbol(PREFIX[parts[0]], self.at(parts[0])))
        return chain

    def joined(self, parts: Parts) -> Chain:
        chain: Chain = parts[2]
        chain.reversed_items += (Symbol(INFIX[parts[1]], self.at(parts[1])), parts[0])
        return chain

    def infix(self, parts: Parts) -> Any:
        return parts[0]

    def labelled(self, parts: Parts) -> Chain:
        label = plain(parts[0])
        names = label.arguments if isinstance(label, Apply) else (label,)
        if not all(isinstance(name, Name) for name in names):
            raise Misread("`::` follows no label: a name, or a name with names in parentheses", self.at(parts[1]))
        items = parts[2].items()
        expression = resolved(items)
        operator = outermost(items, expression)
        return Chain([Guarded(expression, operator) if operator else expression])

    def suffixed(self, parts: Parts) -> Guarded:
        operand = plain(parts[0])
        return Guarded(Apply(str(parts[1]), (operand,), at=operand.at), POSTFIX[parts[1]])

    def selected(self, parts: Parts) -> Expression | Guarded:
        record = plain(parts[0])
        return _as_before(parts[0], Field(record, str(parts[2]), at=record.at))

    def indexed(self, parts: Parts) -> Expression | Guarded:
        function = plain(parts[0])
        return _as_before(parts[0], Index(function, _all(parts[2]), at=function.at))

    def junction(self, parts: Parts) -> Junction:
        return Junction(str(parts[0]), tuple(parts[1::2]), at=self.at(parts[0]))


class Paths(Placing):
    """Names, with arguments and through instances; what binds within them stands in `Binders`."""

    def bare_segment(self, parts: Parts) -> Segment:
        return parts[0], ()

    def applied_segment(self, parts: Parts) -> Segment:
        return parts[0], tuple(parts[2::2])

    def path(self, parts: Parts) -> list[Segment]:
        return parts[::2]

    def applied(self, parts: Parts) -> Expression:
        (first, _), (last, arguments) = parts[0][0], parts[0][-1]
        at = self.at(first)
        if len(parts[0]) > 1:
            path = tuple((str(instance), given) for instance, given in parts[0][:-1])
            return Through(path, str(last), arguments, at=at)
        return Apply(str(last), arguments, at=at) if arguments else Name(str(last), at=at)

    def symbol(self, parts: Parts) -> Name:
        return Name(str(parts[0]), at=self.at(parts[0]))

    def abstraction(self, parts: Parts) -> Lambda:
        return Lambda(parts[1], parts[3], at=self.at(parts[0]))

    def number(self, parts: Parts) -> Number:
        return Number(number(parts[0], self.at(parts[0])), at=self.at(parts[0]))

    def decimal(self, parts: Parts) -> Expression:
        raise Misread(f"{parts[0]} is a decimal: only integers are supported", self.at(parts[0]))

    def string(self, parts: Parts) -> String:
        return String(string(parts[0], self.at(parts[0])), at=self.at(parts[0]))


class Binders(Placing):
    """Quantifiers and their like, and the constructs that begin with a keyword."""

    def quantified(self, parts: Parts) -> Quantified:
        return Quantified(str(parts[0]), bounds(parts[1]), parts[3], at=self.at(parts[0]))

    def choice(self, parts: Parts) -> Choose:
        pattern, domain = one_bound(parts[1])
        return Choose(pattern, domain, parts[3], at=self.at(parts[0]))

    def conditional(self, parts: Parts) -> If:
        return If(parts[1], parts[3], parts[5], at=self.at(parts[0]))

    def arm(self, parts: Parts) -> Arm:
        return parts[0], parts[2]

    def other(self, parts: Parts) -> Arm:
        return None, parts[2]

    def arms(self, parts: Parts) -> list[Arm]:
        """The arms in reverse."""
        if len(parts) == 1:
            return [parts[0]]
        parts[2].append(parts[0])
        return parts[2]  # type: ignore[no-any-return]

    def cases(self, parts: Parts) -> Case:
        last, *before = parts[1]
        other = last[1] if last[0] is None else None
        arms = [*reversed(before)] if last[0] is None else [*reversed(before), last]
        if not arms or any(condition is None for condition, _ in arms):
            raise Misread("OTHER stands last in a CASE, after at least one other arm", self.at(parts[0]))
        return Case(tuple(arms), other, at=self.at(parts[0]))

    def lets(self, parts: Parts) -> Any:
        return parts

    def let(self, parts: Parts) -> Let:
        return Let(tuple(parts[1]), parts[3], at=self.at(parts[0]))


class Brackets(Placing):
    """What stands in parentheses, braces, brackets and angle brackets."""

    def parenthesised(self, parts: Parts) -> Any:
        return parts[1]

    def empty_set(self, parts: Parts) -> SetOf:
        return SetOf((), at=self.at(parts[0]))

    def enumeration(self, parts: Parts) -> SetOf:
        return SetOf(_all(parts[1]), at=self.at(parts[0]))

    def comprehension(self, parts: Parts) -> Filter | Image:
        (first, *more), colon, after = parts[1], parts[2], parts[3]
        if more:
            raise Misread("expected one expression before `:` in a set", self.at(colon))
        both = bound_and_domain(first)
        if both is None or both[1] is None:
            return Image(resolved(first.items()), bounds(after, bounded=True), at=self.at(parts[0]))
        if len(after) > 1:
            raise Misread("expected one expression after `:` in a set of what satisfies it", where(after[1]))
        return Filter(both[0], both[1], resolved(after[0].items()), at=self.at(parts[0]))

    def mapping(self, parts: Parts) -> Function | Record:
        at, first, body, more = self.at(parts[0]), parts[1], parts[3], parts[4:-1]
        if len(first[0].items()) == 1 and len(first) == 1:
            return Record(((name_of(first[0]), body), *_fields(more)), at=at)
        if more:
            raise Misread("expected `]` after the function", self.at(more[0]))
        return Function(bounds(first, bounded=True), body, at=at)

    def record_set(self, parts: Parts) -> RecordSet:
        if len(parts[1]) > 1:
            raise Misread("expected one name before `:` in a set of records", where(parts[1][1]))
        return RecordSet(((name_of(parts[1][0]), parts[3]), *_fields(parts[4:-1])), at=self.at(parts[0]))

    def function_set(self, parts: Parts) -> FunctionSet:
        return FunctionSet(parts[1], parts[3], at=self.at(parts[0]))

    def updated(self, parts: Parts) -> Except:
        return Except(parts[1], tuple(parts[3:-1:2]), at=self.at(parts[0]))

    def update(self, parts: Parts) -> Update:
        return Update(tuple(parts[1:-2]), parts[-1], at=self.at(parts[0]))

    def field_step(self, parts: Parts) -> str:
        return str(parts[1])

    def index_step(self, parts: Parts) -> tuple[Expression, ...]:
        return _all(parts[1])

    def empty_tuple(self, parts: Parts) -> Tuple:
        return Tuple((), at=self.at(parts[0]))

    def sequence(self, parts: Parts) -> Tuple:
        return Tuple(_all(parts[1]), at=self.at(parts[0]))


class Temporal(Placing):
    """Actions with a subscript, and fairness."""

    def action(self, parts: Parts) -> Action:
        return Action(False, parts[1], parts[3], at=self.at(parts[0]))

    def change(self, parts: Parts) -> Action:
        return Action(True, parts[1], parts[3], at=self.at(parts[0]))

    def fair(self, parts: Parts) -> Fairness:
        return Fairness(parts[0] == "SF_", parts[1], parts[3], at=self.at(parts[0]))

    def fair_applied(self, parts: Parts) -> Fairness:
        """`WF_vars(Next)`, in which the action was read as an argument of the subscript."""
        at, applied = self.at(parts[0]), parts[1]
        if not isinstance(applied, Apply | Through) or len(applied.arguments) != 1:
            raise Misread(f"expected one action in parentheses after {parts[0]} and its subscript", at)
        subscript: Expression
        if isinstance(applied, Apply):
            subscript = Name(applied.operator, at=applied.at)
        else:
            subscript = Through(applied.path, applied.operator, (), at=applied.at)
        return Fairness(parts[0] == "SF_", subscript, applied.arguments[0], at=at)


class Expressions(Chains, Paths, Binders, Brackets, Temporal):
    """The meaning of every rule for expressions."""


def _as_before(operand: Expression | Guarded, wider: Expression) -> Expression | Guarded:
    return Guarded(wider, operand.operator) if isinstance(operand, Guarded) else wider


def _all(chains: list[Chain]) -> tuple[Expression, ...]:
    return tuple(resolved(chain.items()) for chain in chains)


def _fields(parts: Parts) -> list[tuple[str, Expression]]:
    """The fields of `, name |-> value, …`."""
    return [(str(name), value) for name, value in zip(parts[1::4], parts[3::4], strict=True)]
