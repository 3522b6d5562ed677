"""Sequences, and sorting and permutations for other modules. Strings count as sequences where TLC accepts them."""

from collections.abc import Callable
from itertools import permutations

from schedcheck.checker.language.standard.arguments import (
    Table,
    any_set,
    elements,
    holds,
    integer,
    operator,
    sequence,
    size,
)
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.lazy import Sequences
from schedcheck.checker.language.values.ordering import in_order
from schedcheck.checker.language.values.values import Value, finite_set, function, short

SEQUENCES: Table = {}


Op = Callable[..., Value]


@operator(SEQUENCES, "Seq", 1)
def seq(of: Value) -> Value:
    """Return the set of all sequences over a set."""
    return Sequences(any_set(of))


@operator(SEQUENCES, "Len", 1)
def length(of: Value) -> Value:
    """Return the length."""
    return len(of) if type(of) is tuple or type(of) is str else len(sequence(of))


@operator(SEQUENCES, "\\o", 2)
def concatenated(left: Value, right: Value) -> Value:
    """Return the concatenation."""
    if type(left) is str and type(right) is str:
        return left + right
    return sequence(left) + sequence(right)


@operator(SEQUENCES, "Append", 2)
def appended(of: Value, last: Value) -> Value:
    """Return the sequence with another element at its end."""
    return (*sequence(of), last)


@operator(SEQUENCES, "Head", 1)
def head(of: Value) -> Value:
    """Return the first element. Raises Unevaluable."""
    if not sequence(of):
        raise Unevaluable("the empty sequence has no Head")
    return sequence(of)[0]


@operator(SEQUENCES, "Tail", 1)
def tail(of: Value) -> Value:
    """Return all elements but the first. Raises Unevaluable."""
    if not sequence(of):
        raise Unevaluable("the empty sequence has no Tail")
    return sequence(of)[1:]


@operator(SEQUENCES, "SubSeq", 3)
def part(of: Value, first: Value, last: Value) -> Value:
    """Return the elements from one index to another; none if `first` is greater than `last`. Raises Unevaluable."""
    whole = of if type(of) is str else sequence(of)
    if integer(first) > integer(last):
        return whole[:0]
    if first < 1 or last > len(whole):
        raise Unevaluable(f"SubSeq from {first} to {last} of {short(of)}, which has {len(whole)} elements")
    return whole[first - 1 : last]


@operator(SEQUENCES, "SelectSeq", 2, operators=(1,))
def selected(of: Value, test: Op) -> Value:
    """Return the elements that pass the test."""
    return tuple([each for each in sequence(of) if holds(test(each))])


def sorted_by(of: "tuple[Value, ...]", before: Op) -> Value:
    """Sort by insertion, as SortSeq does: each element moves left past those that it is before."""
    made: list[Value] = []
    for each in of:
        index = len(made)
        while index and holds(before(each, made[index - 1])):
            index -= 1
        made.insert(index, each)
    return tuple(made)


def permutations_of(of: Value) -> Value:
    """Return the permutations of a set, as functions."""
    all_ = in_order(elements(of))
    if size(of) > 9:
        raise Unevaluable(f"{size(of)} elements have more than 362880 permutations")
    return finite_set(function(dict(zip(all_, each, strict=True))) for each in permutations(all_))
