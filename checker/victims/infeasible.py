"""The reasons why no eviction makes a pod feasible on a node, in words: `reasons`.

Either a filter refuses the node even without all potential victims, and would do so with more pods too. Or some demands
cannot be met together: an unsat core of the formulas for z3.
"""

from collections.abc import Iterable

import z3

from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.victims.least import Least
from schedcheck.checker.victims.problem import Question
from schedcheck.checker.victims.proof import Clause

Demand = tuple[str, z3.BoolRef]
"""A formula for z3, with its meaning in words."""


def reasons(found: Least) -> tuple[str, ...]:
    """Return why there is no set of victims, one sentence each; empty if there is one, or if it is unknown."""
    question = found.question
    if found.victims is not None or not found.proved:
        return ()
    if question.final:
        who = "all of them gone" if question.jeopardy else "no pod of lower priority to evict"
        return tuple(f"with {who}, {each.filter} still refuses: {each.reason}" for each in question.final)
    return tuple(words for words, _ in core(question, found.proof.clauses))


def core(question: Question, clauses: Iterable[Clause]) -> tuple[Demand, ...]:
    """Return a minimal unsat core of the limits and the learned clauses."""
    demands = [*_limits(question), *_learned(question, tuple(clauses))]
    kept = list(demands)
    for demand in demands:
        fewer = [each for each in kept if each is not demand]
        if not _possible(question, fewer):
            kept = fewer
    return tuple(kept)


def _possible(question: Question, demands: list[Demand]) -> bool:
    solver = z3.SolverFor("QF_LIA")
    solver.add(*question.numbers, *(formula for _, formula in demands))
    return Spent().check(solver)


def _limits(question: Question) -> list[Demand]:
    """Return the limits of which something must be freed, as demands."""
    return [(f"{limit} must be freed", question.stated(limit)) for limit in question.limits if limit.needed > 0]


def _learned(question: Question, clauses: tuple[Clause, ...]) -> list[Demand]:
    """Return the learned clauses as demands.

    Each antitone refusal is one demand; the others with equal reasons are one together.
    """
    others: dict[str, list[z3.BoolRef]] = {}
    demands = []
    for clause in clauses:
        why = " and ".join(tuple(f"{each.filter} refuses ({each.reason})" for each in clause.objections))
        if clause.antitone:
            staying = sorted(str(pod) for pod in question.jeopardy - question.victims(clause.refused))
            who = f"one of {', '.join(staying)}" if len(staying) > 1 else staying[0]
            demands.append((f"{who} must be evicted: {why}", clause.stated(question)))
        else:
            others.setdefault(why, []).append(clause.stated(question))
    return [*demands, *((f"{why} after {_sets(len(taught))}", z3.And(*taught)) for why, taught in others.items())]


def _sets(number: int) -> str:
    return (
        "one set of evictions that would do without it"
        if number == 1
        else (f"each of {number} sets of evictions, or classes of them, that would do without it")
    )
