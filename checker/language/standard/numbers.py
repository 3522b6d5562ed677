"""Naturals and Integers. Division and remainder round down, as TLC's do for a positive divisor, the only one it takes."""

from schedcheck.checker.language.environment.scopes import Builtin
from schedcheck.checker.language.standard.arguments import Table, integer, operator
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.lazy import INT, NAT, REAL, Interval
from schedcheck.checker.language.values.showing import short
from schedcheck.checker.language.values.values import FALSE, MOST_BITS, TRUE, Value

NATURALS: Table = {"Nat": Builtin("Nat", 0, lambda: NAT)}
INTEGERS: Table = {}
REALS: Table = {}


def _numbers(left: Value, right: Value) -> Unevaluable:
    wrong = left if type(left) is not int else right
    return Unevaluable(f"{short(wrong)} is no integer")


@operator(NATURALS, "+", 2)
def plus(left: Value, right: Value) -> Value:
    """The sum."""
    if type(left) is int and type(right) is int:
        return left + right
    raise _numbers(left, right)


@operator(NATURALS, "-", 2)
def minus(left: Value, right: Value) -> Value:
    """The difference."""
    if type(left) is int and type(right) is int:
        return left - right
    raise _numbers(left, right)


@operator(NATURALS, "*", 2)
def times(left: Value, right: Value) -> Value:
    """The product."""
    if type(left) is int and type(right) is int:
        return left * right
    raise _numbers(left, right)


@operator(NATURALS, "^", 2)
def power(left: Value, right: Value) -> Value:
    """The power; of a number to a negative one it is no integer."""
    base, exponent = integer(left), integer(right)
    if exponent < 0 or (base == 0 and exponent == 0):
        raise Unevaluable(f"{base}^{exponent} is no integer that TLA+ gives a meaning")
    if abs(base) > 1 and exponent * base.bit_length() > MOST_BITS:
        raise Unevaluable(f"{base}^{exponent} may have more than {MOST_BITS} bits")
    return base**exponent


@operator(NATURALS, "<", 2)
def less(left: Value, right: Value) -> Value:
    """Less than."""
    if type(left) is int and type(right) is int:
        return TRUE if left < right else FALSE
    raise _numbers(left, right)


@operator(NATURALS, ">", 2)
def more(left: Value, right: Value) -> Value:
    """Greater than."""
    if type(left) is int and type(right) is int:
        return TRUE if left > right else FALSE
    raise _numbers(left, right)


@operator(NATURALS, "<=", 2)
def at_most(left: Value, right: Value) -> Value:
    """At most."""
    if type(left) is int and type(right) is int:
        return TRUE if left <= right else FALSE
    raise _numbers(left, right)


@operator(NATURALS, ">=", 2)
def at_least(left: Value, right: Value) -> Value:
    """At least."""
    if type(left) is int and type(right) is int:
        return TRUE if left >= right else FALSE
    raise _numbers(left, right)


@operator(NATURALS, "..", 2)
def interval(low: Value, high: Value) -> Value:
    """The numbers from one to the other."""
    if type(low) is int and type(high) is int:
        return Interval(low, high)
    raise _numbers(low, high)


@operator(NATURALS, "\\div", 2)
def quotient(left: Value, right: Value) -> Value:
    """The quotient, rounded down."""
    return integer(left) // _divisor(right)


@operator(NATURALS, "%", 2)
def remainder(left: Value, right: Value) -> Value:
    """What is left, never negative."""
    return integer(left) % _divisor(right)


def _divisor(value: Value) -> int:
    if integer(value) <= 0:
        raise Unevaluable(f"the divisor {value} is not positive")
    return integer(value)


@operator(INTEGERS, "-.", 1)
def negative(value: Value) -> Value:
    """The negative."""
    return -integer(value)


INTEGERS.update(NATURALS)
INTEGERS["Int"] = Builtin("Int", 0, lambda: INT)


@operator(REALS, "/", 2)
def ratio(left: Value, right: Value) -> Value:
    """The quotient, where it is an integer."""
    if integer(right) == 0 or integer(left) % integer(right):
        raise Unevaluable(f"{left} / {right} is no integer, and reals are not supported")
    return integer(left) // integer(right)


REALS.update(INTEGERS)
REALS["Real"] = Builtin("Real", 0, lambda: REAL)
