"""Properties that hold vacuously, because they were never put to the test: `Unmet`, the premises not met so far.

A property is put to the test once each of its premises was met. A step meets a premise by its kind, or by a predicate
on the step; a state by a predicate. For properties that steps cease or are not repeated, only steps that change something count.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from schedcheck.checker.result import Result, Verdict
from schedcheck.spec.properties.kinds import Ceases, Once, Premise, Property, premises

Vacuous = tuple[tuple[str, str], ...]
"""The names of properties that were never put to the test, each with the reason."""


class Unmet:
    """The unmet premises with a predicate on states or steps; premises on the kind of steps are met by their counts."""

    def __init__(self, questions: Sequence[Property]) -> None:
        self.questions = tuple(questions)
        asked = [each for question in questions for each in premises(question)]
        self.of_states = [each for each in asked if each.when is not None]
        self._of_steps = [each for each in asked if each.taken is not None]
        self._met: list[Premise] = []

    def state(self, snapshot: Any) -> None:
        """Note the premises that a reached state meets."""
        if self.of_states:
            self._meet([each for each in self.of_states if each.when is not None and each.when(snapshot)])

    def looks_at(self, kind: type) -> bool:
        """Whether a step of this kind may meet a premise by a predicate."""
        return any(kind in each.kinds for each in self._of_steps)

    def step(self, before: Any, action: Any, after: Any) -> None:
        """Note the premises that a step meets."""
        kind = type(action)
        self._meet(
            [each for each in self._of_steps if kind in each.kinds and each.taken and each.taken(before, action, after)]
        )

    def _meet(self, found: Iterable[Premise]) -> None:
        for each in found:
            self._met.append(each)
            self.of_states = [other for other in self.of_states if other != each]
            self._of_steps = [other for other in self._of_steps if other != each]

    def vacuous(self, coverage: Mapping[type, int], changing: Collection[type]) -> Vacuous:
        """Return the properties with an unmet premise, and the first such premise.

        `coverage` counts the steps by kind, `changing` has the kinds of steps that change something.
        """
        return unmet(self.questions, coverage, changing, lambda each: each in self._met)


def unmet(
    questions: Iterable[Property],
    coverage: Mapping[type, int],
    changing: Collection[type],
    met: Callable[[Premise], bool],
) -> Vacuous:
    """Return the properties with a premise that neither a kind of step nor `met` meets, and the reason of the first."""

    def is_met(question: Property, each: Premise) -> bool:
        counted = (
            changing if isinstance(question, Ceases | Once) else [kind for kind, count in coverage.items() if count]
        )
        return (each.taken is None and any(kind in counted for kind in each.kinds)) or met(each)

    found = (
        (question, next((each for each in premises(question) if not is_met(question, each)), None))
        for question in questions
    )
    return tuple((question.name, each.unmet) for question, each in found if each is not None)


def judged(result: Result, groups: Iterable[Sequence[Property]]) -> Verdict:
    """Return the verdict: "holds" becomes vacuous if all properties of some group are vacuous.

    A group is the properties that one text names; the default properties form one group.
    """
    untested = {name for name, _ in result.vacuous}
    if result.verdict is Verdict.HOLDS and any(group and {each.name for each in group} <= untested for group in groups):
        return Verdict.VACUOUS
    return result.verdict
