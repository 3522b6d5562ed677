"""The best placement by kube-scheduler from two sides: placements that are found, and a proved bound of their worth.

The bound is lexicographic: no placement places more pods of the highest priority; none that places as many of them more
of the next one; and so on, the score last. `Bounding` keeps what is known whenever the search ends.
"""

from collections.abc import Sequence

from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.placement.linear import Row
from schedcheck.checker.placement.losses import PARTS
from schedcheck.checker.placement.proposing import Proposing
from schedcheck.checker.placement.relaxation import Relaxation
from schedcheck.checker.placement.worth import Worth, most_of, priorities, worth
from schedcheck.spec.placement import Placement, feasible_placement

SHARE = 0.7
"""The part of the time after which nothing more is tried."""

ROUNDS = 10
"""The most solutions of the relaxation that are judged."""

ONE_SOLUTION = 0.1
"""The part of the time that one solution may take."""


class Bounding:
    """A search for placements, and `most`, a bound of the worth of every placement."""

    def __init__(self, relaxation: Relaxation, spent: Spent) -> None:
        self.relaxation, self.spent = relaxation, spent
        self.proposing = Proposing(relaxation, spent)
        self.most = most_of(relaxation.pods, relaxation.limits)
        self._tried: list[Row] = []

    @property
    def best(self) -> Placement:
        """The best placement that was found."""
        return self.proposing.best

    @property
    def worth(self) -> Worth:
        """The worth of the best placement that was found."""
        return self.proposing.worth

    @property
    def met(self) -> bool:
        """Whether the best placement reaches the bound."""
        return self.worth == self.most

    @property
    def refuted(self) -> bool:
        """Whether a placement that was found is worth more than the bound, or a score exceeds its own: an error here."""
        return not self.proposing.within or self.worth.rank > self.most.rank

    def confirmed(self) -> bool:
        """Whether the definitions confirm the best placement and its score, and no score exceeds its bound."""
        pods, snapshot, profile = self.relaxation.pods, self.relaxation.snapshot, self.relaxation.profile
        return (
            feasible_placement(self.best, snapshot, profile)
            and worth(self.best, pods, snapshot, profile) == self.worth
            and not self.refuted
        )

    def run(self) -> None:
        """Follow the scheduler, bound the worth, and judge solutions and improvements, until nothing is better."""
        doing("following the scheduler")
        self.proposing.follow()
        doing("bounding the best placement")
        self.bound()
        doing("searching for better placements")
        while not self.met and self._time_left and (self._solutions() or self.proposing.improve()):
            pass

    def bound(self) -> None:
        """Bound the number of placed pods of each priority, given those of the higher ones, and then the score."""
        program, score = self.relaxation.program, self.relaxation.score()
        numbers: list[tuple[int, int]] = []
        for priority in priorities(self.relaxation.pods):
            placed = self.relaxation.placed(priority)
            number = program.bound(placed, self._seconds, self._at_least(numbers))
            waiting = sum(pod.priority == priority for pod in self.relaxation.pods)
            numbers.append((priority, min(number, waiting)))
        found = program.bound(score, self._seconds, self._at_least(numbers)) // PARTS
        self.most = min(Worth(tuple(numbers), found), self.most, key=lambda each: each.rank)

    def _at_least(self, numbers: Sequence[tuple[int, int]]) -> list[Row]:
        """Return the rows that so many pods of these priorities are placed."""
        return [Row(dict.fromkeys(self.relaxation.placed(each), -1), -number) for each, number in numbers]

    def _solutions(self) -> bool:
        """Judge solutions of the relaxation until one is feasible. Whether a placement is better than the best before."""
        program, before = self.relaxation.program, self.proposing.worth
        rows = len(program.rows)
        for _ in range(ROUNDS):
            values = None
            for numbers in (self.most.placed, self.proposing.worth.placed):
                demands = [*self._at_least(numbers), *self._tried]
                values = values or program.solution(self.relaxation.score(), self._seconds, demands)
            if values is None:
                break
            placement = self.relaxation.placement(values)
            if self.proposing.offer(placement):
                self._tried.append(self.relaxation.excluding(placement, self.relaxation.pods, antitone=False))
                break
        if len(program.rows) > rows:
            self.bound()
        return self.proposing.worth.rank > before.rank

    @property
    def _time_left(self) -> bool:
        """Whether the part of the time for this search is not over."""
        return self.spent.left > (1 - SHARE) * self.spent.effort.seconds

    @property
    def _seconds(self) -> float:
        self.spent.bound()
        return max(0.01, ONE_SOLUTION * self.spent.effort.seconds)
