"""SequencesExt of the CommunityModules."""

from itertools import permutations

from schedcheck.checker.language.standard.arguments import Table, any_set, elements, holds, integer, operator, sequence
from schedcheck.checker.language.standard.sequences import Op, concatenated, length, part, sorted_by
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.equality import equal
from schedcheck.checker.language.values.lazy import Functions, Interval
from schedcheck.checker.language.values.showing import short
from schedcheck.checker.language.values.values import Value, finite_set, truth

EXTENDED: Table = {}


@operator(EXTENDED, "ToSet", 1)
def to_set(of: Value) -> Value:
    """The set of its elements."""
    return finite_set(sequence(of))


@operator(EXTENDED, "SetToSeq", 1)
def set_to_sequence(of: Value) -> Value:
    """The elements, in TLC's order."""
    return tuple(elements(of))


@operator(EXTENDED, "SetToSeqs", 1)
def set_to_sequences(of: Value) -> Value:
    """All orders of the elements."""
    return finite_set(permutations(elements(of)))


@operator(EXTENDED, "SetToSortSeq", 2, operators=(1,))
def set_to_sorted(of: Value, before: Op) -> Value:
    """The elements, sorted."""
    return sorted_by(tuple(elements(of)), before)


@operator(EXTENDED, "SetToAllKPermutations", 1)
def all_permutations(of: Value) -> Value:
    """All orders of all subsets."""
    listed = tuple(elements(of))
    return finite_set(each for number in range(len(listed) + 1) for each in permutations(listed, number))


@operator(EXTENDED, "TupleOf", 2)
def tuples(of: Value, number: Value) -> Value:
    """All sequences of one length."""
    return Functions(Interval(1, integer(number)), any_set(of))


@operator(EXTENDED, "SeqOf", 2)
@operator(EXTENDED, "BoundedSeq", 2)
def bounded(of: Value, most: Value) -> Value:
    """All sequences up to a length."""
    return finite_set(each for number in range(integer(most) + 1) for each in tuples(of, number))


@operator(EXTENDED, "Contains", 2)
def contains(of: Value, wanted: Value) -> Value:
    """Whether it is in the sequence."""
    return truth(any(equal(each, wanted) for each in sequence(of)))


@operator(EXTENDED, "IsSorted", 2, operators=(1,))
def is_sorted(of: Value, before: Op) -> Value:
    """Whether each stands before all that follow."""
    all_ = sequence(of)
    return truth(all(holds(before(one, two)) for number, one in enumerate(all_) for two in all_[number + 1 :]))


@operator(EXTENDED, "Reverse", 1)
def reverse(of: Value) -> Value:
    """Backwards."""
    return of[::-1] if type(of) is str else sequence(of)[::-1]


@operator(EXTENDED, "Remove", 2)
def remove(of: Value, gone: Value) -> Value:
    """Without all occurrences."""
    return tuple([each for each in sequence(of) if not equal(each, gone)])


@operator(EXTENDED, "ReplaceAll", 3)
def replace_all(of: Value, old: Value, new: Value) -> Value:
    """With another in the place of each occurrence."""
    return tuple([new if equal(each, old) else each for each in sequence(of)])


@operator(EXTENDED, "InsertAt", 3)
def insert_at(of: Value, index: Value, new: Value) -> Value:
    """With one more at an index."""
    if not 1 <= integer(index) <= len(sequence(of)) + 1:
        raise Unevaluable(f"InsertAt {index} of {short(of)}, which has {len(of)} elements")
    return (*of[: index - 1], new, *of[index - 1 :])


@operator(EXTENDED, "ReplaceAt", 3)
def replace_at(of: Value, index: Value, new: Value) -> Value:
    """With another at an index; unchanged outside the domain."""
    if not 1 <= integer(index) <= len(sequence(of)):
        return of
    return (*of[: index - 1], new, *of[index:])


@operator(EXTENDED, "RemoveAt", 2)
def remove_at(of: Value, index: Value) -> Value:
    """Without the one at an index."""
    if not 1 <= integer(index) <= len(sequence(of)):
        raise Unevaluable(f"RemoveAt {index} of {short(of)}, which has {len(of)} elements")
    return of[: index - 1] + of[index:]


@operator(EXTENDED, "Cons", 2)
def cons(first: Value, of: Value) -> Value:
    """With one more in front."""
    return (first, *sequence(of))


@operator(EXTENDED, "Snoc", 2)
def snoc(last: Value, of: Value) -> Value:
    """With one more at the end."""
    return (*sequence(of), last)


@operator(EXTENDED, "Front", 1)
def front(of: Value) -> Value:
    """All but the last."""
    return part(of, 1, length(of) - 1)


@operator(EXTENDED, "Last", 1)
def last_of(of: Value) -> Value:
    """The last."""
    if not sequence(of):
        raise Unevaluable("the empty sequence has no Last")
    return sequence(of)[-1]


def _parts(left: Value, right: Value) -> tuple[Value, Value]:
    return (left, right) if type(left) is str and type(right) is str else (sequence(left), sequence(right))


@operator(EXTENDED, "IsPrefix", 2)
def is_prefix(left: Value, right: Value) -> Value:
    """Whether one begins the other."""
    one, two = _parts(left, right)
    return truth(len(one) <= len(two) and equal(one, two[: len(one)]))


@operator(EXTENDED, "IsStrictPrefix", 2)
def is_strict_prefix(left: Value, right: Value) -> Value:
    """Whether one begins the other and is not all of it."""
    return truth(holds(is_prefix(left, right)) and len(left) < len(right))


@operator(EXTENDED, "IsSuffix", 2)
def is_suffix(left: Value, right: Value) -> Value:
    """Whether one ends the other."""
    return is_prefix(reverse(left), reverse(right))


@operator(EXTENDED, "IsStrictSuffix", 2)
def is_strict_suffix(left: Value, right: Value) -> Value:
    """Whether one ends the other and is not all of it."""
    return truth(holds(is_suffix(left, right)) and len(left) < len(right))


@operator(EXTENDED, "Prefixes", 1)
def prefixes(of: Value) -> Value:
    """All beginnings."""
    all_ = sequence(of)
    return finite_set(all_[:number] for number in range(len(all_) + 1))


@operator(EXTENDED, "CommonPrefixes", 1)
def common_prefixes(of: Value) -> Value:
    """The beginnings that all share."""
    all_ = list(elements(of))
    return finite_set(
        each for one in all_[:1] for each in prefixes(one) if all(holds(is_prefix(each, two)) for two in all_)
    )


@operator(EXTENDED, "LongestCommonPrefix", 1)
def longest_common_prefix(of: Value) -> Value:
    """The longest beginning that all share."""
    return max(common_prefixes(of), key=len)


@operator(EXTENDED, "Suffixes", 1)
def suffixes(of: Value) -> Value:
    """All ends."""
    all_ = sequence(of)
    return finite_set(all_[number:] for number in range(len(all_) + 1))


@operator(EXTENDED, "SubSeqs", 1)
def parts(of: Value) -> Value:
    """All that stand together."""
    all_ = sequence(of)
    return finite_set(all_[low:high] for low in range(len(all_) + 1) for high in range(low, len(all_) + 1))


@operator(EXTENDED, "SeqMod", 2)
def sequence_modulo(left: Value, right: Value) -> Value:
    """The remainder, or the divisor in the place of 0."""
    if integer(right) <= 0:
        raise Unevaluable(f"the divisor {right} is not positive")
    return integer(left) % right or right


@operator(EXTENDED, "FlattenSeq", 1)
def flattened(of: Value) -> Value:
    """All sequences of a sequence, one after the other."""
    all_ = sequence(of)
    if not all_:
        return all_
    made = all_[0]
    for each in all_[1:]:
        made = concatenated(made, each)
    return made


@operator(EXTENDED, "Zip", 2)
def zipped(left: Value, right: Value) -> Value:
    """The pairs, as long as the shorter."""
    return tuple(zip(sequence(left), sequence(right), strict=False))
