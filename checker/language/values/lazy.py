r"""Lazy sets, whose elements are not stored: a..b, SUBSET S, [S -> T], S \X T, [a : S], Seq(S), Nat and others.

Membership is decided without enumerating elements wherever possible. A set with infinitely many elements, or more than
`values.ENUMERABLE`, is not enumerated.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from math import prod
from typing import Final

from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.equality import member
from schedcheck.checker.language.values.ordering import domain, in_order, listed
from schedcheck.checker.language.values.values import (
    MOST_BITS,
    AnySet,
    FiniteSet,
    Function,
    LazyFunction,
    LazySet,
    ModelValue,
    Value,
    kind,
    short,
)


class Interval(LazySet):
    """`low..high`."""

    __slots__ = ("high", "low", "numbers")

    def __init__(self, low: int, high: int) -> None:
        self.low: Final = low
        self.high: Final = high
        self.numbers: Final = range(low, high + 1)

    def __contains__(self, value: object) -> bool:
        """Whether the value is one of the numbers."""
        if type(value) is int:
            return value in self.numbers
        return self.low <= self.high and _misfit(value, "integer", self)

    def size(self) -> int:
        """Return the number of elements."""
        return max(0, self.high - self.low + 1)

    def elements(self) -> Iterator[Value]:
        """Yield the numbers, ascending."""
        return iter(self.numbers)

    def __repr__(self) -> str:
        """Return its TLA+ text."""
        return f"{self.low}..{self.high}"


class Everything(LazySet):
    """An infinite set of all values that pass a test: Nat, Int, Real, STRING, Any."""

    __slots__ = ("kind", "name", "passes")

    def __init__(self, name: str, of: str, passes: Callable[[Value], bool]) -> None:
        self.name: Final = name
        self.kind: Final = of
        self.passes: Final = passes

    def __contains__(self, value: object) -> bool:
        """Whether the value passes the test."""
        return self.passes(value) or (bool(self.kind) and _misfit(value, self.kind, self))

    def size(self) -> None:
        """Return None: infinitely many."""

    def elements(self) -> Iterator[Value]:
        """Fail: an infinite set is never enumerated."""
        raise AssertionError(self)

    def __repr__(self) -> str:
        """Return its name."""
        return self.name


NAT = Everything("Nat", "integer", lambda value: type(value) is int and value >= 0)


INT = Everything("Int", "integer", lambda value: type(value) is int)


REAL = Everything("Real", "integer", lambda value: type(value) is int)


STRING = Everything("STRING", "string", lambda value: type(value) is str)


ANY = Everything("Any", "", lambda value: True)


class Subsets(LazySet):
    """`SUBSET of`."""

    __slots__ = ("of",)

    def __init__(self, of: AnySet) -> None:
        self.of: Final = of

    def __contains__(self, value: object) -> bool:
        """Whether the value is a set whose elements are all in `of`."""
        if not isinstance(value, FiniteSet | LazySet):
            return _misfit(value, "set", self)
        return all(member(each, self.of) for each in listed(value))

    def size(self) -> int | None:
        """Return two to the power of the number of elements."""
        size = count(self.of)
        return None if size is None else 1 << within(size, self)

    def elements(self) -> Iterator[Value]:
        """Yield the subsets, smaller ones first, then in the order of their elements."""
        known = in_order(listed(self.of))
        for size in range(len(known) + 1):
            for chosen in combinations(known, size):
                made = FiniteSet(chosen)
                made.ordered = chosen
                yield made

    def __repr__(self) -> str:
        """Return its TLA+ text."""
        return f"SUBSET {_shown(self.of)}"


class Functions(LazySet):
    """`[domain -> range]`."""

    __slots__ = ("domain", "range")

    def __init__(self, of: AnySet, to: AnySet) -> None:
        self.domain: Final = of
        self.range: Final = to

    def __contains__(self, value: object) -> bool:
        """Whether the value is a function with this domain and with values in the range."""
        if isinstance(value, LazyFunction):
            value = value.whole()
        if not isinstance(value, tuple | Function):
            return _misfit(value, "function", self)
        if not _same_domain(value, self.domain):
            return False
        values = value if isinstance(value, tuple) else value.values()
        return all(member(each, self.range) for each in values)

    def size(self) -> int | None:
        """Return the size of the range to the power of the size of the domain."""
        arguments, values = count(self.domain), count(self.range)
        if arguments is None:
            return None
        if values is None:
            return None if arguments else 1
        within(arguments * values.bit_length(), self)
        return int(values**arguments)

    def elements(self) -> Iterator[Value]:
        """Yield the functions in the order of their values."""
        arguments, values = in_order(listed(self.domain)), in_order(listed(self.range) if count(self.domain) else ())
        sequence = arguments == tuple(range(1, len(arguments) + 1))
        for chosen in product(values, repeat=len(arguments)):
            yield chosen if sequence else Function(zip(arguments, chosen, strict=True))

    def __repr__(self) -> str:
        """Return its TLA+ text."""
        return f"[{_shown(self.domain)} -> {_shown(self.range)}]"


class Products(LazySet):
    r"""`a \X b \X c`, or a set of records; it has one set for each argument."""

    __slots__ = ("arguments", "factors")

    def __init__(self, factors: Sequence[AnySet], arguments: Sequence[str] | None = None) -> None:
        pairs = zip(arguments, factors, strict=True) if arguments is not None else ()
        by_name = sorted(pairs, key=lambda pair: pair[0])
        self.arguments: Final = tuple(name for name, _ in by_name) if arguments is not None else None
        self.factors: Final = tuple(each for _, each in by_name) if arguments is not None else tuple(factors)

    def __contains__(self, value: object) -> bool:
        """Whether the value is a function with these arguments and with each value in its set."""
        if isinstance(value, LazyFunction):
            value = value.whole()
        if not isinstance(value, tuple | Function):
            return _misfit(value, "function", self)
        if self.arguments is None:
            values: Sequence[Value] = value if isinstance(value, tuple) else ()
        elif isinstance(value, Function) and value.keys() == set(self.arguments):
            values = [value[each] for each in self.arguments]
        else:
            values = ()
        return len(values) == len(self.factors) and all(map(member, values, self.factors))

    def size(self) -> int | None:
        """Return the product of the sizes."""
        sizes = [count(each) for each in self.factors]
        if 0 in sizes:
            return 0
        return None if None in sizes else prod(each for each in sizes if each is not None)

    def elements(self) -> Iterator[Value]:
        """Yield the tuples or records in the order of their values."""
        if 0 in map(count, self.factors):
            return
        for chosen in product(*(in_order(listed(each)) for each in self.factors)):
            yield chosen if self.arguments is None else Function(zip(self.arguments, chosen, strict=True))

    def __repr__(self) -> str:
        """Return its TLA+ text."""
        if self.arguments is None:
            return r" \X ".join(_shown(each) for each in self.factors)
        return f"[{', '.join(f'{a} : {_shown(b)}' for a, b in zip(self.arguments, self.factors, strict=True))}]"


class Sequences(LazySet):
    """`Seq(of)`."""

    __slots__ = ("of",)

    def __init__(self, of: AnySet) -> None:
        self.of: Final = of

    def __contains__(self, value: object) -> bool:
        """Whether the value is a sequence of elements of `of`."""
        if isinstance(value, LazyFunction):
            value = value.whole()
        if isinstance(value, tuple):
            return all(member(each, self.of) for each in value)
        return not isinstance(value, Function) and _misfit(value, "function", self)

    def size(self) -> int | None:
        """Return None for infinitely many; 1 if `of` is empty."""
        return 1 if count(self.of) == 0 else None

    def elements(self) -> Iterator[Value]:
        """Yield the empty sequence, the only element if the set is finite."""
        yield ()

    def __repr__(self) -> str:
        """Return its TLA+ text."""
        return f"Seq({_shown(self.of)})"


def within(bits: int, of: LazySet) -> int:
    """Return `bits`, the bit length of the size of a set. Raises Unevaluable if the size is too large to compute."""
    if bits > MOST_BITS:
        raise Unevaluable(f"the set {of!r} has too many elements for their number, of {bits} bits, to be worked out")
    return bits


def count(of: AnySet) -> int | None:
    """Return the number of elements; None for infinitely many."""
    return of.size() if isinstance(of, LazySet) else len(of)


def _same_domain(value: "tuple[Value, ...] | Function", elements: AnySet) -> bool:
    """Whether the function has this domain."""
    if isinstance(value, tuple) and isinstance(elements, Interval):
        return elements.size() == len(value) and (not value or elements.low == 1)
    return count(elements) == len(value) and all(member(each, elements) for each in domain(value))


def _misfit(value: object, wanted: str, of: LazySet) -> bool:
    """Return False for a value of this kind or a model value. Raises Unevaluable for any other value."""
    if kind(value) == wanted or isinstance(value, ModelValue):
        return False
    raise Unevaluable(f"whether {_shown(value)} is an element of {of!r} cannot be told: it is no {wanted}")


def _shown(value: Value) -> str:
    return short(value)
