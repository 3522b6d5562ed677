"""Bags, and BagsExt of the CommunityModules: a bag is a function from its elements to their numbers of copies."""

from collections.abc import Callable
from itertools import product

from schedcheck.checker.language.standard.arguments import Table, elements, integer, mapping, operator
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.values import Value, finite_set, function, short, truth

BAGS: Table = {}
EXTENDED: Table = {}

Bag = dict[Value, int]
Op = Callable[..., Value]


def bag(value: Value) -> Bag:
    """Return the number of copies of each element. Raises Unevaluable if the value is no bag."""
    made = mapping(value)
    for each in made.values():
        if type(each) is not int or each < 1:
            raise Unevaluable(f"{short(value)} is no bag")
    return made


def _bag(counts: Bag) -> Value:
    """Return the bag of the elements with a positive count."""
    return function({each: count for each, count in counts.items() if count > 0})


@operator(BAGS, "IsABag", 1)
def is_a_bag(value: Value) -> Value:
    """Whether the value is a bag."""
    try:
        bag(value)
    except Unevaluable:
        return truth(False)
    return truth(True)


@operator(BAGS, "BagToSet", 1)
def bag_to_set(of: Value) -> Value:
    """Return the set of elements in the bag."""
    return finite_set(bag(of))


@operator(BAGS, "SetToBag", 1)
def set_to_bag(of: Value) -> Value:
    """Return the bag with each element once."""
    return function(dict.fromkeys(elements(of), 1))


@operator(BAGS, "BagIn", 2)
def bag_in(value: Value, of: Value) -> Value:
    """Whether the value is in the bag."""
    return truth(value in bag(of))


@operator(BAGS, "EmptyBag", 0)
def empty_bag() -> Value:
    """Return the empty bag."""
    return ()


@operator(BAGS, "\\oplus", 2)
def bag_sum(left: Value, right: Value) -> Value:
    """Return the sum of two bags."""
    one, two = bag(left), bag(right)
    return function({each: one.get(each, 0) + two.get(each, 0) for each in {**one, **two}})


@operator(BAGS, "\\ominus", 2)
def bag_difference(left: Value, right: Value) -> Value:
    """Return the left bag without the copies in the right one."""
    two = bag(right)
    return _bag({each: count - two.get(each, 0) for each, count in bag(left).items()})


@operator(BAGS, "BagUnion", 1)
def bag_union(of: Value) -> Value:
    """Return the sum of all bags in a set."""
    made: Value = ()
    for each in elements(of):
        made = bag_sum(made, each)
    return made


@operator(BAGS, "\\sqsubseteq", 2)
def bag_within(left: Value, right: Value) -> Value:
    """Whether the right bag has at least as many copies of every element."""
    two = bag(right)
    return truth(all(two.get(each, 0) >= count for each, count in bag(left).items()))


@operator(BAGS, "SubBag", 1)
def sub_bags(of: Value) -> Value:
    """Return the set of all subbags."""
    counts = bag(of)
    chosen = product(*(range(count + 1) for count in counts.values()))
    return finite_set(_bag(dict(zip(counts, each, strict=True))) for each in chosen)


@operator(BAGS, "BagOfAll", 2, operators=(0,))
def bag_of_all(op: Op, of: Value) -> Value:
    """Return the bag with the operator applied to each element."""
    made: Bag = {}
    for each, count in bag(of).items():
        image = op(each)
        made[image] = made.get(image, 0) + count
    return function(made)


@operator(BAGS, "BagCardinality", 1)
def bag_cardinality(of: Value) -> Value:
    """Return the total number of copies."""
    return sum(bag(of).values())


@operator(BAGS, "CopiesIn", 2)
def copies_in(value: Value, of: Value) -> Value:
    """Return the number of copies of the value."""
    return bag(of).get(value, 0)


@operator(EXTENDED, "BagAdd", 2)
def bag_add(of: Value, value: Value) -> Value:
    """Return the bag with one more copy of the value."""
    counts = mapping(of)
    return function({**counts, value: counts.get(value, 0) + 1})


@operator(EXTENDED, "BagRemove", 2)
def bag_remove(of: Value, value: Value) -> Value:
    """Return the bag with one copy less of the value, if it has any."""
    counts = mapping(of)
    return _bag({**counts, value: counts[value] - 1}) if value in counts else of


@operator(EXTENDED, "BagRemoveAll", 2)
def bag_remove_all(of: Value, value: Value) -> Value:
    """Return the bag without the value."""
    return function({each: count for each, count in mapping(of).items() if each != value})


@operator(EXTENDED, "FoldBag", 3, operators=(0,))
def fold_bag(op: Op, base: Value, of: Value) -> Value:
    """Fold the bag as TLC does, from the first copy on: op(op(base, a), b)."""
    for each, count in bag(of).items():
        for _ in range(count):
            base = op(base, each)
    return base


@operator(EXTENDED, "SumBag", 1)
def sum_bag(of: Value) -> Value:
    """Return the sum of all copies."""
    return sum([integer(each) * count for each, count in bag(of).items()])


@operator(EXTENDED, "ProductBag", 1)
def product_bag(of: Value) -> Value:
    """Return the product of all copies."""
    made = 1
    for each, count in bag(of).items():
        made *= integer(each) ** count
    return made
