r"""Sets that are not written out: a..b, SUBSET S, [S -> T], S \X T, [a : S], Seq(S), Nat, and what is made of them.

A membership is decided without listing elements wherever that can be; listing is refused where the elements are
infinitely many, or more than `values.ENUMERABLE`.
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
)


class Interval(LazySet):
    """`low..high`."""

    __slots__ = ("high", "low", "numbers")

    def __init__(self, low: int, high: int) -> None:
        self.low: Final = low
        self.high: Final = high
        self.numbers: Final = range(low, high + 1)

    def __contains__(self, value: object) -> bool:
        """Whether it is one of the numbers."""
        if type(value) is int:
            return value in self.numbers
        return self.low <= self.high and _misfit(value, "integer", self)

    def size(self) -> int:
        """How many numbers."""
        return max(0, self.high - self.low + 1)

    def elements(self) -> Iterator[Value]:
        """The numbers, ascending."""
        return iter(self.numbers)

    def __repr__(self) -> str:
        """As TLA+ writes it."""
        return f"{self.low}..{self.high}"


class Everything(LazySet):
    """All values that pass a test: Nat, Int, Real, STRING, Any."""

    __slots__ = ("kind", "name", "passes")

    def __init__(self, name: str, of: str, passes: Callable[[Value], bool]) -> None:
        self.name: Final = name
        self.kind: Final = of
        self.passes: Final = passes

    def __contains__(self, value: object) -> bool:
        """Whether it passes."""
        return self.passes(value) or (bool(self.kind) and _misfit(value, self.kind, self))

    def size(self) -> None:
        """None: infinitely many."""

    def elements(self) -> Iterator[Value]:
        """Never listed."""
        raise AssertionError(self)

    def __repr__(self) -> str:
        """Its name."""
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
        """Whether it is a set all of whose elements are elements of `of`."""
        if not isinstance(value, FiniteSet | LazySet):
            return _misfit(value, "set", self)
        return all(member(each, self.of) for each in listed(value))

    def size(self) -> int | None:
        """Two to the number of elements."""
        size = count(self.of)
        return None if size is None else 1 << within(size, self)

    def elements(self) -> Iterator[Value]:
        """The smaller ones first, then by their elements."""
        known = in_order(listed(self.of))
        for size in range(len(known) + 1):
            for chosen in combinations(known, size):
                made = FiniteSet(chosen)
                made.ordered = chosen
                yield made

    def __repr__(self) -> str:
        """As TLA+ writes it."""
        return f"SUBSET {_shown(self.of)}"


class Functions(LazySet):
    """`[domain -> range]`."""

    __slots__ = ("domain", "range")

    def __init__(self, of: AnySet, to: AnySet) -> None:
        self.domain: Final = of
        self.range: Final = to

    def __contains__(self, value: object) -> bool:
        """Whether it is a function with this domain whose values are elements of the range."""
        if isinstance(value, LazyFunction):
            value = value.whole()
        if not isinstance(value, tuple | Function):
            return _misfit(value, "function", self)
        if not _same_domain(value, self.domain):
            return False
        values = value if isinstance(value, tuple) else value.values()
        return all(member(each, self.range) for each in values)

    def size(self) -> int | None:
        """The size of the range to the power of that of the domain."""
        arguments, values = count(self.domain), count(self.range)
        if arguments is None:
            return None
        if values is None:
            return None if arguments else 1
        within(arguments * values.bit_length(), self)
        return int(values**arguments)

    def elements(self) -> Iterator[Value]:
        """In the order of their values."""
        arguments, values = in_order(listed(self.domain)), in_order(listed(self.range) if count(self.domain) else ())
        sequence = arguments == tuple(range(1, len(arguments) + 1))
        for chosen in product(values, repeat=len(arguments)):
            yield chosen if sequence else Function(zip(arguments, chosen, strict=True))

    def __repr__(self) -> str:
        """As TLA+ writes it."""
        return f"[{_shown(self.domain)} -> {_shown(self.range)}]"


class Products(LazySet):
    r"""`a \X b \X c`, and the set of records with these sets by field: one set for each argument."""

    __slots__ = ("arguments", "factors")

    def __init__(self, factors: Sequence[AnySet], arguments: Sequence[str] | None = None) -> None:
        pairs = zip(arguments, factors, strict=True) if arguments is not None else ()
        by_name = sorted(pairs, key=lambda pair: pair[0])
        self.arguments: Final = tuple(name for name, _ in by_name) if arguments is not None else None
        self.factors: Final = tuple(each for _, each in by_name) if arguments is not None else tuple(factors)

    def __contains__(self, value: object) -> bool:
        """Whether it is a function with these arguments, each value an element of its set."""
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
        """The product of the sizes."""
        sizes = [count(each) for each in self.factors]
        if 0 in sizes:
            return 0
        return None if None in sizes else prod(each for each in sizes if each is not None)

    def elements(self) -> Iterator[Value]:
        """In the order of their values."""
        if 0 in map(count, self.factors):
            return
        for chosen in product(*(in_order(listed(each)) for each in self.factors)):
            yield chosen if self.arguments is None else Function(zip(self.arguments, chosen, strict=True))

    def __repr__(self) -> str:
        """As TLA+ writes it."""
        if self.arguments is None:
            return r" \X ".join(_shown(each) for each in self.factors)
        return f"[{', '.join(f'{a} : {_shown(b)}' for a, b in zip(self.arguments, self.factors, strict=True))}]"


class Sequences(LazySet):
    """`Seq(of)`."""

    __slots__ = ("of",)

    def __init__(self, of: AnySet) -> None:
        self.of: Final = of

    def __contains__(self, value: object) -> bool:
        """Whether it is a sequence of elements of `of`."""
        if isinstance(value, LazyFunction):
            value = value.whole()
        if isinstance(value, tuple):
            return all(member(each, self.of) for each in value)
        return not isinstance(value, Function) and _misfit(value, "function", self)

    def size(self) -> int | None:
        """None: infinitely many, unless there is nothing to make them of."""
        return 1 if count(self.of) == 0 else None

    def elements(self) -> Iterator[Value]:
        """The empty sequence, which alone is there where they are finitely many."""
        yield ()

    def __repr__(self) -> str:
        """As TLA+ writes it."""
        return f"Seq({_shown(self.of)})"


def within(bits: int, of: LazySet) -> int:
    """So many bits, as the number of elements of a set has. Raises Unevaluable where it is not worked out."""
    if bits > MOST_BITS:
        raise Unevaluable(f"the set {of!r} has too many elements for their number, of {bits} bits, to be worked out")
    return bits


def count(of: AnySet) -> int | None:
    """How many elements a set has; None for infinitely many."""
    return of.size() if isinstance(of, LazySet) else len(of)


def _same_domain(value: "tuple[Value, ...] | Function", elements: AnySet) -> bool:
    """Whether a function has this domain."""
    if isinstance(value, tuple) and isinstance(elements, Interval):
        return elements.size() == len(value) and (not value or elements.low == 1)
    return count(elements) == len(value) and all(member(each, elements) for each in domain(value))


def _misfit(value: object, wanted: str, of: LazySet) -> bool:
    """False for a value of this kind, or a model value. Raises Unevaluable for any other."""
    if kind(value) == wanted or isinstance(value, ModelValue):
        return False
    raise Unevaluable(f"whether {_shown(value)} is an element of {of!r} cannot be told: it is no {wanted}")


def _shown(value: Value) -> str:
    from schedcheck.checker.language.values.showing import short

    return short(value)
