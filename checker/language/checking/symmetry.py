"""Values under permutations of model values, and symmetry orbits of states.

A state is known if any of its images is known. So no canonical form and no order of values are needed.
"""

from collections.abc import Iterator, Mapping, Sequence

from schedcheck.checker.language.evaluation.system import State
from schedcheck.checker.language.values.values import (
    FiniteSet,
    Function,
    LazyFunction,
    LazySet,
    ModelValue,
    Value,
    function,
    whole,
)

Permutation = Mapping[ModelValue, ModelValue]


def moved(value: Value, permutation: Permutation) -> Value:
    """Return the value with the permutation applied to each model value in it."""
    if isinstance(value, LazySet | LazyFunction):
        value = whole(value)
    match value:
        case ModelValue():
            return permutation.get(value, value)
        case tuple():
            return tuple([moved(each, permutation) for each in value])
        case FiniteSet():
            return FiniteSet([moved(each, permutation) for each in value])
        case Function():
            return function({moved(each, permutation): moved(value[each], permutation) for each in value})
    return value


def group(generators: Sequence[Permutation]) -> list[dict[ModelValue, ModelValue]]:
    """Return the group that the permutations generate, without the identity."""
    moving = sorted({each for permutation in generators for each in permutation}, key=lambda each: each.name)
    start = tuple(moving)
    found = {start}
    left = [start]
    while left:
        images = left.pop()
        for permutation in generators:
            further = tuple(permutation.get(each, each) for each in images)
            if further not in found:
                found.add(further)
                left.append(further)
    return [dict(zip(moving, images, strict=True)) for images in sorted(found, key=str) if images != start]


MOST_KEPT = 200_000
"""The most images of values that are memoised."""


class Orbits:
    """The images of states under all permutations of a group except the identity."""

    def __init__(self, permutations: Sequence[Permutation]) -> None:
        self.permutations = permutations
        self._known: dict[tuple[int, Value], Value] = {}

    def images(self, state: State) -> Iterator[State]:
        """Yield the other states in the orbit."""
        for number in range(len(self.permutations)):
            yield tuple([self._image(number, value) for value in state])

    def _image(self, number: int, value: Value) -> Value:
        found = self._known.get((number, value))
        if found is None:
            if len(self._known) > MOST_KEPT:
                self._known.clear()
            found = self._known[number, value] = self._moved(number, value)
        return found

    def _moved(self, number: int, value: Value) -> Value:
        """Return the image of a value; images of a set's elements are memoised, as most are in many sets."""
        if type(value) is FiniteSet:
            return FiniteSet([self._image(number, each) for each in value])
        return moved(value, self.permutations[number])
