"""The best placement of all pending pods at once, proposed by z3 and judged by the specification, with a proof.

The order is lexicographic: the numbers of placed pods by priority, the highest first; then the sum of viability. No pod
is evicted. z3 knows the free resources and searches for a placement better than the best so far. `feasibility` and
`viability` of `spec` judge each proposal, and z3 learns lessons from their answers (`learned.py`).

Of kube-scheduler, z3 also knows the conditions and bounds of a relaxation. Beyond a few pods and nodes the best placement
is first searched for, and bounded, without z3 (`bounding.py`); of many pods and nodes z3 is not asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product

import z3
from frozendict import frozendict

from schedcheck.checker.limits.clock import Beyond
from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.placement.bounding import Bounding
from schedcheck.checker.placement.learned import Lesson, highest, ratings, refusals
from schedcheck.checker.placement.relaxation import Relaxation
from schedcheck.checker.placement.worth import Worth, most_of, priorities
from schedcheck.spec.binding import unbound
from schedcheck.spec.device_objects import NO_DEVICES
from schedcheck.spec.faults import Fault
from schedcheck.spec.kubernetes.gangs import members
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.placement import Placement, feasible_placement, placed_at, score
from schedcheck.spec.profiles import Profile, needed, refused_by_its_group
from schedcheck.spec.requests import allocatable, request, requested, used
from schedcheck.spec.schedulers import KUBERNETES

NOTHING: Placement = frozendict()

FEW = 30
"""The most possible pairs of a pod and a node of which z3 is asked at once."""

MANY = 120
"""The most possible pairs of a pod and a node of which z3 is asked at all, under kube-scheduler."""


@dataclass(frozen=True)
class Optimum:
    """The best placement of the pending pods; if it is not `proved`, the best one found, and `stopped` says why.

    `most` is proved: no placement is worth more. None if the search ended before anything was bounded.
    """

    placement: Placement
    score: int
    lessons: tuple[Lesson, ...]
    proved: bool
    stopped: str
    most: Worth | None = None


@dataclass(frozen=True)
class Problem:
    """The problem for z3: the pending pods in order, the nodes, and the other pods.

    `on` are variables for whether a pod is placed on a node, `rated` for the viability of its node, 0 if it has none.
    `limits` are upper bounds of the viability; a pair without one is impossible. `relaxation` is of kube-scheduler only.
    """

    pods: tuple[Pod, ...]
    snapshot: Snapshot
    profile: Profile
    on: frozendict[tuple[Pod, Node], z3.BoolRef]
    rated: frozendict[Pod, z3.ArithRef]
    limits: Mapping[tuple[Pod, Node], int]
    relaxation: Relaxation | None = None

    @property
    def priorities(self) -> list[int]:
        """The priorities of the pending pods, the highest first."""
        return priorities(self.pods)

    def placed(self, priority: int) -> z3.ArithRef:
        """Return the number of placed pods of this priority, as a z3 expression."""
        return z3.Sum([z3.If(put, 1, 0) for (pod, _), put in self.on.items() if pod.priority == priority])

    def score(self) -> z3.ArithRef:
        """Return the sum of the viability, as a z3 expression."""
        return z3.Sum(list(self.rated.values()))

    def placement(self, model: z3.ModelRef) -> Placement:
        """Return the placement of a model."""
        return frozendict(
            {pair[0]: pair[1] for pair, put in self.on.items() if z3.is_true(model.eval(put, model_completion=True))}
        )

    def stated(self, lesson: Lesson) -> z3.BoolRef:
        """Return a lesson as a z3 formula."""
        placement = lesson.others.set(lesson.pod, lesson.node)
        given = [self.on[pair] for pair in placement.items()]
        if not lesson.general:
            given += [z3.Not(put) for pair, put in self.on.items() if placement.get(pair[0]) != pair[1]]
        follows = z3.BoolVal(False) if lesson.most is None else self.rated[lesson.pod] <= lesson.most
        return z3.Implies(z3.And(*given), follows)

    def solver(self) -> z3.Solver:
        """Return a solver with the basic constraints: at most one node per pod, free resources, bounds of viability."""
        made = z3.SolverFor("QF_LIA")
        for pod in self.pods:
            choices = [self.on[pod, node] for node in self.snapshot.nodes]
            made.add(z3.AtMost(*choices, 1) if choices else z3.BoolVal(True))
            made.add(z3.Implies(z3.Not(z3.Or(*choices)), self.rated[pod] == 0))
        for (pod, node), put in self.on.items():
            limit = self.limits.get((pod, node))
            made.add(z3.Not(put) if limit is None else z3.Implies(put, self.rated[pod] <= limit))
        made.add(*self._relaxed())
        made.add(*self._gangs())
        # kube-scheduler and the early scheduler count resources differently; their filters teach this.
        if Fault.BOUND_PODS_IGNORED not in self.profile.faults and not self.profile.nominates:
            made.add(*(each for node in self.snapshot.nodes for each in self._room(node)))
        return made

    def _relaxed(self) -> list[z3.BoolRef]:
        """Return the rows of the relaxation that are about the places of pods alone."""
        if self.relaxation is None:
            return []
        put = [z3.If(self.on[pair], 1, 0) for pair in self.relaxation.pairs]
        return [
            z3.Sum([weight * put[place] for place, weight in row.weights.items()]) <= row.most
            for row in self.relaxation.conditions()
            if row.weights
        ]

    def _gangs(self) -> list[z3.BoolRef]:
        """Return the formulas that gangs are placed as a whole or not at all, and that no pod is placed against its group."""
        put = {pod: z3.Or([self.on[pod, node] for node in self.snapshot.nodes]) for pod in self.pods}
        found = [z3.Not(put[pod]) for pod in self.pods if refused_by_its_group(pod, self.snapshot, self.profile)]
        for pod in self.pods:
            least = needed(pod, self.snapshot, self.profile)
            if least is not None:
                others = members(pod, self.snapshot)
                there = sum(bool(other.node_name) for other in others)
                together = z3.Sum([z3.If(put[other], 1, 0) for other in self.pods if other in others])
                found.append(z3.Implies(put[pod], together + there >= least))
        return found

    def _room(self, node: Node) -> list[z3.BoolRef]:
        """Return the formulas that the pods placed on the node fit into its free resources."""
        faults = self.profile.faults
        found = []
        for resource in sorted({"pods"}.union(*(requested(pod) for pod in self.pods))):
            takes = {pod: 1 if resource == "pods" else request(pod, resource, faults) for pod in self.pods}
            left = allocatable(node, resource) - used(node, self.snapshot, resource, faults)
            together = z3.Sum([z3.If(self.on[pod, node], takes[pod], 0) for pod in self.pods])
            found += [z3.Implies(self.on[pod, node], together <= left) for pod in self.pods if takes[pod] > 0]
        return found


def waiting(snapshot: Snapshot, profile: Profile) -> tuple[Pod, ...]:
    """Return the pending pods in order."""
    return tuple(sorted(unbound(snapshot, profile.faults), key=lambda pod: pod.key))


def problem(snapshot: Snapshot, profile: Profile) -> Problem:
    """Return the problem of placing all pending pods of the snapshot."""
    pods = waiting(snapshot, profile)
    pairs = product(enumerate(pods), enumerate(snapshot.nodes))
    on = frozendict({(pod, node): z3.Bool(f"on{i}_{j}") for (i, pod), (j, node) in pairs})
    relaxation = Relaxation(pods, snapshot, profile) if profile.scheduler == KUBERNETES else None
    limits = (
        {(pod, node): highest(pod, node, snapshot, profile) for pod, node in on}
        if relaxation is None
        else relaxation.limits
    )
    rated = frozendict({pod: z3.Int(f"r{i}") for i, pod in enumerate(pods)})
    return Problem(pods, snapshot, profile, on, rated, limits, relaxation)


def optimum(snapshot: Snapshot, profile: Profile, spent: Spent | None = None) -> Optimum:
    """Return the best placement of all pending pods; those with resource claims wait, as devices are not shared out here."""
    snapshot = replace(snapshot, devices=NO_DEVICES)
    search = _Both(spent or Spent())
    try:
        doing("searching for the best placement")
        search.run(snapshot, profile)
    except Beyond as bound:
        search.stopped = str(bound)
    except KeyboardInterrupt as end:
        search.stopped = search.spent.over(end)
    search.spent.look()
    return search.found(snapshot, profile)


class _Both:
    """The search from both sides, and then by z3, with what is known of it."""

    def __init__(self, spent: Spent) -> None:
        self.spent = spent
        self.stopped = ""
        self.proved = False
        self.most: Worth | None = None
        self.bounding: Bounding | None = None
        self.search: _Search | None = None

    def run(self, snapshot: Snapshot, profile: Profile) -> None:
        """Search until the best is proved, or nothing more is tried. Raises Beyond."""
        asked = problem(snapshot, profile)
        self.most = most_of(asked.pods, asked.limits)
        if asked.relaxation is not None and len(asked.limits) > FEW:
            self.bounding = Bounding(asked.relaxation, self.spent)
            self.bounding.run()
            self.proved = self.bounding.met and self.bounding.confirmed()
        if not self.proved and (asked.relaxation is None or len(asked.limits) <= MANY):
            self.search = _Search(asked, self.spent, NOTHING if self.bounding is None else self.bounding.best)
            self.search.run()
            self.proved = best_again(asked, self.search.best, tuple(self.search.lessons), self.spent)
            self.stopped = "" if self.proved else "the proof fails its second check"
        elif not self.proved:
            self.stopped = "the bounds do not meet"

    def found(self, snapshot: Snapshot, profile: Profile) -> Optimum:
        """Return what is known."""
        if self.search is not None:
            best, lessons = self.search.best, tuple(self.search.lessons)
            rated = score(best, snapshot, profile)
        elif self.bounding is not None:
            best, rated, lessons = self.bounding.best, self.bounding.worth.score, ()
        else:
            best, rated, lessons = NOTHING, 0, ()
        most = self.most
        if self.bounding is not None:
            most = None if self.bounding.refuted else self.bounding.most
            self.stopped = "a placement refutes the bound" if self.bounding.refuted else self.stopped
        if self.proved:
            pods = waiting(snapshot, profile)
            most = Worth(tuple((each, placed_at(each, best)) for each in priorities(pods)), rated)
        return Optimum(best, rated, lessons, self.proved, self.stopped, most)


def best_again(asked: Problem, best: Placement, lessons: tuple[Lesson, ...], spent: Spent) -> bool:
    """Whether a new solver with only these lessons confirms that no placement is better than this feasible one."""
    snapshot, profile = asked.snapshot, asked.profile
    if not feasible_placement(best, snapshot, profile) or not all(each.holds(snapshot, profile) for each in lessons):
        return False
    solver = asked.solver()
    solver.add(*(asked.stated(lesson) for lesson in lessons))
    for priority in asked.priorities:
        if spent.check(solver, asked.placed(priority) > placed_at(priority, best)):
            return False
        solver.add(asked.placed(priority) >= placed_at(priority, best))
    return not spent.check(solver, asked.score() > score(best, snapshot, profile))


class _Search:
    """A solver, the learned lessons, and the best placement so far."""

    def __init__(self, asked: Problem, spent: Spent, best: Placement) -> None:
        self.problem = asked
        self.spent = spent
        self.solver = asked.solver()
        self.lessons: list[Lesson] = []
        self.best = best

    def run(self) -> None:
        """Place more pods, priority by priority; then raise the score."""
        for priority in self.problem.priorities:
            number = self.problem.placed(priority)
            while (found := self.query(number > placed_at(priority, self.best))) is not None:
                self.best = found
            self.solver.add(number >= placed_at(priority, self.best))
        self.ascend()

    def ascend(self) -> None:
        """Raise the score by steps that double on success, until even the least step fails."""
        asked = self.problem
        now, step = self.score(self.best), 1
        while True:
            found = self.query(asked.score() >= now + step, now + step)
            if found is not None:
                self.best = found
                now, step = self.score(found), 2 * step
            elif step == 1:
                return
            else:
                step = 1

    def score(self, placement: Placement) -> int:
        """Return the score by the specification."""
        return score(placement, self.problem.snapshot, self.problem.profile)

    def query(self, demand: z3.BoolRef, least: int | None = None) -> Placement | None:
        """Return a feasible placement that meets the demand and scores at least `least`; None if there is none."""
        asked = self.problem
        first = len(self.lessons)
        self.solver.push()
        self.solver.add(demand)
        try:
            while self.spent.check(self.solver):
                self.spent.judge()
                placement = asked.placement(self.solver.model())
                learned = list(refusals(placement, asked.snapshot, asked.profile))
                if not learned and (least is None or self.score(placement) >= least):
                    return placement
                learned = learned or list(ratings(placement, asked.snapshot, asked.profile))
                self.lessons += learned
                self.solver.add(*(asked.stated(lesson) for lesson in learned))
            return None
        finally:
            self.solver.pop()
            self.solver.add(*(asked.stated(lesson) for lesson in self.lessons[first:]))
