"""What the built-in operators take: values of one kind, or an error that says what was expected."""

from collections.abc import Callable, Iterable
from typing import Any

from schedcheck.checker.language.environment.scopes import CONSTANT, Builtin
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.lazy import count
from schedcheck.checker.language.values.ordering import listed
from schedcheck.checker.language.values.showing import short
from schedcheck.checker.language.values.values import (
    FALSE,
    TRUE,
    FiniteSet,
    Function,
    LazyFunction,
    LazySet,
    Value,
    whole,
)

Table = dict[str, Builtin]


def operator(
    table: Table, name: str, arity: int, operators: tuple[int, ...] = (), level: int = CONSTANT, running: bool = False
) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Register a function as what a name means in a module."""

    def register(function: Callable[..., Value]) -> Callable[..., Value]:
        table[name] = Builtin(name, arity, function, operators, level, running)
        return function

    return register


def integer(value: Value) -> int:
    """The value, which must be an integer."""
    if type(value) is int:
        return value
    raise Unevaluable(f"{short(value)} is no integer")


def sequence(value: Value) -> "tuple[Value, ...]":
    """The value, which must be a sequence."""
    if type(value) is tuple:
        return value
    if isinstance(value, LazyFunction):
        written = value.whole()
        if type(written) is tuple:
            return written
    raise Unevaluable(f"{short(value)} is no sequence")


def mapping(value: Value) -> "dict[Value, Value]":
    """The values by argument of the value, which must be a function, in TLC's order of the arguments."""
    value = whole(value)
    if type(value) is tuple:
        return dict(enumerate(value, 1))
    if type(value) is Function:
        from schedcheck.checker.language.values.ordering import domain

        return {each: value[each] for each in domain(value)}
    raise Unevaluable(f"{short(value)} is no function")


def elements(value: Value) -> Iterable[Value]:
    """The elements of the value, which must be a set that can be listed, in TLC's order."""
    return listed(value)


def any_set(value: Value) -> Any:
    """The value, which must be a set."""
    if isinstance(value, FiniteSet | LazySet):
        return value
    raise Unevaluable(f"{short(value)} is no set")


def size(value: Value) -> int:
    """How many elements the value has, which must be a finite set."""
    found = count(any_set(value))
    if found is None:
        raise Unevaluable(f"the set {short(value)} is infinite")
    return found


def holds(value: Value) -> bool:
    """The value, which must be TRUE or FALSE, as Python has it."""
    if value is TRUE:
        return True
    if value is FALSE:
        return False
    raise Unevaluable(f"{short(value)} is neither TRUE nor FALSE")
