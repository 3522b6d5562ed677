"""Parser actions for constructs that begin with a keyword or stand in brackets; one method for each grammar rule."""

# ruff: noqa: D102 the name of each method is that of its rule in the grammar

from typing import Any

from schedcheck.checker.language.syntax.binding import bound_and_domain, bounds, name_of, one_bound, where
from schedcheck.checker.language.syntax.building import Parts, Placing, all_resolved
from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.precedence import resolved
from schedcheck.checker.language.syntax.tree import (
    Action,
    Apply,
    Case,
    Choose,
    Except,
    Expression,
    Fairness,
    Filter,
    Function,
    FunctionSet,
    If,
    Image,
    Let,
    Name,
    Quantified,
    Record,
    RecordSet,
    SetOf,
    Through,
    Tuple,
    Update,
)

Arm = tuple[Expression | None, Expression]


class Binders(Placing):
    """Parser actions for quantifiers, CHOOSE, IF, CASE and LET."""

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
        """Return the arms in reverse order."""
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
    """Parser actions for parentheses, braces, square brackets and angle brackets."""

    def parenthesised(self, parts: Parts) -> Any:
        return parts[1]

    def empty_set(self, parts: Parts) -> SetOf:
        return SetOf((), at=self.at(parts[0]))

    def enumeration(self, parts: Parts) -> SetOf:
        return SetOf(all_resolved(parts[1]), at=self.at(parts[0]))

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
        return all_resolved(parts[1])

    def empty_tuple(self, parts: Parts) -> Tuple:
        return Tuple((), at=self.at(parts[0]))

    def sequence(self, parts: Parts) -> Tuple:
        return Tuple(all_resolved(parts[1]), at=self.at(parts[0]))


class Temporal(Placing):
    """Parser actions for actions with a subscript, and for fairness."""

    def action(self, parts: Parts) -> Action:
        return Action(False, parts[1], parts[3], at=self.at(parts[0]))

    def change(self, parts: Parts) -> Action:
        return Action(True, parts[1], parts[3], at=self.at(parts[0]))

    def fair(self, parts: Parts) -> Fairness:
        return Fairness(parts[0] == "SF_", parts[1], parts[3], at=self.at(parts[0]))

    def fair_applied(self, parts: Parts) -> Fairness:
        """Return `WF_vars(Next)`, where the action was parsed as an argument of the subscript. Raises: Misread."""
        at, applied = self.at(parts[0]), parts[1]
        if not isinstance(applied, Apply | Through) or len(applied.arguments) != 1:
            raise Misread(f"expected one action in parentheses after {parts[0]} and its subscript", at)
        subscript: Expression
        if isinstance(applied, Apply):
            subscript = Name(applied.operator, at=applied.at)
        else:
            subscript = Through(applied.path, applied.operator, (), at=applied.at)
        return Fairness(parts[0] == "SF_", subscript, applied.arguments[0], at=at)


def _fields(parts: Parts) -> list[tuple[str, Expression]]:
    """Return the fields of `, name |-> value, …`."""
    return [(str(name), value) for name, value in zip(parts[1::4], parts[3::4], strict=True)]
