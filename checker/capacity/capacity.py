"""The number of further pods, by the scheduler and at best, and what stops the next one: `Capacity`, `capacity`."""

from collections.abc import Mapping
from dataclasses import dataclass

from schedcheck.checker.capacity.best import Best, best
from schedcheck.checker.capacity.counting import Count, counted
from schedcheck.checker.capacity.coupling import Coupling, coupling
from schedcheck.checker.capacity.following import MOST_FOLLOWED, Followed, followed
from schedcheck.checker.capacity.question import Question
from schedcheck.checker.capacity.rooms import Room, rooms
from schedcheck.checker.capacity.stopping import Stop, after_hosts, after_rooms
from schedcheck.checker.capacity.ties import explored
from schedcheck.checker.limits.effort import Spent


@dataclass(frozen=True)
class Capacity:
    """The number of further pods.

    - `least`, `greatest`: the numbers that the scheduler may end with, over all orders of ties; None if not known.
    - `orders`: how they are known: "counting", "every order", or "one order" if they are not.
    - `followed`: the placements in one order of ties; None if none was followed.
    - `best`: the greatest number of any choices.
    - `by_node`: the number on each node, in every order or in the one that was followed; None if not known.
    - `stopped`: the limit that ended the search for placements, if one did.
    - `stops`: why each node takes no further pod; empty if a further one fits, or as many as asked for were placed.
    """

    asked: Question
    rooms: Mapping[str, Room]
    coupling: Coupling
    least: int | None
    greatest: int | None
    orders: str
    followed: Followed | None
    best: Best
    by_node: Mapping[str, int] | None
    stops: tuple[Stop, ...]
    stopped: str = ""

    @property
    def fits(self) -> bool | None:
        """Whether the scheduler places as many as asked for, whatever the ties; None if that is not known."""
        most = self.asked.most
        if most is None or (self.least is not None and self.least >= most):
            return True
        if self.best.bound < most or (self.greatest is not None and self.greatest < most):
            return False
        return False if self.least is not None and self.greatest == self.least else None

    @property
    def gap(self) -> tuple[int, int] | None:
        """How far the scheduler stays behind the best, at least and at most, up to the number asked for; or None."""
        if self.least is None or self.greatest is None or not self.best.proved:
            return None
        top = self.best.bound if self.asked.most is None else min(self.best.bound, self.asked.most)
        return top - self.greatest, top - self.least

    @property
    def known(self) -> bool:
        """Whether both numbers are known."""
        return self.least is not None and self.best.proved


def capacity(asked: Question, spent: Spent) -> Capacity:
    """Return the number of further pods.

    Raises: Unbounded, NotAllowed.
    """
    coupled = coupling(asked)
    found = rooms(asked, coupled)
    room = {name: each.pods for name, each in found.items()}
    count = counted(asked, room, coupled)
    if count is not None:
        return _by_counting(asked, found, coupled, count, spent)
    walked = followed(asked, MOST_FOLLOWED if asked.most is None else min(asked.most, MOST_FOLLOWED))
    ends, stopped = None, ""
    try:
        ends = explored(asked, most=asked.most)
    except KeyboardInterrupt as end:
        stopped = spent.over(end)
    reached = ends.greatest if ends is not None else len(walked.hosts)
    top = best(asked, room, coupled, None, reached, spent)
    return Capacity(
        asked=asked,
        rooms=found,
        coupling=coupled,
        least=None if ends is None else ends.least,
        greatest=None if ends is None else ends.greatest,
        orders="one order" if ends is None else "every order",
        followed=walked,
        best=top,
        by_node=walked.by_node,
        stops=after_hosts(asked, walked.hosts) if walked.ended else (),
        stopped=stopped,
    )


def _by_counting(
    asked: Question, found: Mapping[str, Room], coupled: Coupling, count: Count, spent: Spent
) -> Capacity:  # fmt: skip
    most = count.greatest if asked.most is None else min(count.greatest, asked.most)
    exact = count.by_node if most == count.greatest == count.least else None
    walked, stopped = None, ""
    try:
        walked = followed(asked, most + 1 if most == count.greatest else most) if _follow(most, exact) else None
    except KeyboardInterrupt as end:
        stopped = spent.over(end)
    stops: tuple[Stop, ...] = ()
    if walked is not None and walked.ended:
        stops = after_hosts(asked, walked.hosts)
    elif coupled.local and most == count.greatest:
        stops = after_rooms(asked, found)
    elif exact is not None:
        stops = after_hosts(asked, [name for name, number in exact.items() for _ in range(number)])
    room = {name: each.pods for name, each in found.items()}
    return Capacity(
        asked=asked,
        rooms=found,
        coupling=coupled,
        least=min(count.least, most),
        greatest=most,
        orders="counting",
        followed=walked,
        best=best(asked, room, coupled, count, most, spent),
        by_node=exact if walked is None else walked.by_node,
        stops=stops,
        stopped=stopped,
    )


def _follow(most: int, exact: Mapping[str, int] | None) -> bool:
    """Whether placements are followed: they are not too many, and counting does not tell the number on each node."""
    return exact is None and most <= MOST_FOLLOWED
