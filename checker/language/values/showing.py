"""The TLA+ text of values: `shown`."""

import re
import sys

from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.ordering import domain, ordered
from schedcheck.checker.language.values.values import FiniteSet, Function, LazyFunction, LazySet, Value, shows, whole

LONG = 2_000
"""The number of bits from which Python might refuse to write a number."""

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\f": "\\f", "\r": "\\r"}
_IDENTIFIER = re.compile(r"[A-Za-z0-9_]*[A-Za-z][A-Za-z0-9_]*")


@shows
def shown(value: Value) -> str:
    """Return the TLA+ text of the value; sets are in TLC's order, an infinite set is shown by its expression."""
    if isinstance(value, LazySet | LazyFunction):
        try:
            value = whole(value)
        except Unevaluable:
            return repr(value) if isinstance(value, LazySet) else f"[x \\in {shown(value.domain)} |-> ...]"
    match value:
        case int():
            return _number(value)
        case str():
            return '"' + "".join(_ESCAPES.get(letter, letter) for letter in value) + '"'
        case tuple():
            return f"<<{', '.join(map(shown, value))}>>"
        case FiniteSet():
            return f"{{{', '.join(map(shown, ordered(value)))}}}"
        case Function():
            return _function(value)
    return str(value)


def _number(value: int) -> str:
    """Return all digits, also beyond Python's length limit for texts of integers."""
    if value.bit_length() < LONG:
        return str(value)
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return str(value)
    finally:
        sys.set_int_max_str_digits(limit)


def _function(value: Function) -> str:
    """Return the text of a record if all arguments are field names, else list the function argument by argument."""
    arguments = domain(value)
    if all(isinstance(each, str) and _IDENTIFIER.fullmatch(each) for each in arguments):
        return f"[{', '.join(f'{each} |-> {shown(value[each])}' for each in arguments)}]"
    return f"({' @@ '.join(f'{shown(each)} :> {shown(value[each])}' for each in arguments)})"
