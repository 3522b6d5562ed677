"""The operands that need parentheses when an expression is printed."""

from schedcheck.checker.language.syntax.operators import INFIX, POSTFIX, PREFIX, Fixity, Operator
from schedcheck.checker.language.syntax.tree import (
    Apply,
    Case,
    Choose,
    Expression,
    Field,
    Function,
    FunctionSet,
    If,
    Index,
    Junction,
    Labelled,
    Lambda,
    Let,
    Name,
    Product,
    Quantified,
    Record,
    RecordSet,
    SetOf,
    Through,
    Tuple,
)

_OPEN = (Quantified, Choose, If, Case, Let, Lambda, Labelled)
_SUBSCRIPTS = (Name, Through, Tuple, SetOf, Function, FunctionSet, Record, RecordSet)


def in_line(expression: Expression) -> Expression:
    """Return the expression, with an aligned list turned into operators between its items."""
    while isinstance(expression, Junction):
        whole, *rest = expression.items
        for item in rest:
            whole = Apply(expression.operator, (whole, item), at=expression.at)
        expression = whole
    return expression


def operator_of(expression: Expression) -> Operator | None:
    """Return the operator that is printed with the expression's operands; None if there is none."""
    if isinstance(expression, Product):
        return INFIX[r"\X"]
    if not isinstance(expression, Apply):
        return None
    if len(expression.arguments) == 2:
        return INFIX.get(expression.operator)
    return (
        (PREFIX.get(expression.operator) or POSTFIX.get(expression.operator))
        if len(expression.arguments) == 1
        else None
    )


def is_open(expression: Expression) -> bool:
    """Whether the expression extends as far to the right as possible."""
    return isinstance(expression, _OPEN)


def on_left(child: Expression, operator: Operator) -> bool:
    """Whether the left operand needs parentheses."""
    inner = operator_of(child)
    if inner is None:
        return is_open(child)
    same = inner is operator and operator.associative and not isinstance(child, Product)
    return not (same or inner.low > operator.high)


def on_right(child: Expression, operator: Operator, tail: bool) -> bool:
    """Whether the operand after a prefix or infix operator needs parentheses; nothing follows a `tail`."""
    inner = operator_of(child)
    if inner is None:
        if isinstance(child, Labelled):
            return True  # a label must not change how the operands after it are parsed
        return (is_open(child) and not tail) or (operator.high >= _POSTFIX and _ends_in_postfix(child))
    if inner.fixity is operator.fixity is Fixity.PREFIX:
        return inner.low < operator.low or inner.symbol == operator.symbol == "-."  # -- is another operator
    return operator.high >= inner.low


def before_postfix(child: Expression) -> bool:
    """Whether the operand of a postfix operator, an index or a field needs parentheses."""
    inner = operator_of(child)
    return is_open(child) or (inner is not None and inner.symbol not in POSTFIX)


def as_subscript(child: Expression) -> bool:
    """Whether the subscript of an action needs parentheses."""
    return operator_of(child) is not None or not isinstance(child, (*_SUBSCRIPTS, Apply))


def reads_as_bound(expression: Expression) -> bool:
    r"""Whether the expression begins like `x \in S`, so that it would be read as a bound in a set."""
    while True:
        expression = in_line(expression)
        operator = operator_of(expression)
        if operator is None or operator.fixity is Fixity.PREFIX:
            return False
        first = operands(expression)[0]
        if operator.symbol == r"\in" and isinstance(first, Name | Tuple):
            return True
        expression = first


def operands(expression: Expression) -> tuple[Expression, ...]:
    """Return the operands of an expression that has an operator."""
    if isinstance(expression, Product):
        return expression.factors
    return expression.arguments if isinstance(expression, Apply) else ()


_POSTFIX = POSTFIX["'"].low


def _ends_in_postfix(expression: Expression) -> bool:
    while isinstance(expression, Field | Index):
        expression = expression.record if isinstance(expression, Field) else expression.function
    return isinstance(expression, Apply) and expression.operator in POSTFIX and len(expression.arguments) == 1
