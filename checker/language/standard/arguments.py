"""Arguments of built-in operators: conversion to the expected kind, or an error that names it."""

from collections.abc import Callable, Iterable
from typing import Any

from schedcheck.checker.language.environment.scopes import CONSTANT, Builtin
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.lazy import count
from schedcheck.checker.language.values.ordering import listed
from schedcheck.checker.language.values.values import (
    FALSE,
    TRUE,
    FiniteSet,
    Function,
    LazyFunction,
    LazySet,
    Value,
    short,
    whole,
)

Table = dict[str, Builtin]


def operator(
    table: Table, name: str, arity: int, operators: tuple[int, ...] = (), level: int = CONSTANT, running: bool = False
) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Register a Python function as an operator in the table of a module."""

    def register(function: Callable[..., Value]) -> Callable[..., Value]:
        table[name] = Builtin(name, arity, function, operators, level, running)
        return function

    return register


def integer(value: Value) -> int:
    """Return the value. Raises Unevaluable if it is no integer."""
    if type(value) is int:
        return value
    raise Unevaluable(f"{short(value)} is no integer")


def sequence(value: Value) -> "tuple[Value, ...]":
    """Return the value as a tuple. Raises Unevaluable if it is no sequence."""
    if type(value) is tuple:
        return value
    if isinstance(value, LazyFunction):
        written = value.whole()
        if type(written) is tuple:
            return written
    raise Unevaluable(f"{short(value)} is no sequence")


def mapping(value: Value) -> "dict[Value, Value]":
    """Return a function as a dict from arguments to values, in TLC's order. Raises Unevaluable if it is no function."""
    value = whole(value)
    if type(value) is tuple:
        return dict(enumerate(value, 1))
    if type(value) is Function:
        from schedcheck.checker.language.values.ordering import domain

        return {each: value[each] for each in domain(value)}
    raise Unevaluable(f"{short(value)} is no function")


def elements(value: Value) -> Iterable[Value]:
    """Return the elements of a set, in TLC's order. Raises Unevaluable if it cannot be enumerated."""
    return listed(value)


def any_set(value: Value) -> Any:
    """Return the value. Raises Unevaluable if it is no set."""
    if isinstance(value, FiniteSet | LazySet):
        return value
    raise Unevaluable(f"{short(value)} is no set")


def size(value: Value) -> int:
    """Return the number of elements. Raises Unevaluable if the value is no finite set."""
    found = count(any_set(value))
    if found is None:
        raise Unevaluable(f"the set {short(value)} is infinite")
    return found


def holds(value: Value) -> bool:
    """Return a TLA+ truth value as a bool. Raises Unevaluable if it is none."""
    if value is TRUE:
        return True
    if value is FALSE:
        return False
    raise Unevaluable(f"{short(value)} is neither TRUE nor FALSE")
