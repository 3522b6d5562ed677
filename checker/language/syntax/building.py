"""Parser actions that build expressions; one method for each grammar rule, with the rule's name.

lark calls each method with the results of the rule's parts, innermost rules first.
"""

# ruff: noqa: D102 the name of each method is that of its rule in the grammar

from typing import Any

from lark import Token

from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.literals import number, string
from schedcheck.checker.language.syntax.operators import INFIX, POSTFIX, PREFIX
from schedcheck.checker.language.syntax.precedence import Chain, Guarded, Symbol, outermost, plain, resolved
from schedcheck.checker.language.syntax.tree import (
    Apply,
    Expression,
    Field,
    Index,
    Junction,
    Labelled,
    Lambda,
    Name,
    Number,
    Position,
    Selected,
    Step,
    String,
    Through,
)

Parts = list[Any]
Segment = tuple[Token, tuple[Expression, ...]]


class Placing:
    """Parser actions with positions; `source` is the module name in them."""

    source = ""

    def at(self, token: Token) -> Position:
        """Return the position of the token."""
        return Position(self.source, token.line or 0, token.column or 0)


class Chains(Placing):
    """Parser actions for chains of operators, and for postfix operators, fields and indices."""

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
        parameters = tuple(name.name for name in names if isinstance(name, Name))
        if len(parameters) < len(names):
            raise Misread("`::` follows no label: a name, or a name with names in parentheses", self.at(parts[1]))
        items = parts[2].items()
        expression = resolved(items)
        operator = outermost(items, expression)
        if isinstance(label, Apply):
            labelled = Labelled(label.operator, parameters, expression, at=label.at)
        else:
            labelled = Labelled(parameters[0], (), expression, at=label.at)
        return Chain([Guarded(labelled, operator) if operator else labelled])

    def suffixed(self, parts: Parts) -> Guarded:
        operand = plain(parts[0])
        return Guarded(Apply(str(parts[1]), (operand,), at=operand.at), POSTFIX[parts[1]])

    def selected(self, parts: Parts) -> Expression | Guarded:
        record = plain(parts[0])
        return _as_before(parts[0], Field(record, str(parts[2]), at=record.at))

    def indexed(self, parts: Parts) -> Expression | Guarded:
        function = plain(parts[0])
        return _as_before(parts[0], Index(function, all_resolved(parts[2]), at=function.at))

    def junction(self, parts: Parts) -> Junction:
        return Junction(str(parts[0]), tuple(parts[1::2]), at=self.at(parts[0]))


class Paths(Placing):
    """Parser actions for names with arguments or through instances, and for literals."""

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

    def bare_part(self, parts: Parts) -> Step:
        return Step(str(parts[0]), (), at=self.at(parts[0]))

    def applied_part(self, parts: Parts) -> Step:
        return Step("", tuple(parts[1::2]), at=self.at(parts[0]))

    def selection(self, parts: Parts) -> Selected:
        return Selected(tuple(self._step(each) for each in parts[::2]), at=self.at(parts[0][0]))

    def _step(self, of: Segment | Step) -> Step:
        return of if isinstance(of, Step) else Step(str(of[0]), of[1], at=self.at(of[0]))

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


def _as_before(operand: Expression | Guarded, wider: Expression) -> Expression | Guarded:
    return Guarded(wider, operand.operator) if isinstance(operand, Guarded) else wider


def all_resolved(chains: list[Chain]) -> tuple[Expression, ...]:
    """Return the expression of each chain."""
    return tuple(resolved(chain.items()) for chain in chains)
