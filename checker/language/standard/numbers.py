"""Naturals and Integers. Division rounds down; as in TLC, the divisor must be positive."""

from schedcheck.checker.language.environment.scopes import Builtin
from schedcheck.checker.language.standard.arguments import Table, integer, operator
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.lazy import INT, NAT, REAL, Interval
from schedcheck.checker.language.values.values import FALSE, MOST_BITS, TRUE, Value, short

NATURALS: Table = {"Nat": Builtin("Nat", 0, lambda: NAT)}
INTEGERS: Table = {}
REALS: Table = {}


def _numbers(left: Value, right: Value) -> Unevaluable:
    wrong = left if type(left) is not int else right
    return Unevaluable(f"{short(wrong)} is no integer")


@operator(NATURALS, "+", 2)
def plus(left: Value, right: Value) -> Value:
    """Return the sum."""
    if type(left) is int and type(right) is int:
        return left + right
    raise _numbers(left, right)


@operator(NATURALS, "-", 2)
def minus(left: Value, right: Value) -> Value:
    """Return the difference."""
    if type(left) is int and type(right) is int:
        return left - right
    raise _numbers(left, right)


@operator(NATURALS, "*", 2)
def times(left: Value, right: Value) -> Value:
    """Return the product."""
    if type(left) is int and type(right) is int:
        return left * right
    raise _numbers(left, right)


@operator(NATURALS, "^", 2)
def power(left: Value, right: Value) -> Value:
    """Return the power. Raises Unevaluable for a negative exponent, for 0^0 and for too large a result."""
    base, exponent = integer(left), integer(right)
    if exponent < 0 or (base == 0 and exponent == 0):
        raise Unevaluable(f"{base}^{exponent} is no integer that TLA+ gives a meaning")
    if abs(base) > 1 and exponent * base.bit_length() > MOST_BITS:
        raise Unevaluable(f"{base}^{exponent} may have more than {MOST_BITS} bits")
    return base**exponent


@operator(NATURALS, "<", 2)
def less(left: Value, right: Value) -> Value:
    """Whether `left` is less than `right`."""
    if type(left) is int and type(right) is int:
        return TRUE if left < right else FALSE
    raise _numbers(left, right)


@operator(NATURALS, ">", 2)
def more(left: Value, right: Value) -> Value:
    """Whether `left` is greater than `right`."""
    if type(left) is int and type(right) is int:
        return TRUE if left > right else FALSE
    raise _numbers(left, right)


@operator(NATURALS, "<=", 2)
def at_most(left: Value, right: Value) -> Value:
    """Whether `left` is at most `right`."""
    if type(left) is int and type(right) is int:
        return TRUE if left <= right else FALSE
    raise _numbers(left, right)


@operator(NATURALS, ">=", 2)
def at_least(left: Value, right: Value) -> Value:
    """Whether `left` is at least `right`."""
    if type(left) is int and type(right) is int:
        return TRUE if left >= right else FALSE
    raise _numbers(left, right)


@operator(NATURALS, "..", 2)
def interval(low: Value, high: Value) -> Value:
    """Return the set `low..high`."""
    if type(low) is int and type(high) is int:
        return Interval(low, high)
    raise _numbers(low, high)


@operator(NATURALS, "\\div", 2)
def quotient(left: Value, right: Value) -> Value:
    """Return the quotient, rounded down."""
    return integer(left) // _divisor(right)


@operator(NATURALS, "%", 2)
def remainder(left: Value, right: Value) -> Value:
    """Return the remainder, which is never negative."""
    return integer(left) % _divisor(right)


def _divisor(value: Value) -> int:
    if integer(value) <= 0:
        raise Unevaluable(f"the divisor {value} is not positive")
    return integer(value)


@operator(INTEGERS, "-.", 1)
def negative(value: Value) -> Value:
    """Return the negated number."""
    return -integer(value)


INTEGERS.update(NATURALS)
INTEGERS["Int"] = Builtin("Int", 0, lambda: INT)


@operator(REALS, "/", 2)
def ratio(left: Value, right: Value) -> Value:
    """Return the quotient. Raises Unevaluable if it is no integer."""
    if integer(right) == 0 or integer(left) % integer(right):
        raise Unevaluable(f"{left} / {right} is no integer, and reals are not supported")
    return integer(left) // integer(right)


REALS.update(INTEGERS)
REALS["Real"] = Builtin("Real", 0, lambda: REAL)
