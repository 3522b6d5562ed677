"""Operations on numbers and truth values: `binary`, `compared`, `converted`, `truth`.

A signed number never meets an unsigned one but in a comparison, which is exact.
"""

import ast
import operator
from collections.abc import Callable

from schedcheck.checker.tabulated.compiler.text import Text
from schedcheck.checker.tabulated.compiler.values import (
    SIGNED,
    TRUTH,
    UNSIGNED,
    Constant,
    Scalar,
    Untranslatable,
    Value,
)

SAME = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
}
"""The operations that are the same for signed and unsigned numbers."""

OF_CONSTANTS: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip

ORDERS = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
IF_BELOW = {"eq": "false", "ne": "true", "lt": "true", "le": "true", "gt": "false", "ge": "false"}
"""How a negative number compares to an unsigned one."""

OTHER_WAY = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def scalar(value: Value, kind: str = SIGNED) -> Scalar:
    """Return the value as a scalar; a constant becomes one of this kind. Raises Untranslatable."""
    if isinstance(value, Constant):
        if kind == UNSIGNED and value.value < 0:
            raise Untranslatable("a negative number among unsigned ones")
        return Scalar(kind, str(value.value))
    if not isinstance(value, Scalar):
        raise Untranslatable(f"a number is expected, not {type(value).__name__}")
    return value


def number(text: Text, value: Value, kind: str = SIGNED) -> Scalar:
    """Return the value as a number: true is one. A constant or truth value becomes one of this kind."""
    found = scalar(value, kind)
    return Scalar(kind, text.let(f"zext i1 {found.text} to i64")) if found.kind == TRUTH else found


def converted(text: Text, value: Value, kind: str) -> Scalar:
    """Return a number with the same bits that is signed, or unsigned."""
    return Scalar(kind, number(text, value, kind).text)


def truth(text: Text, value: Value) -> str:
    """Return whether a value is true: every number but zero is."""
    found = scalar(value)
    return found.text if found.kind == TRUTH else text.let(f"icmp ne i64 {found.text}, 0")


def alike(text: Text, left: Value, right: Value) -> tuple[Scalar, Scalar]:
    """Return two values as scalars of the same kind, or of a signed and an unsigned one."""
    kinds = {each.kind for each in (left, right) if isinstance(each, Scalar)}
    if kinds == {TRUTH} and isinstance(left, Scalar) and isinstance(right, Scalar):
        return left, right
    kind = UNSIGNED if UNSIGNED in kinds and SIGNED not in kinds else SIGNED
    return number(text, left, kind), number(text, right, kind)


def binary(text: Text, of: ast.operator, left: Value, right: Value) -> Value:
    """Return the result of an operation on two values. Raises Untranslatable."""
    if isinstance(left, Constant) and isinstance(right, Constant) and type(of) in OF_CONSTANTS:
        return Constant(OF_CONSTANTS[type(of)](left.value, right.value))
    first, second = alike(text, left, right)
    if first.kind == TRUTH and isinstance(of, ast.BitAnd | ast.BitOr | ast.BitXor):
        return Scalar(TRUTH, text.let(f"{SAME[type(of)]} i1 {first.text}, {second.text}"))
    first, second = number(text, first), number(text, second)
    if first.kind != second.kind:
        raise Untranslatable("a signed and an unsigned number")
    kind, both = first.kind, f"i64 {first.text}, {second.text}"
    if type(of) in SAME:
        return Scalar(kind, text.let(f"{SAME[type(of)]} {both}"))
    match of:
        case ast.RShift():
            return Scalar(kind, text.let(f"{'lshr' if kind == UNSIGNED else 'ashr'} {both}"))
        case ast.FloorDiv():
            return Scalar(kind, text.let(f"udiv {both}") if kind == UNSIGNED else _floor(text, first, second)[0])
        case ast.Mod():
            return Scalar(kind, text.let(f"urem {both}") if kind == UNSIGNED else _floor(text, first, second)[1])
    raise Untranslatable(f"the operation {type(of).__name__}")


def _floor(text: Text, left: Scalar, right: Scalar) -> tuple[str, str]:
    """Return quotient and remainder of signed numbers; the remainder has the sign of the divisor, as in Python."""
    quotient = text.let(f"sdiv i64 {left.text}, {right.text}")
    remainder = text.let(f"srem i64 {left.text}, {right.text}")
    signs = text.let(f"xor i64 {remainder}, {right.text}")
    differ, left_over = text.let(f"icmp slt i64 {signs}, 0"), text.let(f"icmp ne i64 {remainder}, 0")
    below = text.let(f"and i1 {differ}, {left_over}")
    more = text.let(f"select i1 {below}, i64 {right.text}, i64 0")
    less = text.let(f"sext i1 {below} to i64")
    return text.let(f"add i64 {quotient}, {less}"), text.let(f"add i64 {remainder}, {more}")


def compared(text: Text, of: ast.cmpop, left: Value, right: Value) -> Scalar:
    """Return the result of a comparison. Raises Untranslatable."""
    if type(of) not in ORDERS:
        raise Untranslatable(f"the comparison {type(of).__name__}")
    order = ORDERS[type(of)]
    first, second = alike(text, left, right)
    if first.kind == TRUTH:
        first, second = number(text, first), number(text, second)
    if {first.kind, second.kind} == {SIGNED, UNSIGNED}:
        if first.kind == UNSIGNED:
            first, second, order = second, first, OTHER_WAY[order]
        below = text.let(f"icmp slt i64 {first.text}, 0")
        found = text.let(f"icmp {_unsigned(order)} i64 {first.text}, {second.text}")
        return Scalar(TRUTH, text.let(f"select i1 {below}, i1 {IF_BELOW[order]}, i1 {found}"))
    order = _unsigned(order) if first.kind == UNSIGNED or order in ("eq", "ne") else f"s{order}"
    return Scalar(TRUTH, text.let(f"icmp {order} i64 {first.text}, {second.text}"))


def _unsigned(order: str) -> str:
    return order if order in ("eq", "ne") else f"u{order}"


def extreme(text: Text, of: ast.cmpop, left: Value, right: Value) -> Value:
    """Return the value that compares to the other in this way: the lesser one, or the greater one."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return min(left, right) if isinstance(of, ast.Lt) else max(left, right)
    first, second = alike(text, left, right)
    if first.kind != second.kind:
        raise Untranslatable("a signed and an unsigned number")
    # Python keeps the first of equal values, which are the same number here.
    chosen = compared(text, of, first, second)
    return Scalar(first.kind, text.let(f"select i1 {chosen.text}, i64 {first.text}, i64 {second.text}"))
