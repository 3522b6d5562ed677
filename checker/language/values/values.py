"""The values of TLA+: what they are in Python, and when two of them are the same.

- TRUE and FALSE are the two `Truth`s, which are no numbers: Python's True is 1, and they must never meet in one dict;
- an integer is an `int`, a string a `str`, a model value a `ModelValue`;
- a function whose domain is 1..n is the `tuple` of its values, any other a `Function`, so that sequences, records and
  functions that are the same function are the same value;
- a set with all its elements at hand is a `FiniteSet`; one that is not written out is a `LazySet`
  (`checker.language.values.lazy`), and a function on a domain that is not a `LazyFunction`.

All are frozen and hashable, and equality and hashing agree across the representations. TLC refuses to compare values
of different kinds; so does `equal`, where the answer depends on it. A model value is unlike everything else.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NoReturn

from schedcheck.checker.language.syntax.errors import Unevaluable

Value = Any


"""Truth, int, str, ModelValue, tuple, Function, FiniteSet, LazySet or LazyFunction."""


ENUMERABLE = 10_000_000
"""How many elements a set may have that is gone through."""

WRITTEN_OUT = 1_000_000
"""How many elements a set may have that is written out and kept: as many as TLC takes unless it is told otherwise."""

MOST_BITS = 1 << 20
"""How many bits a number may have that is worked out."""


class Truth:
    """TRUE or FALSE."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name: Final = name

    def __repr__(self) -> str:
        """As TLA+ writes it."""
        return self.name

    def __bool__(self) -> bool:
        """Never asked: whoever means TRUE says `is TRUE`, for a value may be anything."""
        raise TypeError(f"{self.name} is a value of TLA+, and none of Python")


TRUE, FALSE = Truth("TRUE"), Truth("FALSE")


def truth(holds: bool) -> Truth:
    """The truth as TLA+ has it."""
    return TRUE if holds else FALSE


class ModelValue:
    """A value that is equal to itself alone. Two of one name are one: `ModelValue.named`."""

    __slots__ = ("name",)
    _known: dict[str, "ModelValue"] = {}  # noqa: RUF012  every model value there is, on purpose

    def __init__(self, name: str) -> None:
        self.name: Final = name

    @classmethod
    def named(cls, name: str) -> "ModelValue":
        """The model value of this name."""
        return cls._known.setdefault(name, cls(name))

    def __repr__(self) -> str:
        """Its name."""
        return self.name


def _frozen(*_: object, **__: object) -> NoReturn:
    raise TypeError("a value of TLA+ never changes")


class Function(dict[Value, Value]):
    """A function that is no sequence: its values by the elements of its domain."""

    __slots__ = ("_hash",)

    def __hash__(self) -> int:  # type: ignore[override]
        """A number that equal functions share; found once."""
        try:
            return self._hash
        except AttributeError:
            self._hash: int = hash(frozenset(self.items()))
            return self._hash

    __setitem__ = __delitem__ = __ior__ = _frozen
    clear = pop = popitem = setdefault = update = _frozen


class FiniteSet(frozenset[Value]):
    """A set with all its elements; `ordered` is how TLC would list them, kept once it is known.

    `listed` are the elements in another order, one that takes little sorting.
    """

    __slots__ = ("listed", "ordered")
    listed: tuple[Value, ...]
    ordered: tuple[Value, ...]


class LazySet:
    """A set that is not written out; equal to any other way of giving the same elements."""

    __slots__ = ("_whole",)
    _whole: FiniteSet

    @abstractmethod
    def __contains__(self, value: object) -> bool:
        """Whether the value is an element. Raises Unevaluable where TLC could not compare it with one."""

    @abstractmethod
    def size(self) -> int | None:
        """How many elements there are; None for infinitely many."""

    @abstractmethod
    def elements(self) -> Iterator[Value]:
        """The elements, each once, in TLC's order as far as that needs no sorting."""

    def __iter__(self) -> Iterator[Value]:
        """The elements. Raises Unevaluable where they are too many."""
        self.countable()
        return self.elements()

    def countable(self) -> int:
        """How many elements there are. Raises Unevaluable where they are too many to be listed."""
        size = self.size()
        if size is None:
            raise Unevaluable(f"the set {self!r} is infinite and cannot be enumerated")
        if size > ENUMERABLE:
            raise Unevaluable(
                f"the set {self!r} has {in_digits(size)} elements; more than {ENUMERABLE} are not enumerated"
            )
        return size

    def whole(self) -> FiniteSet:
        """The set written out; done once. Raises Unevaluable where there are too many elements."""
        try:
            return self._whole
        except AttributeError:
            if self.countable() > WRITTEN_OUT:
                raise Unevaluable(
                    f"the set {self!r} has {self.size()} elements; more than {WRITTEN_OUT} are not written out"
                ) from None
            self._whole = finite_set(self)
            return self._whole

    def __hash__(self) -> int:
        """As the set written out has it; an infinite one is known by what it is made of."""
        return hash(repr(self)) if self.size() is None else hash(self.whole())

    def __eq__(self, other: object) -> bool:
        """Whether both have the same elements. Infinite ones are the same only where they are made of the same."""
        if self is other:
            return True
        if isinstance(other, LazySet):
            if self.size() is None or other.size() is None:
                return self.same(other)
            return self.size() == other.size() and self.whole() == other.whole()
        if isinstance(other, FiniteSet):
            return self.size() == len(other) and self.whole() == other
        return NotImplemented

    def same(self, other: "LazySet") -> bool:
        """Whether two sets, one of them infinite, are the same. Raises Unevaluable where that is not known."""
        if (self.size() is None) != (other.size() is None):
            return False
        if type(self) is type(other) and repr(self) == repr(other):
            return True
        raise Unevaluable(f"the infinite sets {self!r} and {other!r} cannot be compared")


AnySet = FiniteSet | LazySet


class LazyFunction:
    """A function that is worked out where it is applied: on an infinite domain, or one that calls itself."""

    __slots__ = ("_apply", "_known", "_whole", "domain")
    _whole: "tuple[Value, ...] | Function"

    def __init__(self, domain: AnySet, apply: Any) -> None:
        self.domain: Final = domain
        self._apply = apply
        self._known: dict[Value, Value] = {}

    def __call__(self, argument: Value) -> Value:
        """The value there; found once. Raises Unevaluable outside the domain."""
        known = self._known.get(argument)
        if known is None:
            if argument not in self.domain:
                raise Unevaluable("the function is applied to a value outside its domain")
            known = self._known[argument] = self._apply(argument)
        return known

    def whole(self) -> "tuple[Value, ...] | Function":
        """The function written out; done once. Raises Unevaluable where its domain is too large."""
        try:
            return self._whole
        except AttributeError:
            self._whole = function({each: self(each) for each in self.domain})
            return self._whole

    def __hash__(self) -> int:
        """As the function written out has it."""
        return hash(self.whole())

    def __eq__(self, other: object) -> bool:
        """Whether both are the same function."""
        if isinstance(other, LazyFunction):
            return self is other or self.whole() == other.whole()
        if isinstance(other, tuple | Function):
            return self.whole() == other
        return NotImplemented


KINDS: dict[type, str] = {
    Truth: "boolean",
    int: "integer",
    str: "string",
    tuple: "function",
    Function: "function",
    LazyFunction: "function",
    FiniteSet: "set",
    ModelValue: "model value",
}


def kind(value: Value) -> str:
    """Of which kind a value is: those of one kind can be compared."""
    return KINDS.get(type(value), "set")


def whole(value: Value) -> Value:
    """The value, written out where it is a set or a function that is not."""
    return value.whole() if isinstance(value, LazySet | LazyFunction) else value


def function(values: Mapping[Value, Value]) -> "tuple[Value, ...] | Function":
    """The function with these values by argument."""
    count = len(values)
    if count == 0:
        return ()
    if 1 in values and all(number in values for number in range(2, count + 1)):
        return tuple([values[number] for number in range(1, count + 1)])
    return Function(values)


def finite_set(elements: Iterable[Value]) -> FiniteSet:
    """The set of these elements. Raises Unevaluable where TLC could not compare them."""
    made = FiniteSet(elements)
    kinds = set(map(type, made))
    if len(kinds) > 1:
        comparable(made)
    return made


def in_digits(number: int) -> str:
    """The number, or for a very long one which power of two it reaches."""
    return str(number) if number.bit_length() <= 1000 else f"at least 2^{number.bit_length() - 1}"


EMPTY = FiniteSet()


BOOLEAN = FiniteSet((FALSE, TRUE))


def comparable(elements: Iterable[Value]) -> None:
    """Raise Unevaluable unless these values can be compared with one another."""
    first: Value = None
    for each in elements:
        if isinstance(each, ModelValue):
            continue
        if first is None:
            first = each
        elif kind(first) != kind(each):
            raise unlike(first, each)


def unlike(left: Value, right: Value) -> Unevaluable:
    """That two values cannot be compared."""
    from schedcheck.checker.language.values.showing import short

    pair = sorted((left, right), key=kind)
    return Unevaluable(" and ".join(f"the {kind(each)} {short(each)}" for each in pair) + " cannot be compared")
