"""The premises of properties, looked for in a tabulated exploration: `looked_for`, `vacuous`.

A premise that a step meets is turned into a property of evictions that looks at the victims alone and that such a step
breaks. So it is found in the same way as a violation. If a state meets it, the states are searched afterwards until one
does.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from schedcheck.checker.properties.vacuity import Vacuous, unmet
from schedcheck.checker.tabulated.layout.layout import Truths, Words
from schedcheck.checker.tabulated.loops.runs import in_pieces
from schedcheck.checker.tabulated.results.truths import OfAPod, OfEach, Predicate, asking
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.spec.properties.kinds import Can, Premise, Property, Step, Temporal, premises


def looked_for(questions: Sequence[Property]) -> Iterator[tuple[Premise, Step]]:
    """Yield each premise that is met by a step, with the property that such a step breaks."""
    for question in questions:
        for premise in premises(question):
            if premise.taken is not None:
                yield premise, _broken_by(premise, f"never_evicted(premise of {question.name})")


def _broken_by(premise: Premise, name: str) -> Step:
    taken = premise.taken
    assert taken is not None
    return Step(name, "", premise.kinds, lambda before, action, after: not taken(before, action, after))


def vacuous(
    explorer: Explorer, questions: Sequence[Property], places: Mapping[int, Premise], changing: Collection[type]
) -> Vacuous:
    """Return the properties that were never put to the test; `places` has the premises by their numbers.

    `changing` has the kinds of the steps that change something.
    """
    of_steps = [places[number] for number in sorted(explorer.met)]
    coverage = dict(zip(explorer.plan.machine.kinds(), explorer.coverage, strict=True))
    of_whom = {premise: question for question in questions for premise in premises(question)}

    def met(premise: Premise) -> bool:
        if premise in of_steps:
            return True
        return premise.when is not None and _reached(explorer, of_whom[premise], premise, premise.when)

    return unmet(questions, coverage, changing, met)


def _reached(explorer: Explorer, question: Property, premise: Premise, when: Predicate) -> bool:
    """Whether the premise's predicate holds in a known state."""
    plan = explorer.plan
    asked: list[Callable[[Words], Truths]] = []
    if premise.of_pods:
        asked += (OfAPod(plan, slot, when) for slot in range(len(plan.scenario.pods)))
    elif isinstance(question, Can | Temporal):
        asked.append(asking(plan, question, when))
    else:
        asked.append(OfEach(plan, when))
    return any(each(piece).any() for level in explorer.levels for piece in in_pieces(level) for each in asked)
