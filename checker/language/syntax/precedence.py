r"""Which operand belongs to which operator in a chain such as `~ a + b * c \in S`."""

from dataclasses import dataclass, field

from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.operators import INFIX, Fixity, Operator
from schedcheck.checker.language.syntax.tree import Apply, Expression, Position, Product


@dataclass(frozen=True, slots=True)
class Symbol:
    """A prefix or infix operator where it stands."""

    operator: Operator
    at: Position


@dataclass(frozen=True, slots=True)
class Guarded:
    """An operand with an operator that the one before the operand must not share a place with.

    It is the operator of what has a label, or a postfix operator, with what indices and fields follow it.
    """

    expression: Expression
    operator: Operator


Item = Expression | Guarded | Symbol


@dataclass(slots=True)
class Chain:
    """Operands and operators in reverse, the last one first."""

    reversed_items: list[Item]

    def items(self) -> list[Item]:
        """Operands and operators as they stand."""
        return self.reversed_items[::-1]


def plain(item: Item) -> Expression:
    """The operand itself."""
    if isinstance(item, Guarded):
        return item.expression
    assert not isinstance(item, Symbol)
    return item


def resolved(items: list[Item]) -> Expression:
    """The expression that the chain is. Raises: Misread where two operators need parentheses."""
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
    """The infix or postfix operator that `expression`, resolved from the chain, ends up as; None if it is no such."""
    if len(items) == 1:
        return items[0].operator if isinstance(items[0], Guarded) else None
    if isinstance(expression, Product):
        return INFIX[r"\X"]
    return INFIX.get(expression.operator) if isinstance(expression, Apply) and len(expression.arguments) > 1 else None


@dataclass(slots=True)
class _Pending:
    """What has been read and waits for what follows."""

    operands: list[Expression] = field(default_factory=list)
    operators: list[Symbol] = field(default_factory=list)
    _product: Product | None = None  # the last one made, which a further \X extends

    def operand(self, item: Expression | Guarded) -> None:
        """Takes an operand."""
        if isinstance(item, Guarded) and self.operators:
            before = self.operators[-1]
            if before.operator.high >= item.operator.low:
                raise _conflict(before.operator, item.operator, before.at)
        self.operands.append(plain(item))

    def operator(self, symbol: Symbol) -> None:
        """Takes an operator: what binds more tightly on its left is complete.

        A minus may not follow what binds more tightly; SANY lets every other prefix operator do so.
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
        """The whole."""
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
    """Whether the operand between the two belongs to the left one. Raises: Misread if nobody can say."""
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
