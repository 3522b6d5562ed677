"""Why no set of victims is better: what a search learned, and the question that has no answer because of it.

A proof is gone through again from its parts: each refusal is put to the specification once more, and a solver that
knows nothing but the limits and what the refusals teach is asked once more for anything better.
"""

from dataclasses import dataclass

import z3

from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.victims.judges import Objection
from schedcheck.checker.victims.problem import Counts, Question
from schedcheck.spec.objects import Pod

BY_SOLVER, BY_SUMS, BY_REFUSAL = "solver", "sums", "refusal"
"""The means of a proof: a fresh solver; sums over the limits alone; one refusal that no eviction lifts."""


@dataclass(frozen=True)
class Clause:
    """A set of victims that was refused, in numbers of each class, and why; `antitone` if no part of it would do either."""

    refused: Counts
    antitone: bool
    objections: tuple[Objection, ...]

    def stated(self, question: Question) -> z3.BoolRef:
        """What it teaches: that somebody else must go as well, or only that it is not this set."""
        return question.more_than(self.refused) if self.antitone else question.other_than(self.refused)

    def holds(self, question: Question) -> bool:
        """Whether the specification refuses it still."""
        victims = question.victims(self.refused)
        return not question.feasible(victims) and (
            not self.antitone or any(each.antitone for each in question.objections(victims))
        )


@dataclass(frozen=True)
class Proof:
    """Why nothing is better than `victims`, or, where they are None, why no set will do; and by what means it is shown."""

    clauses: tuple[Clause, ...]
    victims: frozenset[Pod] | None
    by: str = BY_SOLVER

    def holds(self, question: Question) -> bool:
        """Whether the specification still refuses all that was refused."""
        return all(clause.holds(question) for clause in self.clauses)


def proved(proof: Proof, question: Question, spent: Spent) -> bool:
    """Whether the proof holds, gone through again. Raises Beyond where there is no time left for it."""
    if proof.victims is None:
        return proof.holds(question) and not spent.check(taught(proof, question))
    return question.feasible(proof.victims) and none_better(proof, question, proof.victims, spent)


def none_better(proof: Proof, question: Question, victims: frozenset[Pod] | None, spent: Spent) -> bool:
    """Whether what was learned proves that no set is better than `victims`, who may be of another node."""
    if victims is None or not proof.holds(question):
        return False
    solver = taught(proof, question)
    return not any(spent.check(solver, case) for case in better(question, victims))


def taught(proof: Proof, question: Question) -> z3.Solver:
    """A solver that knows nothing but the limits and what the refusals teach."""
    solver = question.solver()
    solver.add(*(clause.stated(question) for clause in proof.clauses))
    return solver


def better(question: Question, victims: frozenset[Pod]) -> list[z3.BoolRef]:
    """Cases that together state that the casualty is less: one criterion is, and none before it is more."""
    cases: list[z3.BoolRef] = []
    before: list[z3.BoolRef] = []
    for objective in question.objectives:
        cases += [z3.And(*before, case) for case in objective.less(victims)]
        before.append(objective.no_more(victims))
    return cases
