"""Choices that upstream leaves to the order of a hash table: `Choices`, and every result that they lead to: `every`."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TypeVar

Thing = TypeVar("Thing")
Result = TypeVar("Result")


class Choices:
    """The choices of one run: those that it was given, then the first option of each further one."""

    def __init__(self, given: tuple[int, ...] = ()) -> None:
        self._given = given
        self.made: list[tuple[int, int]] = []
        """Each choice, with the number of its options."""

    def of(self, options: Sequence[Thing]) -> Thing:
        """Return one of the options."""
        if len(options) == 1:
            return options[0]
        place = len(self.made)
        chosen = self._given[place] if place < len(self._given) else 0
        self.made.append((chosen, len(options)))
        return options[chosen]

    def some(self, things: Sequence[Thing], number: int) -> Sequence[Thing]:
        """Return so many of these things, whichever; all if there are not more."""
        return things if len(things) <= number else self.of(list(combinations(things, number)))

    def order(self, things: Sequence[Thing]) -> list[Thing]:
        """Return these things in some order."""
        left, ordered = list(things), []
        while left:
            chosen = self.of(left)
            left.remove(chosen)
            ordered.append(chosen)
        return ordered


def every(run: Callable[[Choices], Result]) -> Iterator[Result]:
    """Yield the result of a run for each way in which its choices may be made."""
    left: list[tuple[int, ...]] = [()]
    while left:
        given = left.pop()
        choices = Choices(given)
        yield run(choices)
        made = [chosen for chosen, _ in choices.made]
        for place in range(len(given), len(made)):
            options = choices.made[place][1]
            left.extend((*made[:place], other) for other in range(options - 1, 0, -1))
