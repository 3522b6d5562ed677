"""TLC, TLCExt and Randomization. Random choices are seeded; registers and counts are those of this exploration."""

import random
import time
from collections.abc import Callable
from typing import Any

from schedcheck.checker.language.environment.running import Running
from schedcheck.checker.language.environment.scopes import ACTION, Builtin
from schedcheck.checker.language.standard.arguments import (
    Table,
    any_set,
    elements,
    holds,
    integer,
    mapping,
    operator,
    sequence,
    size,
)
from schedcheck.checker.language.standard.sequences import permutations_of, sorted_by
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.equality import equal
from schedcheck.checker.language.values.lazy import ANY, Functions, Interval, Subsets
from schedcheck.checker.language.values.ordering import in_order
from schedcheck.checker.language.values.showing import shown
from schedcheck.checker.language.values.values import (
    TRUE,
    FiniteSet,
    Function,
    LazySet,
    Value,
    finite_set,
    function,
    short,
    truth,
    whole,
)

TLC: Table = {"Any": Builtin("Any", 0, lambda: ANY)}
EXTENDED: Table = {}
RANDOMIZATION: Table = {}

Op = Callable[..., Value]

COMPOSITION = "-Dtlc2.tool.impl.Tool.cdot"
r"""The Java property that makes TLC accept A \cdot B; here it is always accepted."""

SEED = 0
_chance = random.Random(SEED)


def chance() -> Any:
    """Return what the next random choices depend on, as plain data."""
    return _chance.getstate()


def set_chance(state: Any) -> None:
    """Let the next random choices be those that follow this state."""
    version, numbers, rest = state
    _chance.setstate((version, tuple(numbers), rest))


@operator(TLC, "Print", 2, level=ACTION, running=True)
def print_(running: Running, said: Value, value: Value) -> Value:
    """Print the two values; return the second."""
    running.output(f"{shown(said)}  {shown(value)}")
    return value


@operator(TLC, "PrintT", 1, level=ACTION, running=True)
def print_true(running: Running, said: Value) -> Value:
    """Print the value; return TRUE."""
    running.output(shown(said))
    return TRUE


@operator(TLC, "Assert", 2)
def assert_(condition: Value, says: Value) -> Value:
    """Return TRUE. Raises Unevaluable if the condition is false."""
    if holds(condition):
        return TRUE
    raise Unevaluable(f"the assertion fails: {says if type(says) is str else shown(says)}")


@operator(TLC, ":>", 2)
def single(argument: Value, value: Value) -> Value:
    """Return the function with a single argument."""
    return function({argument: value})


@operator(TLC, "@@", 2)
def overlaid(left: Value, right: Value) -> Value:
    """Return the two functions combined; where both are defined, the left one counts."""
    return function({**mapping(right), **mapping(left)})


@operator(TLC, "Permutations", 1)
def permutations(of: Value) -> Value:
    """Return the permutations of a set."""
    return permutations_of(of)


@operator(TLC, "SortSeq", 2, operators=(1,))
def sort_sequence(of: Value, before: Op) -> Value:
    """Return the sorted sequence."""
    return sorted_by(sequence(of), before)


@operator(TLC, "ToString", 1)
def to_string(value: Value) -> Value:
    """Return the TLA+ text of the value; a string keeps its quotes."""
    return shown(value)


@operator(TLC, "TLCEval", 1)
def evaluated(value: Value) -> Value:
    """Return the value; a lazy set or function is replaced by a stored one."""
    return whole(value)


@operator(TLC, "JavaTime", 0, level=ACTION)
def java_time() -> Value:
    """Return the seconds since 1970, in 31 bits."""
    return int(time.time()) & 0x7FFFFFFF


@operator(TLC, "RandomElement", 1, level=ACTION)
def random_element(of: Value) -> Value:
    """Return a random element of the set. Raises Unevaluable."""
    listed = tuple(elements(of))
    if not listed:
        raise Unevaluable("the empty set has no element")
    return listed[_chance.randrange(len(listed))]


@operator(TLC, "TLCGet", 1, level=ACTION, running=True)
def tlc_get(running: Running, register: Value) -> Value:
    """Return the value in a register, or the level, counts or configuration of this exploration. Raises Unevaluable."""
    if type(register) is int:
        if register not in running.registers:
            raise Unevaluable(f"the register {register} of TLCGet holds nothing")
        return running.registers[register]
    known = {**_statistics(running), "level": running.level}
    if register in known:
        return known[register]
    if register == "stats":
        return Function(_statistics(running))
    if register == COMPOSITION:
        return "true"
    if register == "config":
        return Function({"mode": "bfs", "worker": 1, "deadlock": truth(running.deadlock), "depth": -1, "traces": -1})
    raise Unevaluable(f"TLCGet({short(register)}) is not supported")


def _statistics(running: Running) -> dict[str, Value]:
    """Return the counts of the exploration."""
    counted = {"distinct": running.distinct, "generated": running.generated, "queue": running.queue}
    return {**counted, "diameter": running.diameter, "duration": int(time.monotonic() - running.begun)}


@operator(TLC, "TLCSet", 2, level=ACTION, running=True)
def tlc_set(running: Running, register: Value, value: Value) -> Value:
    """Store the value in the register; return TRUE. Raises Unevaluable."""
    if type(register) is not int:
        raise Unevaluable(f"TLCSet of {short(register)} is not supported")
    running.registers[register] = whole(value)
    return TRUE


@operator(EXTENDED, "AssertEq", 2)
def assert_equal(left: Value, right: Value) -> Value:
    """Whether the two values are equal."""
    return truth(equal(left, right))


@operator(EXTENDED, "PickSuccessor", 1)
def pick_successor(condition: Value) -> Value:
    """Return the condition; no user is asked, unlike in TLC."""
    return condition


@operator(EXTENDED, "TLCModelValue", 1)
def model_value(name: Value) -> Value:
    """Return the model value of this name."""
    from schedcheck.checker.language.values.values import ModelValue

    return ModelValue.named(str(name))


@operator(EXTENDED, "TLCCache", 2)
def cached(value: Value, _: Value) -> Value:
    """Return the value."""
    return value


@operator(RANDOMIZATION, "RandomSubset", 2, level=ACTION)
def random_subset(number: Value, of: Value) -> Value:
    """Return a random subset of this size. Raises Unevaluable."""
    wanted = integer(number)
    if wanted > size(of):
        raise Unevaluable(f"{wanted} elements are asked of a set of {size(of)}")
    return finite_set(_drawn(any_set(of), wanted))


def _drawn(of: Value, wanted: int) -> list[Value]:
    """Return this many different random elements; a set too large to enumerate is sampled one by one."""
    if isinstance(of, Functions | Subsets) and size(of) > 10 * wanted + 10_000:
        found: dict[Value, None] = {}
        while len(found) < wanted:
            found[_one(of)] = None
        return list(found)
    return _chance.sample(list(elements(of)), wanted)


def _one(of: LazySet | FiniteSet) -> Value:
    """Return a random element; all are equally likely."""
    match of:
        case Subsets():
            return finite_set(each for each in in_order(elements(of.of)) if _chance.random() < 0.5)
        case Functions():
            return function({each: _one(of.range) for each in elements(of.domain)})
        case Interval():
            return _chance.randint(of.low, of.high)
    listed = tuple(elements(of))
    return listed[_chance.randrange(len(listed))]


@operator(RANDOMIZATION, "RandomSubsetSet", 3, level=ACTION)
def random_subset_set(number: Value, probability: Value, of: Value) -> Value:
    """Return the set of `number` random subsets; each element is included with the given probability."""
    known, likely = tuple(elements(of)), _probability(probability)
    return finite_set(finite_set(each for each in known if _chance.random() < likely) for _ in range(integer(number)))


@operator(RANDOMIZATION, "RandomSetOfSubsets", 3, level=ACTION)
def random_set_of_subsets(number: Value, average: Value, of: Value) -> Value:
    """Return the set of `number` random subsets with the given average size."""
    known = tuple(elements(of))
    likely = integer(average) / max(1, len(known))
    return finite_set(finite_set(each for each in known if _chance.random() < likely) for _ in range(integer(number)))


def _probability(value: Value) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise Unevaluable(f"{short(value)} is no probability") from None
