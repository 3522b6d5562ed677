r"""Operator precedence: which operand belongs to which operator in a chain such as `~ a + b * c \in S`."""

from dataclasses import dataclass, field

from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.operators import INFIX, Fixity, Operator
from schedcheck.checker.language.syntax.tree import Apply, Expression, Position, Product


@dataclass(frozen=True, slots=True)
class Symbol:
    """A prefix or infix operator and its position."""

    operator: Operator
    at: Position


@dataclass(frozen=True, slots=True)
class Guarded:
    """An operand with an operator of its own; the operator before it must bind less tightly.

    It is a postfix operator, with any indices and fields after it, or the outermost operator of a labelled expression.
    """

    expression: Expression
    operator: Operator


Item = Expression | Guarded | Symbol


@dataclass(slots=True)
class Chain:
    """A chain of operands and operators, in reverse order."""

    reversed_items: list[Item]

    def items(self) -> list[Item]:
        """Return operands and operators in the order of the text."""
        return self.reversed_items[::-1]


def plain(item: Item) -> Expression:
    """Return the expression of the operand."""
    if isinstance(item, Guarded):
        return item.expression
    assert not isinstance(item, Symbol)
    return item


def resolved(items: list[Item]) -> Expression:
    """Return the expression of the chain. Raises: Misread if two operators need parentheses."""
    if len(items) == 1:
        return plain(items[0])
    pending = _Pending()
    for item in items:
        if isinstance(item, Symbol):
            pending.operator(item)
        else:
            pending.operand(item)
    return pending.result()


def outermost(items: list[Item], expression: Expression) -> Operator | None:
    """Return the outermost operator of `expression`, resolved from the chain, if it is infix or postfix; else None."""
    if len(items) == 1:
        return items[0].operator if isinstance(items[0], Guarded) else None
    if isinstance(expression, Product):
        return INFIX[r"\X"]
    return INFIX.get(expression.operator) if isinstance(expression, Apply) and len(expression.arguments) > 1 else None


@dataclass(slots=True)
class _Pending:
    """The operands and operators read so far that are not yet combined."""

    operands: list[Expression] = field(default_factory=list)
    operators: list[Symbol] = field(default_factory=list)
    _product: Product | None = None  # the product made last; a further \X extends it

    def operand(self, item: Expression | Guarded) -> None:
        """Take an operand. Raises: Misread if it needs parentheses after the operator before it."""
        if isinstance(item, Guarded) and self.operators:
            before = self.operators[-1]
            if before.operator.high >= item.operator.low:
                raise _conflict(before.operator, item.operator, before.at)
        self.operands.append(plain(item))

    def operator(self, symbol: Symbol) -> None:
        """Take an operator; first combine the operators on its left that bind more tightly.

        A prefix minus may not follow an operator that binds more tightly; SANY permits it for every other prefix
        operator.
        """
        if symbol.operator.symbol == "-." and self.operators:
            before = self.operators[-1]
            if before.operator.low > symbol.operator.high:
                raise _conflict(before.operator, symbol.operator, symbol.at)
        if symbol.operator.fixity is Fixity.INFIX:
            while self.operators and _binds_first(self.operators[-1], symbol):
                self._complete()
        self.operators.append(symbol)

    def result(self) -> Expression:
        """Return the expression of the whole chain."""
        while self.operators:
            self._complete()
        return self.operands[0]

    def _complete(self) -> None:
        symbol = self.operators.pop()
        right = self.operands.pop()
        name = symbol.operator.symbol
        if symbol.operator.fixity is Fixity.PREFIX:
            self.operands.append(Apply(name, (right,), at=symbol.at))
            return
        left = self.operands.pop()
        self.operands.append(self._times(left, right) if name == r"\X" else Apply(name, (left, right), at=left.at))

    def _times(self, left: Expression, right: Expression) -> Product:
        factors = self._product.factors if left is self._product and self._product is not None else (left,)
        self._product = Product((*factors, right), at=left.at)
        return self._product


def _binds_first(left: Symbol, right: Symbol) -> bool:
    """Whether the operand between the two belongs to the left one. Raises: Misread if that is ambiguous."""
    one, other = left.operator, right.operator
    if one.low > other.high or (one is other and one.associative):
        return True
    if one.high < other.low:
        return False
    raise _conflict(one, other, right.at)


def _conflict(one: Operator, other: Operator, at: Position) -> Misread:
    if one is other:
        return Misread(f"{one.symbol} twice in a row is ambiguous: put parentheses", at)
    return Misread(f"{one.symbol} and {other.symbol} side by side are ambiguous: put parentheses", at)
