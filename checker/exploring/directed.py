"""The search directed at loops: some behaviours are followed until they return, before every state is explored.

Breadth first meets a cycle of twenty steps only after every shorter behaviour. So the explored states and those of a few
behaviours are judged together as one part of the graph, long before it is whole. A step to a state that was not expanded
leads outside the part: it enables its action, and nothing is known of what follows. Hence a fair cycle of the part is one
of the whole, and a part without one says nothing.

The behaviours depend on the machine and on fixed seeds alone. In each, one rule chooses the step of the system: the one
that is possible for the longest time, the one that has become possible last, or those of one kind first. Of equal ones the
first with the fewest values that are new to this behaviour is taken, so that pods return to where they were. Some
behaviours begin with random events.
"""

import copy
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain, product, repeat
from random import Random
from typing import Any, Generic, NamedTuple

import numpy as np

from schedcheck.checker.exploring.exploration import Exploration, State
from schedcheck.checker.exploring.shortening import shortened
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.liveness.graph import INSTANCES, OUTSIDE, Explored, Flags, instance
from schedcheck.checker.liveness.temporal import broken
from schedcheck.checker.result import Violation
from schedcheck.spec.decisions import Unknown
from schedcheck.spec.properties.kinds import Once

AGAIN = 4
"""The factor by which the explored states have grown before the next attempt."""

LEAST_EXPANDED, SHARE = 600, 4
"""The states that the behaviours of one attempt may expand: so many, and one for this number of explored ones."""

LONGEST = 400
"""The most steps of one behaviour."""

PATIENCE = 20
"""The steps after which an action that has become possible comes first under every rule."""

EVENTS = (0, 1, 3)
"""The most events of the environment at the beginning of a behaviour."""

BEHAVIOURS = 2
"""The behaviours by each rule with the same number of events; one without events."""

Instance = tuple[type, str]


class Move(NamedTuple):
    """A step that changes the state: the instance of its action, and the number of the state that it leads to."""

    instance: Instance
    target: int


@dataclass
class Way:
    """A behaviour that is followed.

    - `since`: when each action that is possible has become possible, or was last taken.
    - `seen`: the values in the states so far, each with its place.
    - `step`, `last`: the number of steps, and the kind of the last one.
    """

    since: dict[Instance, int] = field(default_factory=dict)
    seen: set[Hashable] = field(default_factory=set)
    step: int = 0
    last: type | None = None

    def meet(self, state: Hashable, moves: Sequence[Move]) -> None:
        """Note the state, and the actions that are possible now; others are no longer."""
        self.seen |= values(state)
        self.since = {each: self.since.get(each, self.step) for each, _ in moves}

    def take(self, move: Move) -> None:
        """Note a step."""
        self.step, self.last = self.step + 1, move.instance[0]
        self.since[move.instance] = self.step


def values(state: Hashable) -> frozenset[Hashable]:
    """Return the values in a state of the machine, each with its place: two levels of tuples are taken apart."""
    if not isinstance(state, tuple):
        return frozenset({state})
    return frozenset(
        (place, within, value)
        for place, held in enumerate(state)
        for within, value in (enumerate(held) if isinstance(held, tuple) else ((-1, held),))
    )


def news(before: Hashable, after: Hashable, seen: Set[Hashable]) -> int:
    """Return the number of values in the state `after` that are not `seen`, as all values in the state `before` are.

    An object at the same place in both is not looked at, as a step changes little.
    """
    if not (isinstance(before, tuple) and isinstance(after, tuple) and len(before) == len(after)):
        return len(values(after) - seen)
    found = 0
    for place, (old, held) in enumerate(zip(before, after, strict=True)):
        if held is not old and not isinstance(held, tuple):
            found += (place, -1, held) not in seen
        elif held is not old:
            there = chain(old if isinstance(old, tuple) else (), repeat(NOTHING))
            found += sum(
                value is not known and (place, within, value) not in seen
                for within, (value, known) in enumerate(zip(held, there, strict=False))
            )
    return found


NOTHING = object()

Rule = Callable[[Way, Move], tuple[int, ...]]
"""One of the moves with the least key is taken."""


def oldest(way: Way, move: Move) -> tuple[int, ...]:
    """Return the key of the rule that every action gets its turn."""
    return (way.since[move.instance],)


def newest(way: Way, move: Move) -> tuple[int, ...]:
    """Return the key of the rule that what follows from the last step comes first, unless an action has waited for long."""
    since = way.since[move.instance]
    return (0, since) if way.step - since > PATIENCE else (1, -since)


def kindwise(way: Way, move: Move) -> tuple[int, ...]:
    """Return the key of the rule that a controller goes on as long as it can."""
    return move.instance[0] is not way.last, *oldest(way, move)


RULES: tuple[Rule, ...] = (kindwise, newest, oldest)


class Part(Generic[State]):
    """A part of the states: those that an exploration breadth first has expanded, and those of some behaviours."""

    def __init__(self, begun: Exploration[State]) -> None:
        self.begun = begun
        self.numbers, self.states = dict(begun.numbers), list(begun.states)
        self.recorder = copy.deepcopy(begun.recorder)
        self.expanded: set[int] = set()
        self.coverage = dict.fromkeys(begun.coverage, 0)
        # What the environment does: its steps need not go on for ever in a behaviour that violates a property.
        self.outside = frozenset[type]().union(
            *(each.apart if isinstance(each, Once) else each.meanwhile for each in begun.temporal)
        )
        self._moves: dict[int, tuple[Move, ...] | None] = {}
        self._judged: dict[Callable[[Any], bool], list[bool]] = {}

    def moves(self, number: int, most: int) -> tuple[Move, ...] | None:
        """Return the steps from a state that change it; None if they are unknown, or past so many expanded states."""
        if number in self._moves:
            return self._moves[number]
        fresh = number >= self.begun.expanded
        if fresh and (len(self.expanded) >= most or self.begun.stop()):
            return None
        steps = list(self.begun.machine.steps(self.states[number]))
        if any(isinstance(action, Unknown) for action, _ in steps):
            self._moves[number] = None
            return None
        found = []
        for action, after in steps:
            target = self._numbered(after)
            if fresh:
                self.coverage[type(action)] += 1
                assert self.recorder is not None
                self.recorder.step(number, action, target)
            if target != number:
                found.append(Move(instance(action), target))
        if fresh:
            self.expanded.add(number)
        self._moves[number] = tuple(found)
        return self._moves[number]

    def _numbered(self, state: State) -> int:
        """Return the number of a state, `OUTSIDE` beyond the constraint."""
        number = self.numbers.get(state)
        if number is None:
            if self.begun.constraint is not None and not self.begun.constraint(self.begun.machine.view(state)):
                return OUTSIDE
            number = self.numbers[state] = len(self.states)
            self.states.append(state)
        return number

    def explored(self) -> Explored:
        """Return the graph of the part; steps to states that were not expanded lead outside."""
        assert self.recorder is not None
        graph = self.recorder.graph(len(self.states), INSTANCES)
        known: Flags = np.zeros(len(self.states) + 1, dtype=np.bool_)
        known[: self.begun.expanded] = True
        known[list(self.expanded)] = True
        # The last place answers for OUTSIDE, which is -1.
        targets = np.where(known[graph.targets], graph.targets, OUTSIDE).astype(graph.targets.dtype)
        return Explored(replace(graph, targets=targets, initial=graph.initial[known[graph.initial]]), self.states)

    def possible(self) -> Callable[[State], Collection[Instance] | None]:
        """Return a function from a state to the instances that change it; None for a state that was not expanded."""
        graph, by_search = self.explored().graph, self.begun.expanded

        def instances(state: State) -> Collection[Instance] | None:
            number = self.numbers.get(state)
            if number is None or (number >= by_search and number not in self.expanded):
                return None
            edges = graph.edges_from(number)
            return {(graph.kinds[each], graph.texts[each]) for each in graph.actions[edges.start : edges.stop]}

        return instances

    def violations(self) -> list[Violation]:
        """Return the violations that the part shows, each replayed on the machine and judged by its definition."""
        begun = self.begun
        return broken(begun.machine, self.explored(), begun.temporal, lambda question: self._judge, begun.bounds.graph)

    def _judge(self, holds: Callable[[Any], bool]) -> Flags:
        """Return the states in which a predicate holds; each is judged once."""
        known, view = self._judged.setdefault(holds, []), self.begun.machine.view
        known += [holds(view(state)) for state in self.states[len(known) :]]
        return np.array(known, dtype=np.bool_)


def directed(begun: Exploration[State], attempt: int) -> tuple[list[Violation], int]:
    """Return the violations of temporal properties that some behaviours show, and the number of states that they took.

    If there are any, the exploration takes over what they have met, for its counts. All is judged after each behaviour
    without events, and after all of those with the same number of events.
    """
    doing("following behaviours until they return")
    part, most = Part(begun), LEAST_EXPANDED + begun.expanded // SHARE
    found: list[Violation] = []
    numbers = EVENTS if part.outside.intersection(begun.machine.kinds()) else (0,)
    for turn, events in enumerate(numbers, 1):
        for _ in _followed(part, events, attempt, most * turn // len(numbers)):
            found = [] if begun.stopped else part.violations()
            if found or begun.stopped:
                break
        if found or begun.stopped:
            break
    if found:
        possible = part.possible()
        _take_over(begun, part)
        found = [shortened(begun, each, possible) for each in found]
    doing("exploring")
    return found, len(part.expanded)


def _followed(part: Part[State], events: int, attempt: int, most: int) -> Iterator[None]:
    """Follow behaviours with so many events at first, by each rule, until the part has so many states; yield to be judged."""
    begun = part.begun
    assert begun.recorder is not None
    ways = [*product(sorted(begun.recorder.initial), RULES)] * (BEHAVIOURS if events else 1)
    before = len(part.expanded)
    for place, (first, rule) in enumerate(ways, 1):
        share = before + (most - before) * place // len(ways)
        chance = Random(f"{attempt} {events} {place}")
        _behaviour(part, first, rule, chance, events, share)
        if not events or place == len(ways):
            yield


def _behaviour(
    part: Part[State], number: int, rule: Rule, chance: Random, events: int, most: int
) -> None:  # fmt: skip
    """Follow one behaviour: each step is an event with one half of the chances, as long as events are left."""
    way = Way()
    while way.step < LONGEST:
        moves = part.moves(number, most)
        if moves is None:
            return
        inside = [each for each in moves if each.target != OUTSIDE]
        happening = [each for each in inside if each.instance[0] in part.outside]
        acting = [each for each in inside if each.instance[0] not in part.outside]
        way.meet(part.states[number], moves)
        if happening and events and (not acting or chance.random() < 0.5):
            events -= 1
            move = chance.choice(happening)
        elif acting:
            move = _chosen(part, way, rule, number, acting)
        else:
            return
        way.take(move)
        number = move.target


def _chosen(part: Part[State], way: Way, rule: Rule, number: int, moves: Sequence[Move]) -> Move:
    """Return the move that the rule takes in the state of this number."""
    least = min(rule(way, each) for each in moves)
    best = [each for each in moves if rule(way, each) == least]
    if len(best) == 1:
        return best[0]
    return min(best, key=lambda each: news(part.states[number], part.states[each.target], way.seen))


def _take_over(begun: Exploration[State], part: Part[State]) -> None:
    """Let the exploration count the states and the steps of the part."""
    begun.numbers, begun.states = part.numbers, part.states
    begun.expanded += len(part.expanded)
    begun.generated += sum(part.coverage.values())
    for kind, taken in part.coverage.items():
        begun.coverage[kind] += taken
