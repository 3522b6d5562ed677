r"""Set operators: \cup, \cap, \ and \subseteq, also for lazy sets."""

from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.equality import member
from schedcheck.checker.language.values.lazy import ANY, INT, NAT, REAL, Sequences, Subsets, count
from schedcheck.checker.language.values.ordering import listed
from schedcheck.checker.language.values.tested import Conditional
from schedcheck.checker.language.values.values import AnySet, FiniteSet, LazySet, Value, finite_set, short


def subset(left: AnySet, right: AnySet) -> bool:
    """Whether `left` is a subset of `right`. Raises Unevaluable if that is unknown."""
    if isinstance(left, LazySet) and left.size() is None:
        return _infinite_subset(left, right)
    return all(member(each, right) for each in listed(left))


def _infinite_subset(left: LazySet, right: AnySet) -> bool:
    """Decide the few clear cases, for an infinite left set. Raises Unevaluable in the others.

    An infinite set is no subset of a finite one; Nat is a subset of Int; Seq(S) is one of Seq(T) if S is one of T.
    """
    if count(right) is not None:
        return False
    if left is right or (left, right) in {(NAT, INT), (NAT, REAL), (INT, REAL)} or right is ANY:
        return True
    if isinstance(left, Sequences) and isinstance(right, Sequences):
        return subset(left.of, right.of)
    if isinstance(left, Subsets) and isinstance(right, Subsets):
        return subset(left.of, right.of)
    raise Unevaluable(f"whether the infinite set {left!r} is a subset of {right!r} is not known")


def united(left: AnySet, right: AnySet) -> AnySet:
    r"""Return `left \cup right`."""
    if count(left) is not None and count(right) is not None:
        return finite_set(_written(left) | _written(right))
    return Conditional(rf"({short(left)} \cup {short(right)})", lambda each: each in left or each in right)


def common(left: AnySet, right: AnySet) -> AnySet:
    r"""Return `left \cap right`."""
    for one, other in ((left, right), (right, left)):
        if count(one) is not None:
            return _in_order([each for each in listed(one) if member(each, other)])
    return Conditional(rf"({short(left)} \cap {short(right)})", lambda each: each in left and each in right)


def without(left: AnySet, right: AnySet) -> AnySet:
    r"""Return `left \ right`."""
    if count(left) is not None:
        return _in_order([each for each in listed(left) if not member(each, right)])
    return Conditional(rf"({short(left)} \ {short(right)})", lambda each: each in left and not member(each, right))


def _in_order(elements: list[Value]) -> FiniteSet:
    """Return the set of these elements, which are in TLC's order."""
    made = FiniteSet(elements)
    made.ordered = tuple(elements)
    return made


def _written(elements: AnySet) -> FiniteSet:
    return elements.whole() if isinstance(elements, LazySet) else elements
