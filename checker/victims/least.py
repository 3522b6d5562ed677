"""The least casualty among all sets of victims that leave a pod feasible on a node, with a proof that it is least.

Where sums over the limits prove a set least (`sums.py`), no solver is asked. Else sets are proposed by z3, and
judged by the specification. z3 is told how much must be freed of each resource and port, and is asked
for a set that is better than the best one so far, one criterion after the other. Each set that it proposes is judged by
`feasibility`, and z3 learns from a refusal: if an antitone filter refuses, that somebody else must go as well, and if
not, that it is not this set. Once nothing better is left, what was learned is the proof (`proof.py`).

Nothing is called least that is not proved: past a bound the best set so far is just that.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import comb, prod

import z3

from schedcheck.checker.exploring.memo import Beyond
from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.victims.casualty import Objective
from schedcheck.checker.victims.problem import Counts, Question
from schedcheck.checker.victims.proof import BY_REFUSAL, BY_SUMS, Clause, Proof, better, none_better, proved
from schedcheck.checker.victims.sums import none_less, proposal
from schedcheck.spec.objects import Pod

Victims = frozenset[Pod]


class Disagreement(Exception):
    """The criteria that are put to z3 and the specification's casualty differ: a fault of this tool."""


@dataclass(frozen=True)
class Least:
    """What was found for a pod on a node.

    `casualty` is that of the victims; both are None if no set is known that leaves the pod feasible. If `proved`, the
    set is least, or there is none; if not, `stopped` is the bound that was met. `rounds` counts the sets that were judged.
    """

    question: Question
    casualty: tuple[int, ...] | None
    proof: Proof
    proved: bool
    stopped: str
    rounds: int

    @property
    def victims(self) -> Victims | None:
        """The least set, or the best one that was found."""
        return self.proof.victims


def least(question: Question, spent: Spent | None = None) -> Least:
    """The least casualty of a pod on a node; nobody is evicted where nobody must be.

    The solver is asked only where neither a refusal of everybody's eviction nor sums prove what is least.
    """
    if not question.within_reach:
        return Least(question, None, Proof((), None, BY_SUMS), True, "", 0)
    spent = spent or Spent()
    before = spent.rounds
    search: _Search | None = None
    best: Victims | None = None
    certain, stopped = False, ""
    try:
        spent.bound()
        if question.final:
            return _hopeless(question)
        best = _proposed(question, spent)
        if best is not None and none_less(question, best):
            return Least(question, question.casualty(best), Proof((), best, BY_SUMS), True, "", spent.rounds - before)
        search = _Search(question, spent)
        search.run(best)
        certain = proved(search.proof(), question, search.spent)
        stopped = "" if certain else "the proof does not hold when it is gone through again"
    except Beyond as bound:
        stopped = str(bound)
    except KeyboardInterrupt as end:
        stopped = spent.over(end)
    if search is None:
        casualty = None if best is None else question.casualty(best)
        return Least(question, casualty, Proof((), best), certain, stopped, spent.rounds - before)
    return search.answer(certain, stopped, before)


def _hopeless(question: Question) -> Least:
    """Nothing helps: what is refused with everybody gone is refused with anybody there."""
    everybody = tuple(len(each.members) for each in question.classes)
    objections = question.objections(question.jeopardy)
    return Least(question, None, Proof((Clause(everybody, True, objections),), None, BY_REFUSAL), True, "", 0)


def _proposed(question: Question, spent: Spent) -> Victims | None:
    """A set that leaves the pod feasible and is likely to be least, if there is one that sums lead to."""
    victims = proposal(question)
    if victims is None:
        return None
    spent.judge()
    if not question.feasible(victims):
        return None
    if not question.agreed(victims):
        raise Disagreement(f"the casualty of {sorted(map(str, victims))}")
    return victims


@dataclass(frozen=True)
class LeastOfNodes:
    """What was found for a pod over several nodes: what is least, None if nothing helps on any of them.

    If `proved`, it is least over all nodes; if not, `stopped` is the bound that was met.
    """

    least: Least | None
    proved: bool
    stopped: str


def least_of_nodes(questions: Sequence[Question], spent: Spent | None = None) -> LeastOfNodes:
    """The least casualty over all nodes, a question each about the same pod.

    Of a node on which nothing is better than the best so far no more is asked than that.
    """
    spent = spent or Spent()
    best: _Search | None = None
    stopped = ""
    searches: list[_Search] = []
    lessened: list[_Search] = []
    certain = False
    try:
        for question in _comparable(questions):
            searches.append(_Search(question, spent))
            searches[-1].best = searches[-1].query()
        for search in sorted(searches, key=_promise):
            found = search.best if best is None or search.best is None else search.better_than(best.best)
            if found is not None:
                search.lessen(found)
                lessened.append(search)
                best = search
        victims = None if best is None else best.best
        certain = all(
            proved(search.proof(), search.question, spent)
            if search.best is None or search in lessened
            else none_better(search.proof(), search.question, victims, spent)
            for search in searches
        )
        stopped = "" if certain else "the proof does not hold when it is gone through again"
    except Beyond as bound:
        stopped = str(bound)
    return LeastOfNodes(None if best is None else best.answer(certain, stopped), certain, stopped)


def _comparable(questions: Sequence[Question]) -> list[Question]:
    """The questions with the budgets of all nodes, by which the victims of one node are compared with those of another."""
    budgets = {budget.key: budget for question in questions for budget in question.snapshot.budgets}
    everywhere = tuple(budgets[key] for key in sorted(budgets))
    return [replace(each, snapshot=replace(each.snapshot, budgets=everywhere)) for each in questions]


def _promise(search: "_Search") -> tuple[bool, tuple[int, ...]]:
    """The less, the better a node looks by the first set that was found there."""
    return search.best is None, () if search.best is None else search.question.casualty(search.best)


class LeastSets:
    """All sets as good as the one that was found, in order; `stopped` if a bound was met before all were."""

    def __init__(self, question: Question, counts: tuple[Counts, ...], stopped: str) -> None:
        self.question = question
        self.counts = counts
        self.stopped = stopped

    def __len__(self) -> int:
        sizes = [len(each.members) for each in self.question.classes]
        return sum(prod(map(comb, sizes, counts)) for counts in self.counts)

    def __iter__(self) -> Iterator[Victims]:
        for counts in self.counts:
            chosen = (combinations(each.members, n) for each, n in zip(self.question.classes, counts, strict=True))
            for parts in product(*chosen):
                yield frozenset(pod for part in parts for pod in part)


def least_sets(found: Least, spent: Spent | None = None) -> LeastSets:
    """Every set with the casualty that was found."""
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
    """A solver, what it has learned, and the best set so far."""

    def __init__(self, question: Question, spent: Spent, clauses: tuple[Clause, ...] = ()) -> None:
        self.question = question
        self.spent = spent
        self.clauses = list(clauses)
        self.best: Victims | None = None
        self.solver = question.solver()
        self.solver.add(*(clause.stated(question) for clause in clauses))

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """What is to be made less; not asked for where no set of victims helps."""
        return self.question.objectives

    def answer(self, certain: bool, stopped: str, before: int = 0) -> Least:
        """What was found, after so many rounds `before` the search."""
        casualty = None if self.best is None else self.question.casualty(self.best)
        return Least(self.question, casualty, self.proof(), certain, stopped, self.spent.rounds - before)

    def better_than(self, victims: Victims | None) -> Victims | None:
        """A set of less casualty than these victims, who may be of another node; None if there is none."""
        return None if victims is None else self.query(z3.Or(*better(self.question, victims)))

    def proof(self) -> Proof:
        """What was learned about the best set so far."""
        return Proof(tuple(self.clauses), self.best)

    def run(self, best: Victims | None = None) -> None:
        """Make one criterion after the other as little as it can be, beginning with a set that is known to do, if one is."""
        self.best = self.query() if best is None else best
        if self.best is not None:
            self.lessen(self.best)

    def lessen(self, best: Victims) -> None:
        """Make one criterion after the other as little as it can be, beginning with a set that will do."""
        for objective in self.objectives:
            self.best = best = self.lessened(objective, best)
            self.pin(objective, best)

    def pin(self, objective: Objective, victims: Victims) -> None:
        """Let the objective never be more than for these victims."""
        self.solver.add(objective.no_more(victims))

    def lessened(self, objective: Objective, best: Victims) -> Victims:
        """A set for which the objective is as little as it can be; of two parts the first is made less first."""
        if objective.parts is None:
            return self.descended(objective, best)
        first, second = objective.parts
        better: Victims | None = best
        while better is not None:
            best = self.descended(first, better)
            best = self.descended(second, best, first.exactly(first.value(best)))
            better = next((found for case in objective.less(best) if (found := self.query(case)) is not None), None)
        return best

    def descended(self, objective: Objective, best: Victims, *within: z3.BoolRef) -> Victims:
        """Go down in steps that double while there is something better, until one step has nothing."""
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

    def query(self, *demands: z3.BoolRef) -> Victims | None:
        """A set of victims that meets these demands and leaves the pod feasible, None if there is none."""
        first = len(self.clauses)
        self.solver.push()
        self.solver.add(*demands)
        try:
            return self._judged()
        finally:
            self.solver.pop()
            self.solver.add(*(clause.stated(self.question) for clause in self.clauses[first:]))

    def _judged(self) -> Victims | None:
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
        """What the refusal of a set teaches; of an antitone one, of the greatest set around it that is refused as well."""
        if self._antitone(counts):
            counts = self._grown(counts, tuple(range(len(counts))))
        objections = self.question.objections(self.question.victims(counts))
        return Clause(counts, any(each.antitone for each in objections), objections)

    def _antitone(self, counts: Counts) -> bool:
        return any(each.antitone for each in self.question.objections(self.question.victims(counts)))

    def _grown(self, counts: Counts, places: tuple[int, ...]) -> Counts:
        """The refused set with all pods of as many of these classes as leave it refused; halves that do not are split."""
        sizes = [len(each.members) for each in self.question.classes]
        more = tuple(sizes[place] if place in places else n for place, n in enumerate(counts))
        if more == counts or self._antitone(more):
            return more
        if len(places) == 1:
            return counts
        half = len(places) // 2
        return self._grown(self._grown(counts, places[:half]), places[half:])
