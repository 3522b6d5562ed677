r"""Which operand belongs to which operator in a chain such as `~ a + b * c \in S`."""

from dataclasses import dataclass, field

from schedcheck.checker.language.errors import Misread
from schedcheck.checker.language.operators import Fixity, Operator
from schedcheck.checker.language.tree import Apply, Expression, Position, Product


@dataclass(frozen=True, slots=True)
class Symbol:
    """A prefix or infix operator where it stands."""

    operator: Operator
    at: Position


@dataclass(frozen=True, slots=True)
class Suffixed:
    """An operand that ends in a postfix operator, or has one before its fields and indices."""

    expression: Expression
    operator: Operator


Item = Expression | Suffixed | Symbol


@dataclass(slots=True)
class Chain:
    """Operands and operators in reverse, the last one first."""

    reversed_items: list[Item]

    def items(self) -> list[Item]:
        """Operands and operators as they stand."""
        return self.reversed_items[::-1]


def plain(item: Item) -> Expression:
    """The operand itself."""
    if isinstance(item, Suffixed):
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


@dataclass(slots=True)
class _Pending:
    """What has been read and waits for what follows."""

    operands: list[Expression] = field(default_factory=list)
    operators: list[Symbol] = field(default_factory=list)
    _product: Product | None = None  # the last one made, which a further \X extends

    def operand(self, item: Expression | Suffixed) -> None:
        """Takes an operand. What a prefix operator may share a place with, it cannot stand before."""
        if isinstance(item, Suffixed) and len(self.operators) > 0 and not self._waits_for_left():
            before = self.operators[-1]
            if before.operator.high >= item.operator.low:
                raise _conflict(before.operator, item.operator, before.at)
        self.operands.append(plain(item))

    def _waits_for_left(self) -> bool:
        return self.operators[-1].operator.fixity is not Fixity.PREFIX

    def operator(self, symbol: Symbol) -> None:
        """Takes an operator: what binds more tightly on its left is complete."""
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
