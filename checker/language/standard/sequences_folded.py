"""SequencesExt of the CommunityModules: searching and folding sequences."""

from schedcheck.checker.language.standard.arguments import Table, holds, operator, sequence
from schedcheck.checker.language.standard.sequences import Op, length, part
from schedcheck.checker.language.standard.sequences_extended import remove_at
from schedcheck.checker.language.standard.sets import fold
from schedcheck.checker.language.values.equality import equal
from schedcheck.checker.language.values.values import Value, function

FOLDED: Table = {}


@operator(FOLDED, "SelectInSeq", 2, operators=(1,))
def first_index(of: Value, test: Op) -> Value:
    """Return the first index whose element passes the test, else 0."""
    return next((number for number, each in enumerate(sequence(of), 1) if holds(test(each))), 0)


@operator(FOLDED, "SelectLastInSeq", 2, operators=(1,))
def last_index(of: Value, test: Op) -> Value:
    """Return the last index whose element passes the test, else 0."""
    return max([number for number, each in enumerate(sequence(of), 1) if holds(test(each))], default=0)


@operator(FOLDED, "SelectInSubSeq", 4, operators=(3,))
def first_index_within(of: Value, first: Value, last: Value, test: Op) -> Value:
    """Return the first such index in a part of the sequence, counted from the beginning of the part."""
    return first_index(part(of, first, last), test)


@operator(FOLDED, "SelectLastInSubSeq", 4, operators=(3,))
def last_index_within(of: Value, first: Value, last: Value, test: Op) -> Value:
    """Return the last such index in a part of the sequence, counted from the beginning of the part."""
    return last_index(part(of, first, last), test)


@operator(FOLDED, "RemoveFirst", 2)
def remove_first(of: Value, gone: Value) -> Value:
    """Return the sequence without the first occurrence of a value."""
    found = next((number for number, each in enumerate(sequence(of), 1) if equal(each, gone)), 0)
    return remove_at(of, found) if found else of


@operator(FOLDED, "RemoveFirstMatch", 2, operators=(1,))
def remove_first_match(of: Value, test: Op) -> Value:
    """Return the sequence without the first element that passes the test."""
    found = first_index(of, test)
    return remove_at(of, found) if found else of


@operator(FOLDED, "FoldLeft", 3, operators=(0,))
def fold_left(op: Op, base: Value, of: Value) -> Value:
    """Fold from the first element to the last: op(op(base, a), b)."""
    for each in sequence(of):
        base = op(base, each)
    return base


@operator(FOLDED, "FoldSeq", 3, operators=(0,))
def fold_sequence(op: Op, base: Value, of: Value) -> Value:
    """Fold as FoldFunction does: op(b, op(a, base))."""
    return fold(op, base, sequence(of))


@operator(FOLDED, "FoldRight", 3, operators=(0,))
def fold_right(op: Op, of: Value, base: Value) -> Value:
    """Fold from the last element to the first: op(a, op(b, base))."""
    return fold(op, base, reversed(sequence(of)))


@operator(FOLDED, "FoldLeftDomain", 3, operators=(0,))
def fold_left_domain(op: Op, base: Value, of: Value) -> Value:
    """Apply FoldLeft to the indices."""
    return fold_left(op, base, tuple(range(1, length(of) + 1)))


@operator(FOLDED, "FoldRightDomain", 3, operators=(0,))
def fold_right_domain(op: Op, of: Value, base: Value) -> Value:
    """Apply FoldRight to the indices."""
    return fold_right(op, tuple(range(1, length(of) + 1)), base)


@operator(FOLDED, "ToBag", 1)
def to_bag(of: Value) -> Value:
    """Return the bag of the sequence's elements."""
    made: dict[Value, int] = {}
    for each in sequence(of):
        made[each] = made.get(each, 0) + 1
    return function(made)
