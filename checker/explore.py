"""State by state: breadth first with the shortest counterexample, depth first to a bound, and random walks.

On a violation breadth first finishes the level, the counts are those after it, and of the evidence against a property
on that level the least in the order of its text is shown. Depth first and walks stop at the first violation.
"""

import random
from collections.abc import Callable, Iterator

from schedcheck.checker.evidence import trace, violation
from schedcheck.checker.exploration import Exploration, State
from schedcheck.checker.memory import TooManySets
from schedcheck.checker.possibility import hopeless
from schedcheck.checker.result import Result, Stage, Verdict, Violation
from schedcheck.spec.properties import Can, Sometimes


def breadth_first(exploration: Exploration[State]) -> Result:
    """Every state, level by level, until none is left, a property is broken or a bound is reached."""
    return _ended(exploration, _breadth_first)


def _breadth_first(exploration: Exploration[State]) -> None:
    exploration.begin()
    expanded = 0
    while expanded < len(exploration.states) and not exploration.broken:
        if exploration.depth == exploration.bounds.depth:
            exploration.stopped = f"--depth {exploration.depth}"
            return
        for number in range(expanded, len(exploration.states)):
            if exploration.stop():
                return
            exploration.expand(number)
            expanded += 1
        if expanded < len(exploration.states):
            exploration.depth += 1


def depth_first(exploration: Exploration[State]) -> Result:
    """Every state that `bounds.depth` levels reach, deep ones first; a state met again nearer by is taken up again."""
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
        exploration.stopped = f"--depth {bound}"


def random_walks(exploration: Exploration[State], walks: int, length: int, seed: int) -> Result:
    """`walks` behaviours of at most `length` steps each, every step drawn evenly from those that are possible."""
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
    """The result of `search`, also where it is interrupted."""
    try:
        search(exploration)
    except KeyboardInterrupt:
        exploration.stopped = "interrupted"
    except TooManySets as beyond:
        exploration.stopped = str(beyond)
    violations = list(_violations(exploration))
    complete = not exploration.stopped and not exploration.broken
    if complete:
        violations += _impossibilities(exploration)
    open_questions = [each.name for each in exploration.properties if isinstance(each, Can)]
    undecided = () if complete else (*open_questions, *sorted(exploration.unwitnessed))
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
        undecided=undecided,
        stopped=exploration.stopped,
        seconds=progress.seconds,
        orbits=exploration.canonical is not None,
    )


def _violations(exploration: Exploration[State]) -> Iterator[Violation]:
    """What was found broken on the way, in the order in which the properties are asked."""
    for question in exploration.properties:
        if question.name in exploration.broken:
            yield violation(exploration, question, exploration.broken[question.name])


def _impossibilities(exploration: Exploration[State]) -> Iterator[Violation]:
    """What only the whole graph shows: properties without a witness, and states from which there is no way back."""
    view = exploration.machine.view
    for question in exploration.properties:
        if isinstance(question, Sometimes) and question.name in exploration.unwitnessed:
            yield Violation(question, ())
        if isinstance(question, Can):
            lost = hopeless(exploration.edges, [question.holds(view(state)) for state in exploration.states])
            numbers = [
                number for number, state in enumerate(exploration.states) if lost[number] and question.when(view(state))
            ]
            if numbers:
                yield Violation(question, _least(exploration, numbers))


def _least(exploration: Exploration[State], numbers: list[int]) -> tuple[Stage, ...]:
    """The shortest trace to one of these states, the least in the order of their texts."""
    levels = {number: _level(exploration, number) for number in numbers}
    least = min(levels.values())
    nearest = [number for number in numbers if levels[number] == least]
    return trace(exploration, min(nearest, key=lambda number: repr(exploration.states[number])))


def _level(exploration: Exploration[State], number: int) -> int:
    """The level of a state, the initial ones being 1."""
    level = 0
    while number >= 0:
        level, number = level + 1, exploration.origin[number]
    return level
