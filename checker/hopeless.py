"""Why no eviction makes a pod feasible on a node, in words: `reasons`.

Either a filter refuses the node even without all of Jeopardy, and would with more pods there; or each of some demands
could be met, but not all of them at once: a least part of what z3 was told that has no answer together.
"""

from collections.abc import Iterable

import z3

from schedcheck.checker.effort import Spent
from schedcheck.checker.proof import Clause
from schedcheck.checker.question import Question
from schedcheck.checker.victims import Least

Demand = tuple[str, z3.BoolRef]
"""What z3 was told, and the same in words."""


def reasons(found: Least) -> tuple[str, ...]:
    """Why there is no set of victims, a sentence each; empty where there is one, or where it is not known that there is none."""
    question = found.question
    if found.victims is not None or not found.proved:
        return ()
    final = [each for each in question.objections(question.jeopardy) if each.antitone]
    if final:
        who = "all of them gone" if question.jeopardy else "nobody of lower priority there to evict"
        return tuple(f"with {who}, {each.filter} still refuses: {each.reason}" for each in final)
    return tuple(words for words, _ in core(question, found.proof.clauses))


def core(question: Question, clauses: Iterable[Clause]) -> tuple[Demand, ...]:
    """A part of the limits and of what was learned that has no answer, and of which each part has one."""
    demands = [*_limits(question), *_learned(question, tuple(clauses))]
    kept = list(demands)
    for demand in demands:
        fewer = [each for each in kept if each is not demand]
        if not _possible(question, fewer):
            kept = fewer
    return tuple(kept)


def _possible(question: Question, demands: list[Demand]) -> bool:
    solver = question.solver()
    solver.add(*(formula for _, formula in demands))
    return Spent().check(solver)


def _limits(question: Question) -> list[Demand]:
    """What must be freed."""
    return [(f"{limit} must be freed", question.stated(limit)) for limit in question.limits if limit.needed > 0]


def _learned(question: Question, clauses: tuple[Clause, ...]) -> list[Demand]:
    """What the refusals teach, those for the same reasons together."""
    grouped: dict[tuple[str, ...], list[z3.BoolRef]] = {}
    for clause in clauses:
        words = tuple(f"{each.filter} refuses ({each.reason})" for each in clause.objections)
        grouped.setdefault(words, []).append(clause.stated(question))
    return [
        (f"{' and '.join(words)} as soon as enough are gone, in {len(taught)} of the sets tried", z3.And(*taught))
        for words, taught in grouped.items()
    ]
