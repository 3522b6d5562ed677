"""The searches state by state: breadth first with the shortest counterexample, depth first to a bound, random walks.

On a violation, breadth first finishes its level, and the counts are those after it. The evidence shown against a
property is the least of that level in the order of its text. Depth first and walks stop at the first violation. In a
large space, breadth first is interrupted by the search directed at loops, whose violations end it.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from schedcheck.checker.exploring.directed import AGAIN, directed
from schedcheck.checker.exploring.exploration import Exploration, State
from schedcheck.checker.exploring.traces import trace, violation
from schedcheck.checker.limits.clock import Beyond
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import answer, doing, reason
from schedcheck.checker.liveness.graph import Flags
from schedcheck.checker.liveness.possibility import Possibility
from schedcheck.checker.liveness.temporal import broken
from schedcheck.checker.properties.vacuity import Vacuous
from schedcheck.checker.result import CUT_OFF, Result, Stage, Verdict, Violation
from schedcheck.spec.decisions import Unknown
from schedcheck.spec.properties.kinds import Can, Progresses, Sometimes, Temporal


def breadth_first(exploration: Exploration[State]) -> Result:
    """Explore level by level, until no state is left, a property is violated or a bound is reached."""
    return _ended(exploration, _breadth_first)


def _breadth_first(exploration: Exploration[State]) -> None:
    exploration.begin()
    expanded = 0
    while expanded < len(exploration.states) and not exploration.broken:
        if exploration.depth == exploration.bounds.depth:
            exploration.stopped = f"{parameter('limits.depth')} {exploration.depth}"
            return
        for number in range(expanded, len(exploration.states)):
            if exploration.stop() or _directed(exploration):
                return
            exploration.expand(number)
            expanded += 1
        if expanded < len(exploration.states):
            exploration.depth += 1


def _directed(exploration: Exploration[State]) -> bool:
    """Whether the directed search, if it is its turn, has found a violation or met a bound."""
    if exploration.directed_at is None or len(exploration.states) < exploration.directed_at:
        return False
    exploration.directed_at *= AGAIN
    if exploration.canonical or exploration.coverage.get(Unknown) or not exploration.temporal:
        return False
    exploration.lassos, exploration.followed = directed(exploration, exploration.directed_at)
    return exploration.lassos != [] or exploration.stopped != ""


def depth_first(exploration: Exploration[State]) -> Result:
    """Explore the first `bounds.depth` levels depth first; a state found again at a lower level is expanded again."""
    return _ended(exploration, _depth_first)


def _depth_first(exploration: Exploration[State]) -> None:
    exploration.begin()
    bound = exploration.bounds.depth
    levels = dict.fromkeys(range(len(exploration.states)), 1)
    successors: dict[int, list[int]] = {}
    stack = sorted(levels, reverse=True)
    while stack and not exploration.broken:
        number = stack.pop()
        level = levels[number]
        exploration.depth = max(exploration.depth, level)
        if level == bound:
            continue
        if exploration.stop():
            return
        if number not in successors:
            successors[number] = exploration.expand(number)
        for successor in reversed(successors[number]):
            if levels.get(successor, level + 2) > level + 1:
                levels[successor] = level + 1
                exploration.origin[successor] = number
                stack.append(successor)
    if len(successors) < len(exploration.states) and not exploration.broken:
        exploration.stopped = f"{parameter('limits.depth')} {bound}"


def random_walks(exploration: Exploration[State], walks: int, length: int, seed: int) -> Result:
    """Explore `walks` behaviours of at most `length` steps; each step is drawn uniformly from the possible ones."""
    return _ended(exploration, lambda each: _random_walks(each, walks, length, random.Random(seed)))


def _random_walks(exploration: Exploration[State], walks: int, length: int, chance: random.Random) -> None:
    exploration.begin()
    initial = len(exploration.states)
    successors: dict[int, list[int]] = {}
    for _ in range(walks if initial and not exploration.broken else 0):
        number = chance.randrange(initial)
        for level in range(1, length + 1):
            if exploration.stop():
                return
            if number not in successors:
                successors[number] = exploration.expand(number)
            if exploration.broken or not successors[number]:
                break
            exploration.depth = max(exploration.depth, level + 1)
            number = chance.choice(successors[number])
        if exploration.broken:
            return
    if len(successors) < len(exploration.states):
        exploration.stopped = f"{walks} walks of {length} steps"


def _ended(exploration: Exploration[State], search: Callable[[Exploration[State]], None]) -> Result:
    """Run `search` and return its result, also after an interruption."""
    try:
        search(exploration)
    except KeyboardInterrupt as end:
        exploration.stopped = reason(end)
    except Beyond as bound:
        exploration.stopped = str(bound)
    exploration.clock.stop()
    early = exploration.stopped != "" or exploration.broken != {} or exploration.lassos != []
    if early:
        answer()
    violations = [*_violations(exploration), *exploration.lassos]
    undecided = [each.name for each in exploration.properties if isinstance(each, Can | Progresses | Temporal)]
    undecided += sorted(exploration.unwitnessed)
    vacuous: Vacuous = ()
    if not early:
        try:
            doing("checking properties of the whole graph")
            violations, undecided = _of_the_whole(exploration, violations)
            vacuous = exploration.unmet.vacuous(exploration.coverage, exploration.changing())
        except KeyboardInterrupt as end:
            exploration.stopped = reason(end)
    verdict = Verdict.VIOLATED if violations else Verdict.GAVE_UP if exploration.stopped else Verdict.HOLDS
    progress = exploration.progress()
    return Result(
        verdict=verdict,
        distinct=progress.distinct,
        generated=progress.generated,
        depth=progress.depth,
        queue=progress.queue,
        coverage={kind.__name__: count for kind, count in exploration.coverage.items()},
        done=exploration.done,
        stuck=exploration.stuck,
        violations=tuple(violations),
        undecided=tuple(undecided),
        stopped=exploration.stopped,
        seconds=progress.seconds,
        orbits=exploration.canonical is not None,
        vacuous=vacuous,
        directed=exploration.followed if exploration.lassos else None,
        way_to_stuck=lambda: _least(exploration, exploration.stuck_states) if exploration.stuck_states else (),
    )


def _of_the_whole(exploration: Exploration[State], found: list[Violation]) -> tuple[list[Violation], list[str]]:
    """Return all violations, including those that only the whole graph shows, and the names of undecided properties."""
    impossible, undecided = _impossibilities(exploration)
    try:
        endless = _lassos(exploration)
    except Beyond as bound:
        exploration.stopped = str(bound)
        return found + impossible, [*undecided, *(each.name for each in exploration.temporal)]
    violated = {each.property.name for each in endless}
    if exploration.cut_off:
        undecided += [each.name for each in exploration.temporal if each.name not in violated]
    if undecided:
        exploration.stopped = f"{CUT_OFF} {', '.join(undecided)}"
    return found + impossible + endless, undecided


def _lassos(exploration: Exploration[State]) -> list[Violation]:
    """Return the violations of the temporal properties of a complete exploration, each replayed on real states.

    Raises Beyond if the search might exceed its memory.
    """
    if not exploration.temporal:
        return []
    machine, states = exploration.machine, exploration.states

    def judge(holds: Callable[[Any], bool]) -> Flags:
        return np.fromiter((holds(machine.view(state)) for state in states), dtype=np.bool_, count=len(states))

    return broken(
        machine, exploration.explored(), exploration.temporal, lambda question: judge, exploration.bounds.graph
    )


def _violations(exploration: Exploration[State]) -> Iterator[Violation]:
    """Yield the violations found during the exploration, in the order of the properties."""
    for question in exploration.properties:
        if question.name in exploration.broken:
            yield violation(exploration, question, exploration.broken[question.name])


def _impossibilities(exploration: Exploration[State]) -> tuple[list[Violation], list[str]]:
    """Return the violations that only the whole graph shows: a missing witness, or states that cannot reach a goal.

    The second list names the properties whose witness or goal may lie beyond the constraint.
    """
    violations, undecided = [], []
    possibility = _possibility(exploration)
    for question in exploration.properties:
        if isinstance(question, Sometimes) and question.name in exploration.unwitnessed:
            if exploration.cut_off:
                undecided.append(question.name)
            else:
                violations.append(Violation(question, ()))
        if isinstance(question, Can) and possibility is not None:
            lost, unclear = _lost(exploration, question, possibility)
            if lost:
                violations.append(Violation(question, _least(exploration, lost)))
            elif unclear:
                undecided.append(question.name)
        if isinstance(question, Progresses):
            still = None if exploration.canonical else _stalled(exploration, question)
            if still is not None:
                violations.append(still)
            elif exploration.cut_off or exploration.canonical:
                undecided.append(question.name)
    return violations, undecided


def _possibility(exploration: Exploration[State]) -> Possibility | None:
    """Return what stays possible in the explored graph; None if no property asks for it."""
    asked = any(isinstance(each, Can) for each in exploration.properties)
    return Possibility(exploration.explored().graph) if asked else None


def _lost(exploration: Exploration[State], question: Can, possibility: Possibility) -> tuple[list[int], list[int]]:
    """Return the states in which the question arises and that certainly, or possibly, cannot reach a goal.

    A goal is possible if a state outside the constraint can be reached, since the states behind it are not known.
    """
    view, states = exploration.machine.view, exploration.states
    goals = np.fromiter((question.holds(view(state)) for state in states), dtype=np.bool_, count=len(states))
    inside = possibility.hopeless(goals)
    anywhere = possibility.surely_hopeless(goals) if exploration.cut_off else inside
    arising = [number for number, state in enumerate(states) if inside[number] and question.when(view(state))]
    return [number for number in arising if anywhere[number]], [number for number in arising if not anywhere[number]]


def _stalled(exploration: Exploration[State], question: Progresses) -> Violation | None:
    """Return a fair behaviour that never makes the progress that is due, if there is one."""
    from schedcheck.checker.liveness.standstill import stalled

    return stalled(exploration.machine, exploration.explored(question.name), question)


def _least(exploration: Exploration[State], numbers: Sequence[int]) -> tuple[Stage, ...]:
    """Return the shortest trace to one of these states; ties are broken by the texts of the states."""
    levels = {number: _level(exploration, number) for number in numbers}
    least = min(levels.values())
    nearest = [number for number in numbers if levels[number] == least]
    return trace(exploration, min(nearest, key=lambda number: repr(exploration.states[number])))


def _level(exploration: Exploration[State], number: int) -> int:
    """Return the BFS level of a state; the initial states are level 1."""
    level = 0
    while number >= 0:
        level, number = level + 1, exploration.origin[number]
    return level
