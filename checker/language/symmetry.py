"""Values under a permutation of model values, and the least image of a state."""

from collections.abc import Callable, Mapping, Sequence

from schedcheck.checker.language.ordering import compare
from schedcheck.checker.language.system import State
from schedcheck.checker.language.values import (
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
    """The value with each model value in it moved."""
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
    """All permutations that some make together, without the identity."""
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


def canonical(permutations: Sequence[Permutation]) -> Callable[[State], State]:
    """What gives the least image of a state under some permutations, which must be all of a group."""
    known: dict[tuple[int, Value], Value] = {}

    def image(number: int, value: Value) -> Value:
        found = known.get((number, value))
        if found is None:
            if len(known) > 200_000:
                known.clear()
            found = known[number, value] = moved(value, permutations[number])
        return found

    def least(state: State) -> State:
        best = state
        for number in range(len(permutations)):
            best = _lesser(best, state, number)
        return best

    def _lesser(best: State, state: State, number: int) -> State:
        made = []
        decided = False
        for position, value in enumerate(state):
            new = image(number, value)
            if not decided and new is not best[position]:
                order = compare(new, best[position])
                if order > 0:
                    return best
                decided = order < 0
            made.append(new)
        return tuple(made) if decided else best

    return least
