"""The explored part of a machine: the states in the order of discovery, the counts, and the violations.

Counting is TLC's: every initial state and every step is generated, including repeated states and steps that change
nothing. A state outside a constraint is generated and judged but not stored. With a canonical form, a state is stored
as the representative of its orbit under the symmetries of the machine; steps are judged before that.
"""

import time
from array import array
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from schedcheck.checker.limits.clock import Clock
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import SECONDS_BETWEEN_REPORTS, doing, gigabytes
from schedcheck.checker.liveness.graph import INSTANCES, OUTSIDE, Explored, Recorder, instance
from schedcheck.checker.properties.vacuity import Unmet
from schedcheck.checker.result import Bounds, Progress, Stage, Violation
from schedcheck.model.machine import Machine
from schedcheck.spec.decisions import Unknown
from schedcheck.spec.properties.kinds import Always, Can, Progresses, Property, Sometimes, Step, Temporal

State = TypeVar("State", bound=Hashable)

STATES_BETWEEN_LOOKS = 512
SECONDS_BETWEEN_LOOKS = 0.25


class Evidence(NamedTuple):
    """The least evidence against a violated property: its text, the number of the source state (-1: none), the step."""

    text: str
    origin: int
    stage: Stage


class Exploration(Generic[State]):
    """The explored part of a machine, with the results.

    States are numbered in the order of discovery. `origin` holds the number of the state from which each was found,
    -1 for an initial one. `lassos` are the violations that the directed search has found, after `followed` states of its own.
    """

    def __init__(
        self,
        machine: Machine[State],
        properties: Sequence[Property],
        *,
        bounds: Bounds | None = None,
        canonical: Callable[[State], State] | None = None,
        constraint: Callable[[Any], bool] | None = None,
        report: Callable[[Progress], None] | None = None,
        clock: Clock | None = None,
        keep_graph: bool = False,
        keep_stuck: bool = False,
        directed_at: int | None = None,
    ) -> None:
        """Begin with nothing; from `directed_at` states on, the search directed at loops is tried; never if None."""
        self.machine = machine
        self.properties = tuple(properties)
        self.bounds = bounds or Bounds()
        self.canonical = canonical
        self.constraint = constraint
        self.report = report
        self.clock = clock or Clock(self.bounds.seconds)
        self.numbers: dict[State, int] = {}
        self.states: list[State] = []
        self.origin = array("q")
        self.expanded = 0
        self.generated = 0
        self.depth = 0
        self.directed_at = directed_at
        self.lassos: list[Violation] = []
        self.followed = 0
        self.done = 0
        self.stuck = 0
        self.stuck_states = array("q") if keep_stuck else None
        self.resting: list[State] = []
        self.stopped = ""
        self.cut_off = False
        self.coverage: dict[type, int] = dict.fromkeys(machine.kinds(), 0)
        self.always = [each for each in self.properties if isinstance(each, Always)]
        self.unwitnessed = {each.name for each in self.properties if isinstance(each, Sometimes)}
        self.steps = {
            kind: [each for each in self.properties if isinstance(each, Step) and kind in each.kinds]
            for kind in machine.kinds()
        }
        self.unmet = Unmet(self.properties)
        self.broken: dict[str, Evidence] = {}
        self.temporal = [each for each in self.properties if isinstance(each, Temporal)]
        namings = _namings([each for each in self.properties if isinstance(each, Progresses)])
        if self.temporal or keep_graph:
            namings[INSTANCES] = instance
        kept = namings or any(isinstance(each, Can) for each in self.properties)
        self.recorder = Recorder(namings) if kept else None
        self._labelled = bool(namings)
        self.started = self.reported = time.monotonic()
        self.looked = 0.0

    def begin(self) -> None:
        """Find the initial states."""
        doing("exploring")
        for state in self.machine.initial_states():
            self.generated += 1
            number = self._meet(self.canonical(state) if self.canonical else state, -1, Stage(None, state))
            if self.recorder is not None and number != OUTSIDE:
                self.recorder.initial.add(number)
        self.depth = 1

    def expand(self, number: int) -> list[int]:
        """Take every step from the state of this number, and return the numbers of its stored successors."""
        state = self.states[number]
        view = self.machine.view(state)
        numbers, coverage, canonical = self.numbers, self.coverage, self.canonical
        found: list[int] = []
        recorder = self.recorder
        changed = False
        for action, after in self.machine.steps(state):
            self.generated += 1
            kind = type(action)
            coverage[kind] += 1
            for asked in self.steps[kind]:
                if not asked.holds(view, action, self.machine.view(after)):
                    self._break(asked.name, number, Stage(action, after))
            if self.unmet.looks_at(kind):
                self.unmet.step(view, action, self.machine.view(after))
            changed = changed or after != state or kind is Unknown
            form = canonical(after) if canonical else after
            known = numbers.get(form)
            if known is None:
                known = self._meet(form, number, Stage(action, after))
            found.append(known)
            if recorder is not None:
                recorder.step(number, action, known)
        self.expanded += 1
        if not changed:
            self._rest(number, state)
        return [each for each in found if each >= 0]

    def explored(self, naming: str = INSTANCES) -> Explored:
        """Return the graph of the recorded steps, labelled by this naming, with the states."""
        assert self.recorder is not None, "a property that needs the graph is asked, or it is to be kept"
        return Explored(self.recorder.graph(len(self.states), naming), self.states)

    def changing(self) -> frozenset[type]:
        """Return the kinds of steps that change something; all kinds if the instances of actions were not recorded."""
        if self.recorder is None or INSTANCES not in self.recorder.labels:
            return frozenset(self.machine.kinds())
        return self.recorder.kinds()

    def _meet(self, form: State, origin: int, stage: Stage) -> int:
        """Judge a new state and store its canonical form. Return its number, -1 outside the constraint."""
        view = self.machine.view(stage.state)
        for question in self.always:
            if not question.holds(view):
                self._break(question.name, origin, stage)
        if self.unwitnessed:
            self._witness(view)
        if self.constraint is not None and not self.constraint(view):
            self.cut_off = True
            return -1
        number = self.numbers.setdefault(form, len(self.states))
        if number == len(self.states):
            self.unmet.state(view)
            self.states.append(form)
            self.origin.append(origin)
        return number

    def _witness(self, view: Any) -> None:
        """Remove the properties for which this state is a witness."""
        for question in self.properties:
            if isinstance(question, Sometimes) and question.name in self.unwitnessed and question.holds(view):
                self.unwitnessed.discard(question.name)

    def _rest(self, number: int, state: State) -> None:
        """Count and keep a state that no step changes."""
        self.resting.append(state)
        if self.machine.unfinished(state):
            self.stuck += 1
            if self.stuck_states is not None:
                self.stuck_states.append(number)
        else:
            self.done += 1

    def _break(self, name: str, origin: int, stage: Stage) -> None:
        """Keep the evidence against a property if it is the least so far."""
        text = f"{stage.state!r} {stage.action}"
        if name not in self.broken or text < self.broken[name].text:
            self.broken[name] = Evidence(text, origin, stage)

    def stop(self) -> bool:
        """Whether a bound is reached. The memory is checked only from time to time, as this is slow."""
        bounds, elapsed = self.bounds, time.monotonic() - self.started
        if bounds.max_states is not None and len(self.states) >= bounds.max_states:
            self.stopped = f"{parameter('limits.states')} {bounds.max_states}"
        elif self.expanded % STATES_BETWEEN_LOOKS == 0 or elapsed >= self.looked + SECONDS_BETWEEN_LOOKS:
            self.looked = elapsed
            if time.monotonic() >= self.clock.end:
                self.stopped = f"{parameter('limits.seconds')} {self.clock.seconds:g}"
            elif bounds.memory is not None and gigabytes() >= bounds.memory:
                self.stopped = f"{parameter('limits.memory')} {bounds.memory:g}"
            elif self.recorder is not None and self._labelled and self.recorder.gigabytes() >= bounds.graph:
                self.stopped = f"{parameter('limits.graph')} {bounds.graph:g}"
            if self.report and time.monotonic() - self.reported >= SECONDS_BETWEEN_REPORTS:
                self.reported = time.monotonic()
                self.report(self.progress())
        return self.stopped != ""

    def progress(self) -> Progress:
        """Return the counts so far."""
        queue = len(self.states) - self.expanded
        return Progress(len(self.states), self.generated, self.depth, queue, time.monotonic() - self.started)


def _namings(questions: Sequence[Progresses]) -> dict[str, Callable[[Any], tuple[type, str]]]:
    """Return what tells the steps apart that each property is about."""
    if not questions:
        return {}
    from schedcheck.checker.liveness.standstill import naming

    return {each.name: naming(each) for each in questions}
