"""The fewest nodes of a shape that must be added: `Fewest`, `fewest_for`, `fewest_for_all`.

A number is the fewest if it is enough and every smaller number is proved not to be. Numbers that the room of the nodes
rules out are not tried.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from schedcheck.checker.capacity.capacity import Capacity, capacity
from schedcheck.checker.capacity.coupling import Coupling, coupling
from schedcheck.checker.capacity.crowd import Crowd, Placed, placed
from schedcheck.checker.capacity.question import Question
from schedcheck.checker.capacity.rooms import Room, rooms
from schedcheck.checker.capacity.stopping import Stop, after_hosts
from schedcheck.checker.capacity.together import grouped, question_of, together
from schedcheck.checker.explain.shortages import shortages
from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.limits.timer import doing
from schedcheck.spec.kubernetes.filters import pod_topology_spread
from schedcheck.spec.objects import Pod, Snapshot

MOST_ADDED = 100
"""The most nodes that are tried one number after another."""

Grown = Callable[[int], Snapshot]
"""The snapshot with so many nodes added."""


@dataclass(frozen=True)
class Fewest:
    """The fewest nodes, None if not known; `tried` is the greatest number that is proved not to be enough, or -1.

    `never`: no number of such nodes is enough. `enough`: a number that is enough, though fewer may be.
    """

    number: int | None = None
    tried: int = -1
    never: bool = False
    enough: int | None = None


NEVER = Fewest(never=True)


@dataclass(frozen=True)
class Added:
    """The fewest nodes by the scheduler and at best; `first` are the placements with the scheduler's number of nodes.

    - `hopeless`: pods of which no node, old or new, takes enough, and why a new one does not. - `left`: if no number that was
    tried is enough for the scheduler, the pods that it leaves with the greatest of them, and why a new node does not take
    them. - `stopped`: the limit that ended the search.
    """

    scheduler: Fewest
    best: Fewest
    first: Placed | None = None
    hopeless: tuple[tuple[Pod, Stop], ...] = ()
    left: tuple[tuple[Pod, Stop], ...] = ()
    stopped: str = ""

    @property
    def helpless(self) -> bool:
        """Whether no number that was tried is enough for the scheduler."""
        return self.scheduler.enough is None and self.scheduler.tried >= 0


def fewest_for(asked: Question, grown: Grown, spent: Spent) -> Added:
    """Return the fewest nodes with which as many further pods fit as are asked for.

    Raises: Unbounded, NotAllowed.
    """
    assert asked.most is not None
    start, why = _start(asked, grown)
    if why is not None:
        return Added(NEVER, NEVER, hopeless=((asked.pod, why),))

    last: list[Capacity] = []

    def enough(number: int) -> tuple[bool | None, bool | None]:
        found = capacity(replace(asked, snapshot=grown(number)), spent)
        last[:] = [found]
        top = True if found.best.reached >= asked.most else False if found.best.bound < asked.most else None  # type: ignore[operator]
        return found.fits, top

    made = _Search(start).run(enough, spent)
    there = {node.name for node in asked.snapshot.nodes}
    return replace(made, left=tuple((asked.pod, why) for why in _of_new(last, there))) if made.helpless else made


def _of_new(tried: Iterable[Capacity], names: Collection[str]) -> tuple[Stop, ...]:
    """Return why the first of the nodes that were added takes no further pod; empty if that is not known."""
    return tuple(each for found in tried for each in found.stops if each.node not in names)[:1]


def _start(asked: Question, grown: Grown) -> tuple[int, Stop | None]:
    """Return the first number that the room of the nodes does not rule out; or why a new node takes no pod ever."""
    assert asked.most is not None
    more = replace(asked, snapshot=grown(1))
    coupled = coupling(more)
    required = pod_topology_spread.required(more.cycle.spreading)
    if len(required) > len(coupled.spread):
        return 0, None
    names = {node.name for node in asked.snapshot.nodes}
    found = rooms(more, coupled)
    (new,) = (room for name, room in found.items() if name not in names)
    old = sum(room.pods for name, room in found.items() if name in names)
    if old >= asked.most:
        return 0, None
    if new.pods == 0:
        return 0, None if coupled.spread else _stop(more, new)
    return -(-(asked.most - old) // new.pods), None


def _stop(asked: Question, room: Room) -> Stop:
    info = asked.judge.there.infos[asked.judge.there.place[room.node]]
    return Stop(room.node, room.refusals, shortages(asked.pod, asked.plugins, info, room.refusals))


class _Search:
    """The numbers of nodes, tried one after another until both answers are known."""

    def __init__(self, start: int) -> None:
        self.start = start

    def run(self, enough: Callable[[int], tuple[bool | None, bool | None]], spent: Spent) -> Added:
        """Try the numbers; `enough` says of one whether it is, for the scheduler and at best."""
        found: list[Fewest | None] = [None, None]
        gaps = [False, False]
        stopped, number = "", self.start
        try:
            while None in found and number <= max(MOST_ADDED, self.start) and not spent.ended:
                doing(f"trying {number} more nodes")
                for i, said in enumerate(enough(number)):
                    gaps[i] |= said is None
                    if said and found[i] is None:
                        found[i] = Fewest(None if gaps[i] else number, number - 1, enough=number)
                number += 1
            stopped = spent.ended
        except KeyboardInterrupt as end:
            stopped = spent.over(end)
        scheduler, best = (each or Fewest(tried=-1 if gaps[i] else number - 1) for i, each in enumerate(found))
        return Added(scheduler, best, stopped=stopped)


def fewest_for_all(crowd: Crowd, grown: Grown, spent: Spent) -> Added:
    """Return the fewest nodes with which all of the pods fit, by the scheduler in one order of ties, and at best.

    Raises: Unbounded, NotAllowed.
    """
    hopeless = _hopeless(replace(crowd, snapshot=grown(1)), {node.name for node in crowd.snapshot.nodes})
    if hopeless:
        return Added(NEVER, NEVER, hopeless=hopeless)
    first: list[Placed] = []
    last: list[tuple[Crowd, Placed]] = []
    best: list[bool | None] = []

    def enough(number: int) -> tuple[bool | None, bool | None]:
        there = replace(crowd, snapshot=grown(number))
        found = placed(there)
        if not found.left and not first:
            first.append(found)
        if not best or best[-1] is not True:
            best.append(True if not found.left else together(there, spent).fits)
        last[:] = [(there, found)]
        return not found.left, best[-1]

    made = _Search(0).run(enough, spent)
    there = {node.name for node in crowd.snapshot.nodes}
    left = tuple(each for grown_to, found in last for each in _left(grown_to, found, there)) if made.helpless else ()
    return replace(made, first=first[0] if first else None, left=left)


def _left(crowd: Crowd, found: Placed, names: Collection[str]) -> Iterator[tuple[Pod, Stop]]:
    """Yield the pods that are left, each with the reason why the first of the added nodes does not take it."""
    after = crowd.after(found.ways)
    for pod in found.left:
        stops = after_hosts(Question(pod, after, crowd.plugins(pod)), ())
        yield from ((pod, each) for each in [each for each in stops if each.node not in names][:1])


def _hopeless(grown: Crowd, names: Collection[str]) -> tuple[tuple[Pod, Stop], ...]:
    """Return the pods of each form of which a new node takes none and the nodes of these names too few."""
    found: list[tuple[Pod, Stop]] = []
    for group in grouped(grown):
        if all(name in names for name in group.room) and sum(group.room.values()) < len(group.pods):
            asked = question_of(grown, group.pods[0])
            (new,) = (room for name, room in rooms(asked, Coupling()).items() if name not in names)
            why = _stop(asked, new)
            found += ((pod, why) for pod in group.pods)
    return tuple(sorted(found, key=lambda each: each[0].key))
