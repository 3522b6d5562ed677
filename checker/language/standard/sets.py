"""FiniteSets, and FiniteSetsExt, Folds and Functions of the CommunityModules."""

from collections.abc import Callable, Iterable
from itertools import combinations, product
from math import comb

from schedcheck.checker.language.standard.arguments import (
    Table,
    any_set,
    elements,
    holds,
    integer,
    mapping,
    operator,
    size,
)
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.combining import common, without
from schedcheck.checker.language.values.equality import equal
from schedcheck.checker.language.values.lazy import Functions
from schedcheck.checker.language.values.values import (
    ENUMERABLE,
    FiniteSet,
    LazySet,
    Value,
    finite_set,
    function,
    in_digits,
    short,
    truth,
)

FINITE_SETS: Table = {}
FINITE_SETS_EXTENDED: Table = {}
FOLDS: Table = {}
FUNCTIONS: Table = {}

Op = Callable[..., Value]


@operator(FINITE_SETS, "IsFiniteSet", 1)
def is_finite(of: Value) -> Value:
    """Whether the set is finite."""
    return truth(not isinstance(any_set(of), LazySet) or of.size() is not None)


@operator(FINITE_SETS, "Cardinality", 1)
def cardinality(of: Value) -> Value:
    """Return the number of elements."""
    return len(of) if type(of) is FiniteSet else size(of)


# A fold is op(f(x), the fold of the other elements), for the first chosen x.


@operator(FOLDS, "MapThenFoldSet", 5, operators=(0, 2, 3))
def map_then_fold(op: Op, base: Value, each: Op, choose: Op, of: Value) -> Value:
    """Fold a set; `choose` picks the next element, `each` maps it."""
    left = FiniteSet(elements(of))
    taken = []
    while left:
        chosen = choose(left)
        if chosen not in left:
            raise Unevaluable(f"{short(chosen)}, which was chosen, is no element of {short(left)}")
        taken.append(chosen)
        left = FiniteSet(left - {chosen})
    for chosen in reversed(taken):
        base = op(each(chosen), base)
    return base


def fold(op: Op, base: Value, values: Iterable[Value]) -> Value:
    """Fold as TLC does, from the first element on: op(b, op(a, base))."""
    for each in values:
        base = op(each, base)
    return base


@operator(FINITE_SETS_EXTENDED, "FoldSet", 3, operators=(0,))
def fold_set(op: Op, base: Value, of: Value) -> Value:
    """Fold a set."""
    return fold(op, base, elements(of))


@operator(FINITE_SETS_EXTENDED, "ReduceSet", 3, operators=(0,))
def reduce_set(op: Op, of: Value, base: Value) -> Value:
    """Fold a set, with the arguments in another order."""
    return fold(op, base, elements(of))


@operator(FINITE_SETS_EXTENDED, "SumSet", 1)
def sum_set(of: Value) -> Value:
    """Return the sum of the elements."""
    return sum(map(integer, elements(of)))


@operator(FINITE_SETS_EXTENDED, "ProductSet", 1)
def product_set(of: Value) -> Value:
    """Return the product of the elements."""
    made = 1
    for each in elements(of):
        made *= integer(each)
    return made


@operator(FINITE_SETS_EXTENDED, "MapThenSumSet", 2, operators=(0,))
def map_then_sum(op: Op, of: Value) -> Value:
    """Return the sum of the operator's values on the elements."""
    return sum([integer(op(each)) for each in elements(of)])


@operator(FINITE_SETS_EXTENDED, "FlattenSet", 1)
def flatten_set(of: Value) -> Value:
    """Return the UNION of the sets in a set."""
    return finite_set(each for one in elements(of) for each in elements(one))


@operator(FINITE_SETS_EXTENDED, "SymDiff", 2)
def symmetric_difference(left: Value, right: Value) -> Value:
    """Return the elements that are in exactly one of two sets."""
    return finite_set([*elements(without(any_set(left), right)), *elements(without(any_set(right), left))])


@operator(FINITE_SETS_EXTENDED, "Quantify", 2, operators=(1,))
def quantify(of: Value, test: Op) -> Value:
    """Return how many elements pass the test."""
    return sum([holds(test(each)) for each in elements(of)])


@operator(FINITE_SETS_EXTENDED, "kSubset", 2)
def subsets_of_size(number: Value, of: Value) -> Value:
    """Return the subsets of one size. Raises Unevaluable if they are too many."""
    if comb(size(of), max(0, integer(number))) > ENUMERABLE:
        raise Unevaluable(f"{in_digits(comb(size(of), number))} subsets; more than {ENUMERABLE} are not enumerated")
    return finite_set(map(FiniteSet, combinations(elements(of), number))) if number >= 0 else FiniteSet()


@operator(FINITE_SETS_EXTENDED, "Max", 1)
def maximum(of: Value) -> Value:
    """Return the greatest element. Raises Unevaluable."""
    return max(map(integer, _some(of)))


@operator(FINITE_SETS_EXTENDED, "Min", 1)
def minimum(of: Value) -> Value:
    """Return the least element. Raises Unevaluable."""
    return min(map(integer, _some(of)))


def _some(of: Value) -> tuple[Value, ...]:
    found = tuple(elements(of))
    if not found:
        raise Unevaluable("the empty set has no greatest and no least element")
    return found


@operator(FINITE_SETS_EXTENDED, "Choices", 1)
def choices(of: Value) -> Value:
    """Return the sets made by choosing one element of each set."""
    return finite_set(map(finite_set, product(*(tuple(elements(each)) for each in elements(of)))))


@operator(FINITE_SETS_EXTENDED, "ChooseUnique", 2, operators=(1,))
def choose_unique(of: Value, test: Op) -> Value:
    """Return the only element that passes the test. Raises Unevaluable."""
    found = [each for each in elements(of) if holds(test(each))]
    if len(found) != 1:
        raise Unevaluable(f"{len(found)} elements of {short(of)} pass the test, not one")
    return found[0]


@operator(FUNCTIONS, "Restrict", 2)
def restrict(of: Value, to: Value) -> Value:
    """Return the function restricted to a part of its domain. Raises Unevaluable."""
    values = mapping(of)
    missing = [each for each in elements(to) if each not in values]
    if missing:
        raise Unevaluable(f"{short(missing[0])} is not in the domain of {short(of)}")
    return function({each: values[each] for each in elements(to)})


@operator(FUNCTIONS, "RestrictDomain", 2, operators=(1,))
def restrict_domain(of: Value, test: Op) -> Value:
    """Return the function restricted to arguments that pass the test."""
    return function({each: known for each, known in mapping(of).items() if holds(test(each))})


@operator(FUNCTIONS, "RestrictValues", 2, operators=(1,))
def restrict_values(of: Value, test: Op) -> Value:
    """Return the function restricted to arguments whose values pass the test."""
    return function({each: known for each, known in mapping(of).items() if holds(test(known))})


@operator(FUNCTIONS, "IsRestriction", 2)
def is_restriction(narrow: Value, wide: Value) -> Value:
    """Whether `narrow` is `wide` restricted to a part of its domain."""
    one, two = mapping(narrow), mapping(wide)
    return truth(all(each in two and equal(known, two[each]) for each, known in one.items()))


@operator(FUNCTIONS, "Range", 1)
def values_of(of: Value) -> Value:
    """Return the set of the function's values."""
    return finite_set(mapping(of).values())


@operator(FUNCTIONS, "Pointwise", 3, operators=(2,))
def pointwise(left: Value, right: Value, op: Op) -> Value:
    """Return the function that applies the operator to the values of two functions. Raises Unevaluable."""
    one, two = mapping(left), mapping(right)
    if one.keys() - two.keys():
        raise Unevaluable(f"the domain of {short(right)} lacks some of that of {short(left)}")
    return function({each: op(known, two[each]) for each, known in one.items()})


@operator(FUNCTIONS, "Inverse", 3)
def inverse(of: Value, domain: Value, to: Value) -> Value:
    """Return a function from `to` to `domain` that picks the first argument with each value.

    For a value that the function never takes, it picks the first element of `domain`. Raises Unevaluable.
    """
    values = mapping(of)
    candidates = tuple(elements(domain))
    found = {}
    known = set(values.values())
    for each in elements(to):
        chosen = [one for one in candidates if each not in known or (one in values and equal(values[one], each))]
        if not chosen:
            raise Unevaluable(f"nothing in {short(domain)} has the value {short(each)}")
        found[each] = chosen[0]
    return function(found)


@operator(FUNCTIONS, "AntiFunction", 1)
def anti_function(of: Value) -> Value:
    """Return the inverse on the set of the function's values."""
    return inverse(of, finite_set(mapping(of)), values_of(of))


@operator(FUNCTIONS, "IsInjective", 1)
def is_injective(of: Value) -> Value:
    """Whether no two arguments have the same value."""
    values = list(mapping(of).values())
    return truth(len(finite_set(values)) == len(values))


@operator(FUNCTIONS, "Injection", 2)
def injections(domain: Value, to: Value) -> Value:
    """Return the injective functions."""
    return finite_set(each for each in Functions(any_set(domain), any_set(to)) if holds(is_injective(each)))


@operator(FUNCTIONS, "Surjection", 2)
def surjections(domain: Value, to: Value) -> Value:
    """Return the surjective functions."""
    wanted = finite_set(elements(to))
    return finite_set(each for each in Functions(any_set(domain), any_set(to)) if values_of(each) == wanted)


@operator(FUNCTIONS, "Bijection", 2)
def bijections(domain: Value, to: Value) -> Value:
    """Return the bijective functions."""
    return common(injections(domain, to), surjections(domain, to))


@operator(FUNCTIONS, "ExistsInjection", 2)
def exists_injection(domain: Value, to: Value) -> Value:
    """Whether there is an injective function."""
    return truth(size(domain) <= size(to))


@operator(FUNCTIONS, "ExistsSurjection", 2)
def exists_surjection(domain: Value, to: Value) -> Value:
    """Whether there is a surjective function."""
    return truth(size(domain) >= size(to) > 0 or size(domain) == size(to))


@operator(FUNCTIONS, "ExistsBijection", 2)
def exists_bijection(domain: Value, to: Value) -> Value:
    """Whether there is a bijective function."""
    return truth(size(domain) == size(to))


@operator(FUNCTIONS, "FoldFunction", 3, operators=(0,))
def fold_function(op: Op, base: Value, of: Value) -> Value:
    """Fold the function's values."""
    return fold(op, base, mapping(of).values())


@operator(FUNCTIONS, "FoldFunctionOnSet", 4, operators=(0,))
def fold_function_on(op: Op, base: Value, of: Value, arguments: Value) -> Value:
    """Fold the function's values at some arguments."""
    return fold(op, base, mapping(restrict(of, arguments)).values())


@operator(FUNCTIONS, "SumFunction", 1)
def sum_function(of: Value) -> Value:
    """Return the sum of the function's values."""
    return sum(map(integer, mapping(of).values()))


@operator(FUNCTIONS, "SumFunctionOnSet", 2)
def sum_function_on(of: Value, arguments: Value) -> Value:
    """Return the sum of the function's values at some arguments."""
    return sum_function(restrict(of, arguments))
