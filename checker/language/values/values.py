"""The values of TLA+, as Python objects.

- TRUE and FALSE are the two `Truth`s. They are not Python's, since True equals 1 there and both may occur in one dict.
- An integer is an `int`, a string a `str`, a model value a `ModelValue`.
- A function with domain 1..n is the `tuple` of its values, any other a `Function`. So sequences, records and functions
  that are the same function are the same value.
- A set that stores its elements is a `FiniteSet`, any other a `LazySet` (`checker.language.values.lazy`). A function
  that does not store its values is a `LazyFunction`.

All are frozen and hashable, and equality and hashing agree across the representations. TLC refuses to compare values of
different kinds; so does `equal`, where the answer depends on it. A model value differs from every other value.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NoReturn

from schedcheck.checker.language.syntax.errors import Unevaluable

Value = Any


"""Truth, int, str, ModelValue, tuple, Function, FiniteSet, LazySet or LazyFunction."""


ENUMERABLE = 10_000_000
"""The most elements of a set that is enumerated."""

WRITTEN_OUT = 1_000_000
"""The most elements of a lazy set that is stored: TLC's default limit."""

MOST_BITS = 1 << 20
"""The most bits of a number that is computed."""


class Truth:
    """TRUE or FALSE."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name: Final = name

    def __repr__(self) -> str:
        """Return its TLA+ text."""
        return self.name

    def __reduce__(self) -> str:
        """Return its name in this module: there is only one of it."""
        return self.name

    def __bool__(self) -> bool:
        """Raise TypeError: a value may be anything, so code must test `is TRUE`."""
        raise TypeError(f"{self.name} is a value of TLA+, and none of Python")


TRUE, FALSE = Truth("TRUE"), Truth("FALSE")


def truth(holds: bool) -> Truth:
    """Return the TLA+ truth value."""
    return TRUE if holds else FALSE


class ModelValue:
    """A value that equals only itself. Equal names mean the same model value: use `ModelValue.named`."""

    __slots__ = ("name",)
    _known: dict[str, "ModelValue"] = {}  # noqa: RUF012  every model value there is, on purpose

    def __init__(self, name: str) -> None:
        self.name: Final = name

    @classmethod
    def named(cls, name: str) -> "ModelValue":
        """Return the model value of this name."""
        return cls._known.setdefault(name, cls(name))

    def __reduce__(self) -> Any:
        """Return how to find the model value in another process."""
        return ModelValue.named, (self.name,)

    def __repr__(self) -> str:
        """Return its name."""
        return self.name


def _frozen(*_: object, **__: object) -> NoReturn:
    raise TypeError("a value of TLA+ never changes")


class Function(dict[Value, Value]):
    """A function that is not a sequence, as a dict from its domain to its values."""

    __slots__ = ("_hash",)

    def __hash__(self) -> int:  # type: ignore[override]
        """Return a hash that equal functions share, computed once."""
        try:
            return self._hash
        except AttributeError:
            self._hash: int = hash(frozenset(self.items()))
            return self._hash

    def __reduce__(self) -> Any:
        """Return how to make it in another process."""
        return Function, (dict(self),)

    __setitem__ = __delitem__ = __ior__ = _frozen
    clear = pop = popitem = setdefault = update = _frozen


class FiniteSet(frozenset[Value]):
    """A set that stores its elements; `ordered` has them in TLC's order, once that is known.

    `listed` has the elements in another order, which is often nearly sorted.
    """

    __slots__ = ("listed", "ordered")
    listed: tuple[Value, ...]
    ordered: tuple[Value, ...]

    def __reduce__(self) -> Any:
        """Return how to make it in another process, in TLC's order if that is known."""
        known = getattr(self, "ordered", None)
        return (FiniteSet, (tuple(self),)) if known is None else (in_order_already, (known,))


def in_order_already(elements: tuple[Value, ...]) -> FiniteSet:
    """Return the set of these elements, which are in TLC's order."""
    made = FiniteSet(elements)
    made.ordered = elements
    return made


class LazySet:
    """A set that does not store its elements; it equals any other set with the same elements."""

    __slots__ = ("_whole",)
    _whole: FiniteSet

    @abstractmethod
    def __contains__(self, value: object) -> bool:
        """Whether the value is an element. Raises Unevaluable if TLC could not compare it with an element."""

    @abstractmethod
    def size(self) -> int | None:
        """Return the number of elements; None for infinitely many."""

    @abstractmethod
    def elements(self) -> Iterator[Value]:
        """Yield each element once, in TLC's order if that needs no sorting."""

    def __iter__(self) -> Iterator[Value]:
        """Yield the elements. Raises Unevaluable if they are too many."""
        self.countable()
        return self.elements()

    def countable(self) -> int:
        """Return the number of elements. Raises Unevaluable if they are too many to enumerate."""
        size = self.size()
        if size is None:
            raise Unevaluable(f"the set {self!r} is infinite and cannot be enumerated")
        if size > ENUMERABLE:
            raise Unevaluable(
                f"the set {self!r} has {in_digits(size)} elements; more than {ENUMERABLE} are not enumerated"
            )
        return size

    def whole(self) -> FiniteSet:
        """Return the set with its elements stored, computed once. Raises Unevaluable if they are too many."""
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
        """Return the hash of the stored set; for an infinite set, the hash of its expression."""
        return hash(repr(self)) if self.size() is None else hash(self.whole())

    def __eq__(self, other: object) -> bool:
        """Whether both sets have the same elements; infinite sets are compared by their expressions."""
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
        """Whether two sets are equal, at least one of which is infinite. Raises Unevaluable if that is unknown."""
        if (self.size() is None) != (other.size() is None):
            return False
        if type(self) is type(other) and repr(self) == repr(other):
            return True
        raise Unevaluable(f"the infinite sets {self!r} and {other!r} cannot be compared")


AnySet = FiniteSet | LazySet


class LazyFunction:
    """A function that is evaluated when it is applied: it is recursive, its domain is infinite, or some value fails."""

    __slots__ = ("_apply", "_known", "_whole", "domain")
    _whole: "tuple[Value, ...] | Function"

    def __init__(self, domain: AnySet, apply: Any) -> None:
        self.domain: Final = domain
        self._apply = apply
        self._known: dict[Value, Value] = {}

    def __call__(self, argument: Value) -> Value:
        """Return the value at the argument, computed once. Raises Unevaluable outside the domain."""
        known = self._known.get(argument)
        if known is None:
            if argument not in self.domain:
                raise Unevaluable("the function is applied to a value outside its domain")
            known = self._known[argument] = self._apply(argument)
        return known

    def whole(self) -> "tuple[Value, ...] | Function":
        """Return the function with its values stored, computed once. Raises Unevaluable if the domain is too large."""
        try:
            return self._whole
        except AttributeError:
            self._whole = function({each: self(each) for each in self.domain})
            return self._whole

    def __hash__(self) -> int:
        """Return the hash of the stored function."""
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
    """Return the kind of a value; values of one kind can be compared."""
    return KINDS.get(type(value), "set")


def whole(value: Value) -> Value:
    """Return the value; a lazy set or function is replaced by a stored one."""
    return value.whole() if isinstance(value, LazySet | LazyFunction) else value


def function(values: Mapping[Value, Value]) -> "tuple[Value, ...] | Function":
    """Return the function with these values by argument."""
    count = len(values)
    if count == 0:
        return ()
    if 1 in values and all(number in values for number in range(2, count + 1)):
        return tuple([values[number] for number in range(1, count + 1)])
    return Function(values)


def finite_set(elements: Iterable[Value]) -> FiniteSet:
    """Return the set of these elements. Raises Unevaluable if TLC could not compare them."""
    made = FiniteSet(elements)
    kinds = set(map(type, made))
    if len(kinds) > 1:
        comparable(made)
    return made


def in_digits(number: int) -> str:
    """Return the number's digits or, for a very long number, the power of two it reaches."""
    return str(number) if number.bit_length() <= 1000 else f"at least 2^{number.bit_length() - 1}"


EMPTY = FiniteSet()


BOOLEAN = FiniteSet((FALSE, TRUE))


def comparable(elements: Iterable[Value]) -> None:
    """Raise Unevaluable unless these values can be compared with each other."""
    first: Value = None
    for each in elements:
        if isinstance(each, ModelValue):
            continue
        if first is None:
            first = each
        elif kind(first) != kind(each):
            raise unlike(first, each)


def unlike(left: Value, right: Value) -> Unevaluable:
    """Return the error that two values cannot be compared."""
    pair = sorted((left, right), key=kind)
    return Unevaluable(" and ".join(f"the {kind(each)} {short(each)}" for each in pair) + " cannot be compared")


SHORT = 120
"""The most characters of a value in a message."""

_TEXTS: list[Callable[[Value], str]] = []


def shows(text: Callable[[Value], str]) -> Callable[[Value], str]:
    """Register the text of values. Sets are written in an order, and so it lies above the values and their order."""
    _TEXTS.append(text)
    return text


def short(value: Value) -> str:
    """Return the text of the value, shortened if it is long."""
    text = _TEXTS[0](value)
    return text if len(text) <= SHORT else text[: SHORT - 3] + "..."
