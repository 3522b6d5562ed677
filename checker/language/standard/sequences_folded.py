"""What of SequencesExt looks for elements of a sequence, or folds it."""

from schedcheck.checker.language.standard.arguments import Table, holds, operator, sequence
from schedcheck.checker.language.standard.sequences import Op, length, part
from schedcheck.checker.language.standard.sequences_extended import remove_at
from schedcheck.checker.language.values.equality import equal
from schedcheck.checker.language.values.values import Value, function

FOLDED: Table = {}


@operator(FOLDED, "SelectInSeq", 2, operators=(1,))
def first_index(of: Value, test: Op) -> Value:
    """The first index of one that passes a test, else 0."""
    return next((number for number, each in enumerate(sequence(of), 1) if holds(test(each))), 0)


@operator(FOLDED, "SelectLastInSeq", 2, operators=(1,))
def last_index(of: Value, test: Op) -> Value:
    """The last index of one that passes a test, else 0."""
    return max([number for number, each in enumerate(sequence(of), 1) if holds(test(each))], default=0)


@operator(FOLDED, "SelectInSubSeq", 4, operators=(3,))
def first_index_within(of: Value, first: Value, last: Value, test: Op) -> Value:
    """The same within a part, counted from its beginning."""
    return first_index(part(of, first, last), test)


@operator(FOLDED, "SelectLastInSubSeq", 4, operators=(3,))
def last_index_within(of: Value, first: Value, last: Value, test: Op) -> Value:
    """The same within a part, counted from its beginning."""
    return last_index(part(of, first, last), test)


@operator(FOLDED, "RemoveFirst", 2)
def remove_first(of: Value, gone: Value) -> Value:
    """Without the first occurrence."""
    found = next((number for number, each in enumerate(sequence(of), 1) if equal(each, gone)), 0)
    return remove_at(of, found) if found else of


@operator(FOLDED, "RemoveFirstMatch", 2, operators=(1,))
def remove_first_match(of: Value, test: Op) -> Value:
    """Without the first that passes a test."""
    found = first_index(of, test)
    return remove_at(of, found) if found else of


@operator(FOLDED, "FoldLeft", 3, operators=(0,))
def fold_left(op: Op, base: Value, of: Value) -> Value:
    """From the first to the last: op(op(base, a), b)."""
    for each in sequence(of):
        base = op(base, each)
    return base


@operator(FOLDED, "FoldSeq", 3, operators=(0,))
def fold_sequence(op: Op, base: Value, of: Value) -> Value:
    """As FoldFunction: op(a, op(b, base)), the first one last."""
    for each in reversed(sequence(of)):
        base = op(each, base)
    return base


@operator(FOLDED, "FoldRight", 3, operators=(0,))
def fold_right(op: Op, of: Value, base: Value) -> Value:
    """From the last to the first: op(a, op(b, base))."""
    return fold_sequence(op, base, of)


@operator(FOLDED, "FoldLeftDomain", 3, operators=(0,))
def fold_left_domain(op: Op, base: Value, of: Value) -> Value:
    """FoldLeft of the indices."""
    return fold_left(op, base, tuple(range(1, length(of) + 1)))


@operator(FOLDED, "FoldRightDomain", 3, operators=(0,))
def fold_right_domain(op: Op, of: Value, base: Value) -> Value:
    """FoldRight of the indices."""
    return fold_sequence(op, base, tuple(range(1, length(of) + 1)))


@operator(FOLDED, "ToBag", 1)
def to_bag(of: Value) -> Value:
    """How often each occurs."""
    made: dict[Value, int] = {}
    for each in sequence(of):
        made[each] = made.get(each, 0) + 1
    return function(made)
