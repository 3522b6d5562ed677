"""Other processes that evaluate states of a level before the exploration comes to them: `Ahead`.

The exploration goes through a level from its beginning, the helpers from its end. A helper is a copy of this process;
it tells the steps of a state, and which of them need no further judgement. Everything else is decided here, in the order
of a single process: numbers, counts, traces and errors are the same. What a helper cannot tell is evaluated here.
"""

import os
import pickle
import time
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, NamedTuple

from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.environment.scopes import ACTION, Builtin
from schedcheck.checker.language.evaluation.levels import children
from schedcheck.checker.language.evaluation.steps import Label
from schedcheck.checker.language.evaluation.system import State
from schedcheck.checker.language.standard.modules import MODULES
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import TlaError
from schedcheck.checker.limits.copies import deaf, ended, may_copy, started
from schedcheck.checker.limits.cores import cores
from schedcheck.checker.limits.timer import gigabytes

if TYPE_CHECKING:
    from schedcheck.checker.language.checking.exploring import Exploration

WORTHWHILE, AFTER = 256, 1.0
"""The states of a level, and the seconds of exploration, from which helpers are worthwhile."""

FEWEST, MOST = 4, 128
"""The fewest and the most states that a helper is asked for at once."""


class Foreseen(NamedTuple):
    """A step of a state: its label, the state it leads to, and whether the step and that state are known to be fine.

    Fine is what breaks no property and lies within the constraints.
    """

    label: Label | None
    after: State
    fine_step: bool = False
    fine_state: bool = False


Answer = tuple[int, list[Foreseen]]
"""The intermediate states of composed steps, and the steps of a state."""


Told = tuple[int, list[tuple[Label | None, State | int, bool, bool]]]
"""The same as a helper sends it: a state that it knows by its number."""


class _Helper(NamedTuple):
    connection: Connection
    process: BaseProcess


class Ahead:
    """The helpers of an exploration; `processes` is their number and this one, None for as many as there are cores."""

    def __init__(self, exploration: "Exploration", processes: int | None) -> None:
        self._exploration = exploration
        self._asked = processes
        self._idle: list[_Helper] = []
        self._busy: dict[_Helper, range] = {}
        self._told: dict[_Helper, int] = {}
        self._answers: dict[int, Answer] = {}
        self._memory: dict[_Helper, float] = {}
        self._end = 0
        self._begun = False

    @property
    def gigabytes(self) -> float:
        """The memory of the helpers, in GiB; what they share with this process counts again."""
        return sum(self._memory.values())

    def level(self, states: range) -> None:
        """Begin a level with these states."""
        self._end = states.stop
        if not self._begun and self._worthwhile(len(states)):
            self._begun = True
            if not depends_on_more(self._exploration):
                for _ in range((self._asked or cores()) - 1):
                    self._begin()

    def _worthwhile(self, states: int) -> bool:
        if self._asked is not None:
            return self._asked > 1
        return (
            states >= WORTHWHILE
            and time.monotonic() - self._exploration.started >= AFTER
            and cores() > 1
            and may_copy()
        )

    def _begin(self) -> None:
        # The copy closes these ends, so that it notices when this process ends.
        others = [each.connection for each in self._told]
        with suppress(OSError):
            started(self._note, _serve, self._exploration, others)

    def _note(self, connection: Connection, process: BaseProcess) -> None:
        helper = _Helper(connection, process)
        self._idle.append(helper)
        self._told[helper], self._memory[helper] = len(self._exploration.states), 0.0

    def steps(self, number: int) -> Answer | None:
        """Return the steps of the state, if a helper tells them."""
        if not self._told:
            return None
        self._receive(0)
        self._ask(number + 1)
        while number >= self._end and any(number in states for states in self._busy.values()):
            self._receive(None)
        return self._answers.pop(number, None)

    def _ask(self, first: int) -> None:
        """Give work to helpers without any, from the end of the level."""
        while self._idle:
            count = min(MOST, (self._end - first) // (2 * len(self._told) + 1))
            if count < FEWEST:
                return
            helper = self._idle.pop()
            states = self._exploration.states
            told, self._told[helper] = self._told[helper], len(states)
            asked = range(self._end - count, self._end)
            try:
                helper.connection.send((states[told:], asked))
            except (OSError, pickle.PicklingError, TypeError, AttributeError):
                self._lose(helper)
                continue
            self._end = asked.start
            self._busy[helper] = asked

    def _receive(self, seconds: float | None) -> None:
        """Take the answers that have come, or wait for one."""
        for helper, asked in list(self._busy.items()):
            try:
                if not helper.connection.poll(seconds):
                    continue
                answers, self._memory[helper] = helper.connection.recv()
            except (OSError, EOFError):
                self._lose(helper)
                continue
            del self._busy[helper]
            self._idle.append(helper)
            self._keep(asked, answers)

    def _keep(self, asked: range, answers: list[Told | None]) -> None:
        states = self._exploration.states
        for number, told in zip(asked, answers, strict=True):
            if told is not None:
                between, steps = told
                self._answers[number] = (
                    between,
                    [
                        Foreseen(label, states[after] if isinstance(after, int) else after, *fine)
                        for label, after, *fine in steps
                    ],
                )

    def _lose(self, helper: _Helper) -> None:
        """Go on without a helper; its states are evaluated here."""
        ended(helper)
        for of in (self._busy, self._told, self._memory):
            of.pop(helper, None)
        if helper in self._idle:
            self._idle.remove(helper)

    def end(self) -> None:
        """End all helpers."""
        ended(*self._told)
        for of in (self._idle, self._busy, self._told, self._memory):
            of.clear()


def depends_on_more(exploration: "Exploration") -> bool:
    """Whether an evaluation may depend on more than the states, or states are told apart by more than themselves."""
    model = exploration.model
    return model.view is not None or exploration.orbits or any(name in IMPURE for name in named(model))


def named(model: Model) -> Iterator[str]:
    """Yield the names that the modules and the replacements of a model use."""
    yield from (each.by for each in model.asked.replacements)
    for module in model.universe.modules.values():
        yield from _names(module)


IMPURE = frozenset(
    name
    for table in MODULES.values()
    for name, meaning in table.items()
    if isinstance(meaning, Builtin) and meaning.level >= ACTION
)
"""The operators of the standard modules that print, count or draw at random."""


def _names(node: object) -> Iterator[str]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        match each:
            case tree.Name(name=name) | tree.Apply(operator=name) | tree.Through(operator=name):
                yield name
            case tree.Selected(steps=steps):
                yield from (step.selector for step in steps)
        waiting += children(each)


def _serve(exploration: "Exploration", others: list[Connection], connection: Connection, other: Connection) -> None:
    """Tell the steps of states until the exploration ends; `others` are the ends of pipes that it has."""
    for end in (other, *others):
        end.close()
    if exploration.keeping is not None:
        exploration.keeping.close()
    deaf()
    telling = Telling(exploration)
    while True:
        try:
            states, asked = connection.recv()
            telling.learn(states)
            connection.send_bytes(_written([telling.answer(number) for number in asked]))
        except BaseException:
            # The exploration has ended, or it evaluates these states again and tells the error itself.
            os._exit(0)


def _written(answers: list[Told | None]) -> bytes:
    """Return the message with the answers; values that cannot be sent are left to the exploration."""
    try:
        return pickle.dumps((answers, gigabytes()), pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError):
        return pickle.dumps(([None] * len(answers), gigabytes()))


class Telling:
    """The helper's side: what it knows of the exploration, and the states that it found fine."""

    def __init__(self, exploration: "Exploration") -> None:
        self._exploration = exploration
        self._fine: dict[State, bool] = {}

    def learn(self, states: list[State]) -> None:
        """Take over the states that the exploration has stored since."""
        known = self._exploration
        for state in states:
            known.numbers[state] = len(known.states)
            known.states.append(state)

    def answer(self, number: int) -> Told | None:
        """Return the steps of a state; None if an evaluation fails, which the exploration then repeats."""
        known = self._exploration
        state, system = known.states[number], known.system
        system.running.between = 0
        try:
            steps = system.successors(state)
            between = system.running.between
            return between, [
                (label, known.numbers.get(after, after), self._fine_step(state, after), self._fine_state(after))
                for label, after in steps
            ]
        except TlaError:
            return None

    def _fine_step(self, state: State, after: State) -> bool:
        known = self._exploration
        return all(known.system.in_step(asked, state, after) for _, asked in known.of_steps) and all(
            known.system.in_step(each, state, after) for each in known.model.action_constraints
        )

    def _fine_state(self, state: State) -> bool:
        """Whether a new state is fine; a known one was judged before."""
        known = self._exploration
        if state in known.numbers:
            return False
        if state not in self._fine:
            self._fine[state] = all(
                known.system.in_state(asked.formula, state) is asked.holds for _, asked in known.of_states
            ) and all(known.system.in_state(each, state) for each in known.model.constraints)
        return self._fine[state]
