"""Proofs that no set of victims is better: the learned clauses, which leave no model for a better set.

A proof is checked again from its parts: each refusal by the specification, and the missing model by a new solver with
only the limits and the clauses, or by trees that refute integer programs.
"""

from dataclasses import dataclass

import z3

from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.victims.judges import Objection
from schedcheck.checker.victims.problem import Counts, Question
from schedcheck.checker.victims.program import Tree, programs, refuted
from schedcheck.spec.objects import Pod

BY_SOLVER, BY_SUMS, BY_PROGRAMS, BY_REFUSAL = "solver", "sums", "programs", "refusal"
"""The means of a proof: a fresh solver; sums over the limits alone; integer programs without a solution; one refusal that
no eviction lifts."""


@dataclass(frozen=True)
class Clause:
    """A refused set of victims, as numbers of each class, with the reasons; `antitone` if subsets are refused too."""

    refused: Counts
    antitone: bool
    objections: tuple[Objection, ...]

    def stated(self, question: Question) -> z3.BoolRef:
        """Return the learned formula: one more pod must be evicted, or only that it is not this set."""
        return question.more_than(self.refused) if self.antitone else question.other_than(self.refused)

    def holds(self, question: Question) -> bool:
        """Whether the specification confirms the refusal."""
        victims = question.victims(self.refused)
        return not question.feasible(victims) and (
            not self.antitone or any(each.antitone for each in question.objections(victims))
        )


@dataclass(frozen=True)
class Proof:
    """A proof that no set is better than `victims`, or, if they are None, that none suffices; `by` is its means.

    `trees` has one for each program of a better set.
    """

    clauses: tuple[Clause, ...]
    victims: frozenset[Pod] | None
    by: str = BY_SOLVER
    trees: tuple[Tree, ...] = ()

    def holds(self, question: Question) -> bool:
        """Whether the specification confirms all refusals."""
        return all(clause.holds(question) for clause in self.clauses)

    def without_solution(self, question: Question) -> bool:
        """Whether the trees prove that no program of a better set has a solution."""
        if self.victims is None:
            return False
        stated = tuple(programs(question, self.victims))
        return len(stated) == len(self.trees) and all(map(refuted, stated, self.trees))


def proved(proof: Proof, question: Question, spent: Spent) -> bool:
    """Whether the proof holds when it is checked again. Raises Beyond if there is no time left for it."""
    if proof.victims is None:
        return proof.holds(question) and not spent.check(taught(proof, question))
    return question.feasible(proof.victims) and none_better(proof, question, proof.victims, spent)


def none_better(proof: Proof, question: Question, victims: frozenset[Pod] | None, spent: Spent) -> bool:
    """Whether the clauses prove that no set is better than `victims`, which may be on another node."""
    if victims is None or not proof.holds(question):
        return False
    solver = taught(proof, question)
    return not any(spent.check(solver, case) for case in better(question, victims))


def taught(proof: Proof, question: Question) -> z3.Solver:
    """Return a solver with only the limits and the clauses."""
    solver = question.solver()
    solver.add(*(clause.stated(question) for clause in proof.clauses))
    return solver


def better(question: Question, victims: frozenset[Pod]) -> list[z3.BoolRef]:
    """Return formulas whose disjunction states a lower casualty: one criterion is lower, and no earlier one is higher."""
    cases: list[z3.BoolRef] = []
    before: list[z3.BoolRef] = []
    for objective in question.objectives:
        cases += [z3.And(*before, case) for case in objective.less(victims)]
        before.append(objective.no_more(victims))
    return cases
