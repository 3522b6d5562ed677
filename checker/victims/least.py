"""The least casualty among all sets of victims that make a pod feasible on a node, with a proof that it is least.

If sums over the limits prove a set least (`sums.py`), or no integer program of a better set has a solution
(`program.py`), z3 is not needed. Otherwise z3 is told how much of each resource and port must be freed. It searches
for a set that is better than the best so far, criterion by criterion. `feasibility` judges each proposal, and z3 learns
from a refusal: if an antitone filter refuses, one more pod must be evicted; if not, only this set is excluded. When no
better set is left, the learned clauses are the proof (`proof.py`).

A set is called least only with a proof: past a bound it is just the best so far.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import comb, prod

import z3

from schedcheck.checker.limits.clock import Beyond
from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.victims.branching import Programs
from schedcheck.checker.victims.casualty import Objective
from schedcheck.checker.victims.problem import Counts, Question
from schedcheck.checker.victims.proof import (
    BY_PROGRAMS,
    BY_REFUSAL,
    BY_SUMS,
    Clause,
    Proof,
    proved,
)
from schedcheck.checker.victims.sums import none_less, proposal
from schedcheck.spec.decisions import VictimSet


class Disagreement(Exception):
    """The criteria stated for z3 and the specification's casualty differ: a fault of this tool."""


@dataclass(frozen=True)
class Least:
    """The result for a pod on a node.

    `casualty` is that of the victims; both are None if no set is known that makes the pod feasible. If `proved`, the
    set is least, or there is none; if not, `stopped` is the bound that was reached. `rounds` counts the judged sets.
    """

    question: Question
    casualty: tuple[int, ...] | None
    proof: Proof
    proved: bool
    stopped: str
    rounds: int

    @property
    def victims(self) -> VictimSet | None:
        """The least set, or the best one found."""
        return self.proof.victims


def least(question: Question, spent: Spent | None = None) -> Least:
    """Return the least casualty of a pod on a node; the empty set if no eviction is needed.

    The solver is used only if neither a refusal without all potential victims nor sums nor programs prove the result.
    """
    if not question.within_reach:
        return Least(question, None, Proof((), None, BY_SUMS), True, "", 0)
    spent = spent or Spent()
    before = spent.rounds
    search: _Search | None = None
    best: VictimSet | None = None
    certain, stopped = False, ""
    try:
        spent.bound()
        if question.final:
            return _hopeless(question)
        best = _proposed(question, spent)
        if best is not None and none_less(question, best):
            return Least(question, question.casualty(best), Proof((), best, BY_SUMS), True, "", spent.rounds - before)
        stated = Programs(question, spent)
        best = _lightened(stated, best)
        if best is not None and (proof := _by_programs(stated, best)) is not None:
            return Least(question, question.casualty(best), proof, True, "", spent.rounds - before)
        search = _Search(question, spent)
        search.run(best)
        certain = proved(search.proof(), question, search.spent)
        stopped = "" if certain else "the proof fails its second check"
    except Beyond as bound:
        stopped = str(bound)
    except KeyboardInterrupt as end:
        stopped = spent.over(end)
    if search is None:
        casualty = None if best is None else question.casualty(best)
        return Least(question, casualty, Proof((), best), certain, stopped, spent.rounds - before)
    return search.answer(certain, stopped, before)


def _hopeless(question: Question) -> Least:
    """Return the result that no eviction helps: a refusal without all potential victims holds with any of them too."""
    all_pods = tuple(len(each.members) for each in question.classes)
    objections = question.objections(question.jeopardy)
    return Least(question, None, Proof((Clause(all_pods, True, objections),), None, BY_REFUSAL), True, "", 0)


def _proposed(question: Question, spent: Spent) -> VictimSet | None:
    """Return a set from sums that makes the pod feasible and is likely to be least, None if there is none."""
    return _sufficient(question, proposal(question), spent)


def _sufficient(question: Question, victims: VictimSet | None, spent: Spent) -> VictimSet | None:
    """Return the proposed victims if they make the pod feasible."""
    if victims is None:
        return None
    spent.judge()
    if not question.feasible(victims):
        return None
    if not question.agreed(victims):
        raise Disagreement(f"the casualty of {sorted(map(str, victims))}")
    return victims


def _lightened(stated: Programs, best: VictimSet | None) -> VictimSet | None:
    """Return a set that is likely to be least among those that meet the limits, or `best` if it is not sufficient."""
    found = stated.lightest(best)
    return best if found == best else _sufficient(stated.question, found, stated.spent) or best


def _by_programs(stated: Programs, victims: VictimSet) -> Proof | None:
    """Return a proof, checked again, that no program of a better set has a solution; None if there is none."""
    trees = stated.refutations(victims)
    proof = None if trees is None else Proof((), victims, BY_PROGRAMS, trees)
    return proof if proof is not None and proof.without_solution(stated.question) else None


@dataclass(frozen=True)
class LeastOfNodes:
    """The result for a pod over several nodes: the least one, None if no eviction helps on any node.

    If `proved`, it is least over all nodes; if not, `stopped` is the bound that was reached.
    """

    least: Least | None
    proved: bool
    stopped: str


def least_of_nodes(questions: Sequence[Question], spent: Spent | None = None) -> LeastOfNodes:
    """Return the least casualty over all nodes, one question each about the same pod.

    For a node without a set better than the best so far, only that is proved.
    """
    spent = spent or Spent()
    best: Least | None = None
    stopped = ""
    try:
        for question in sorted(_comparable(questions), key=_promise):
            if best is None or not _none_better(question, best, spent):
                found = least(question, spent)
                stopped = stopped or found.stopped
                if spent.ended:
                    break
                if found.casualty is not None and (best is None or found.casualty < (best.casualty or ())):
                    best = found
    except Beyond as bound:
        stopped = str(bound)
    return LeastOfNodes(best, not stopped, stopped)


def _none_better(question: Question, best: Least, spent: Spent) -> bool:
    """Whether sums or programs prove that no set on this node has less casualty than one on another node."""
    victims = best.victims
    if victims is None or not question.within_reach:
        return not question.within_reach
    return none_less(question, victims) or _by_programs(Programs(question, spent), victims) is not None


def _comparable(questions: Sequence[Question]) -> list[Question]:
    """Return the questions with the budgets of all nodes, which make their casualties comparable."""
    budgets = {budget.key: budget for question in questions for budget in question.snapshot.budgets}
    everywhere = tuple(budgets[key] for key in sorted(budgets))
    return [replace(each, snapshot=replace(each.snapshot, budgets=everywhere)) for each in questions]


def _promise(question: Question) -> tuple[bool, tuple[int, ...]]:
    """Return a sort key by the set that sums propose: less is more promising."""
    victims = proposal(question) if question.within_reach else None
    return victims is None, () if victims is None else question.casualty(victims)


class LeastSets:
    """All sets as good as the one found, in order; `stopped` if a bound was reached before all were found."""

    def __init__(self, question: Question, counts: tuple[Counts, ...], stopped: str) -> None:
        self.question = question
        self.counts = counts
        self.stopped = stopped

    def __len__(self) -> int:
        sizes = [len(each.members) for each in self.question.classes]
        return sum(prod(map(comb, sizes, counts)) for counts in self.counts)

    def __iter__(self) -> Iterator[VictimSet]:
        for counts in self.counts:
            chosen = (combinations(each.members, n) for each, n in zip(self.question.classes, counts, strict=True))
            for parts in product(*chosen):
                yield frozenset(pod for part in parts for pod in part)


def least_sets(found: Least, spent: Spent | None = None) -> LeastSets:
    """Return every set with the casualty that was found."""
    question, victims = found.question, found.victims
    search = _Search(question, spent or Spent(), found.proof.clauses)
    counts: list[Counts] = []
    stopped = found.stopped
    try:
        if victims is not None:
            for objective in search.objectives:
                search.pin(objective, victims)
            while (another := search.query()) is not None:
                counts.append(question.counts(another))
                search.solver.add(question.other_than(counts[-1]))
    except Beyond as bound:
        stopped = str(bound)
    except KeyboardInterrupt as end:
        stopped = search.spent.over(end)
    return LeastSets(question, tuple(sorted(counts, reverse=True)), stopped)


class _Search:
    """A solver, the learned clauses, and the best set so far."""

    def __init__(self, question: Question, spent: Spent, clauses: tuple[Clause, ...] = ()) -> None:
        self.question = question
        self.spent = spent
        self.clauses = list(clauses)
        self.best: VictimSet | None = None
        self.solver = question.solver()
        self.solver.add(*(clause.stated(question) for clause in clauses))

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """The objectives to minimize; not evaluated if no eviction helps."""
        return self.question.objectives

    def answer(self, certain: bool, stopped: str, before: int = 0) -> Least:
        """Return the result; `before` is the number of rounds spent before this search."""
        casualty = None if self.best is None else self.question.casualty(self.best)
        return Least(self.question, casualty, self.proof(), certain, stopped, self.spent.rounds - before)

    def proof(self) -> Proof:
        """Return the learned clauses as a proof about the best set so far."""
        return Proof(tuple(self.clauses), self.best)

    def run(self, best: VictimSet | None = None) -> None:
        """Minimize one criterion after the other, beginning with a known sufficient set, if given."""
        self.best = self.query() if best is None else best
        if self.best is not None:
            self.lessen(self.best)

    def lessen(self, best: VictimSet) -> None:
        """Minimize one criterion after the other, beginning with a sufficient set."""
        for objective in self.objectives:
            self.best = best = self.lessened(objective, best)
            self.pin(objective, best)

    def pin(self, objective: Objective, victims: VictimSet) -> None:
        """Require from now on that the objective is at most its value for these victims."""
        self.solver.add(objective.no_more(victims))

    def lessened(self, objective: Objective, best: VictimSet) -> VictimSet:
        """Return a set that minimizes the objective; of two parts the first is minimized first."""
        if objective.parts is None:
            return self.descended(objective, best)
        first, second = objective.parts
        better: VictimSet | None = best
        while better is not None:
            best = self.descended(first, better)
            best = self.descended(second, best, first.exactly(first.value(best)))
            better = next((found for case in objective.less(best) if (found := self.query(case)) is not None), None)
        return best

    def descended(self, objective: Objective, best: VictimSet, *within: z3.BoolRef) -> VictimSet:
        """Decrease the objective by steps that double on success, until its minimum is proved."""
        values = objective.values
        low, high, step = 0, bisect_left(values, objective.value(best)), 1
        while low < high:
            target = max(low, high - step)
            found = self.query(objective.at_most(values[target]), *within)
            if found is None:
                low, step = target + 1, 1
            else:
                self.best = best = found
                high, step = bisect_left(values, objective.value(found)), 2 * step
                if high > target:
                    raise Disagreement(f"{sorted(map(str, found))} are not what was asked for")
        return best

    def query(self, *demands: z3.BoolRef) -> VictimSet | None:
        """Return a set of victims that meets these demands and makes the pod feasible, None if there is none."""
        first = len(self.clauses)
        self.solver.push()
        self.solver.add(*demands)
        try:
            return self._judged()
        finally:
            self.solver.pop()
            self.solver.add(*(clause.stated(self.question) for clause in self.clauses[first:]))

    def _judged(self) -> VictimSet | None:
        question = self.question
        while self.spent.check(self.solver):
            self.spent.judge()
            counts = question.proposal(self.solver.model())
            victims = question.victims(counts)
            if question.feasible(victims):
                if question.casualty(victims) != tuple(each.value(victims) for each in self.objectives):
                    raise Disagreement(f"the casualty of {sorted(map(str, victims))}")
                return victims
            self.clauses.append(self._learned(counts))
            self.solver.add(self.clauses[-1].stated(question))
        return None

    def _learned(self, counts: Counts) -> Clause:
        """Return the clause learned from a refused set; for an antitone refusal, from a maximal refused superset."""
        if self._antitone(counts):
            counts = self._grown(counts, tuple(range(len(counts))))
        objections = self.question.objections(self.question.victims(counts))
        return Clause(counts, any(each.antitone for each in objections), objections)

    def _antitone(self, counts: Counts) -> bool:
        return any(each.antitone for each in self.question.objections(self.question.victims(counts)))

    def _grown(self, counts: Counts, places: tuple[int, ...]) -> Counts:
        """Return the refused set enlarged by whole classes while it stays refused, by bisection of the classes."""
        sizes = [len(each.members) for each in self.question.classes]
        more = tuple(sizes[place] if place in places else n for place, n in enumerate(counts))
        if more == counts or self._antitone(more):
            return more
        if len(places) == 1:
            return counts
        half = len(places) // 2
        return self._grown(self._grown(counts, places[:half]), places[half:])
