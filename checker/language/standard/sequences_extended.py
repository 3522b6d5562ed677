"""SequencesExt of the CommunityModules."""

from itertools import permutations

from schedcheck.checker.language.standard.arguments import Table, any_set, elements, holds, integer, operator, sequence
from schedcheck.checker.language.standard.sequences import Op, concatenated, length, part, sorted_by
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.equality import equal
from schedcheck.checker.language.values.lazy import Functions, Interval
from schedcheck.checker.language.values.values import Value, finite_set, short, truth

EXTENDED: Table = {}


@operator(EXTENDED, "ToSet", 1)
def to_set(of: Value) -> Value:
    """Return the set of the sequence's elements."""
    return finite_set(sequence(of))


@operator(EXTENDED, "SetToSeq", 1)
def set_to_sequence(of: Value) -> Value:
    """Return the elements as a sequence, in TLC's order."""
    return tuple(elements(of))


@operator(EXTENDED, "SetToSeqs", 1)
def set_to_sequences(of: Value) -> Value:
    """Return the elements in every order."""
    return finite_set(permutations(elements(of)))


@operator(EXTENDED, "SetToSortSeq", 2, operators=(1,))
def set_to_sorted(of: Value, before: Op) -> Value:
    """Return the elements as a sorted sequence."""
    return sorted_by(tuple(elements(of)), before)


@operator(EXTENDED, "SetToAllKPermutations", 1)
def all_permutations(of: Value) -> Value:
    """Return the elements of every subset, in every order."""
    listed = tuple(elements(of))
    return finite_set(each for number in range(len(listed) + 1) for each in permutations(listed, number))


@operator(EXTENDED, "TupleOf", 2)
def tuples(of: Value, number: Value) -> Value:
    """Return the set of all sequences of one length."""
    return Functions(Interval(1, integer(number)), any_set(of))


@operator(EXTENDED, "SeqOf", 2)
@operator(EXTENDED, "BoundedSeq", 2)
def bounded(of: Value, most: Value) -> Value:
    """Return the set of all sequences up to a length."""
    return finite_set(each for number in range(integer(most) + 1) for each in tuples(of, number))


@operator(EXTENDED, "Contains", 2)
def contains(of: Value, wanted: Value) -> Value:
    """Whether the value is in the sequence."""
    return truth(any(equal(each, wanted) for each in sequence(of)))


@operator(EXTENDED, "IsSorted", 2, operators=(1,))
def is_sorted(of: Value, before: Op) -> Value:
    """Whether each element is before all later ones."""
    all_ = sequence(of)
    return truth(all(holds(before(one, two)) for number, one in enumerate(all_) for two in all_[number + 1 :]))


@operator(EXTENDED, "Reverse", 1)
def reverse(of: Value) -> Value:
    """Return the sequence in reverse order."""
    return of[::-1] if type(of) is str else sequence(of)[::-1]


@operator(EXTENDED, "Remove", 2)
def remove(of: Value, gone: Value) -> Value:
    """Return the sequence without all occurrences of a value."""
    return tuple([each for each in sequence(of) if not equal(each, gone)])


@operator(EXTENDED, "ReplaceAll", 3)
def replace_all(of: Value, old: Value, new: Value) -> Value:
    """Return the sequence with each occurrence of a value replaced."""
    return tuple([new if equal(each, old) else each for each in sequence(of)])


@operator(EXTENDED, "InsertAt", 3)
def insert_at(of: Value, index: Value, new: Value) -> Value:
    """Return the sequence with a new element inserted at the index. Raises Unevaluable."""
    if not 1 <= integer(index) <= len(sequence(of)) + 1:
        raise Unevaluable(f"InsertAt {index} of {short(of)}, which has {len(of)} elements")
    return (*of[: index - 1], new, *of[index - 1 :])


@operator(EXTENDED, "ReplaceAt", 3)
def replace_at(of: Value, index: Value, new: Value) -> Value:
    """Return the sequence with the element at the index replaced; unchanged outside the domain."""
    if not 1 <= integer(index) <= len(sequence(of)):
        return of
    return (*of[: index - 1], new, *of[index:])


@operator(EXTENDED, "RemoveAt", 2)
def remove_at(of: Value, index: Value) -> Value:
    """Return the sequence without the element at the index."""
    if not 1 <= integer(index) <= len(sequence(of)):
        raise Unevaluable(f"RemoveAt {index} of {short(of)}, which has {len(of)} elements")
    return of[: index - 1] + of[index:]


@operator(EXTENDED, "Cons", 2)
def cons(first: Value, of: Value) -> Value:
    """Return the sequence with a new first element."""
    return (first, *sequence(of))


@operator(EXTENDED, "Snoc", 2)
def snoc(last: Value, of: Value) -> Value:
    """Return the sequence with a new last element."""
    return (*sequence(of), last)


@operator(EXTENDED, "Front", 1)
def front(of: Value) -> Value:
    """Return all elements but the last."""
    return part(of, 1, length(of) - 1)


@operator(EXTENDED, "Last", 1)
def last_of(of: Value) -> Value:
    """Return the last element."""
    if not sequence(of):
        raise Unevaluable("the empty sequence has no Last")
    return sequence(of)[-1]


def _parts(left: Value, right: Value) -> tuple[Value, Value]:
    return (left, right) if type(left) is str and type(right) is str else (sequence(left), sequence(right))


@operator(EXTENDED, "IsPrefix", 2)
def is_prefix(left: Value, right: Value) -> Value:
    """Whether `left` is a prefix of `right`."""
    one, two = _parts(left, right)
    return truth(len(one) <= len(two) and equal(one, two[: len(one)]))


@operator(EXTENDED, "IsStrictPrefix", 2)
def is_strict_prefix(left: Value, right: Value) -> Value:
    """Whether `left` is a prefix of `right` and shorter."""
    return truth(holds(is_prefix(left, right)) and len(left) < len(right))


@operator(EXTENDED, "IsSuffix", 2)
def is_suffix(left: Value, right: Value) -> Value:
    """Whether `left` is a suffix of `right`."""
    return is_prefix(reverse(left), reverse(right))


@operator(EXTENDED, "IsStrictSuffix", 2)
def is_strict_suffix(left: Value, right: Value) -> Value:
    """Whether `left` is a suffix of `right` and shorter."""
    return truth(holds(is_suffix(left, right)) and len(left) < len(right))


@operator(EXTENDED, "Prefixes", 1)
def prefixes(of: Value) -> Value:
    """Return the set of all prefixes."""
    all_ = sequence(of)
    return finite_set(all_[:number] for number in range(len(all_) + 1))


@operator(EXTENDED, "CommonPrefixes", 1)
def common_prefixes(of: Value) -> Value:
    """Return the common prefixes of a set of sequences."""
    all_ = list(elements(of))
    return finite_set(
        each for one in all_[:1] for each in prefixes(one) if all(holds(is_prefix(each, two)) for two in all_)
    )


@operator(EXTENDED, "LongestCommonPrefix", 1)
def longest_common_prefix(of: Value) -> Value:
    """Return the longest common prefix of a set of sequences."""
    return max(common_prefixes(of), key=len)


@operator(EXTENDED, "Suffixes", 1)
def suffixes(of: Value) -> Value:
    """Return the set of all suffixes."""
    all_ = sequence(of)
    return finite_set(all_[number:] for number in range(len(all_) + 1))


@operator(EXTENDED, "SubSeqs", 1)
def parts(of: Value) -> Value:
    """Return the set of all contiguous subsequences."""
    all_ = sequence(of)
    return finite_set(all_[low:high] for low in range(len(all_) + 1) for high in range(low, len(all_) + 1))


@operator(EXTENDED, "SeqMod", 2)
def sequence_modulo(left: Value, right: Value) -> Value:
    """Return the remainder, with the divisor instead of 0. Raises Unevaluable."""
    if integer(right) <= 0:
        raise Unevaluable(f"the divisor {right} is not positive")
    return integer(left) % right or right


@operator(EXTENDED, "FlattenSeq", 1)
def flattened(of: Value) -> Value:
    """Return the concatenation of a sequence of sequences."""
    all_ = sequence(of)
    if not all_:
        return all_
    made = all_[0]
    for each in all_[1:]:
        made = concatenated(made, each)
    return made


@operator(EXTENDED, "Zip", 2)
def zipped(left: Value, right: Value) -> Value:
    """Return the sequence of pairs, as long as the shorter sequence."""
    return tuple(zip(sequence(left), sequence(right), strict=False))
