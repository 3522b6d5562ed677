"""Breadth-first exploration of all reachable states of a module, with TLC's counts and shortest counterexamples.

A level is finished before a violation ends the search. Of the violations of one property on a level, the one with the
least text is shown. A state outside a constraint is generated and judged but not stored. An evaluation error ends the
search with the path to where it happened. Temporal properties are judged on the part explored so far, each time it has
grown enough: a behaviour found in it is one of the module, whatever else is reachable.
"""

import time
from collections.abc import Callable, Hashable

from schedcheck.checker.language.checking.ahead import Ahead, Answer, Foreseen
from schedcheck.checker.language.checking.breaking import NotSupported
from schedcheck.checker.language.checking.demands import Evidence, demands
from schedcheck.checker.language.checking.explored import DEADLOCK, Explored, Failed, Found
from schedcheck.checker.language.checking.keeping import Keeping, ended_as_by_the_user
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.checking.module_search import USUAL, ModuleSearch
from schedcheck.checker.language.checking.symmetry import Orbits, group
from schedcheck.checker.language.environment.running import deep
from schedcheck.checker.language.evaluation.steps import Label
from schedcheck.checker.language.evaluation.system import State
from schedcheck.checker.language.syntax.errors import TlaError
from schedcheck.checker.language.values.values import Value
from schedcheck.checker.limits.clock import Beyond
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import SECONDS_BETWEEN_REPORTS, doing, end_after, gigabytes, limited, reason
from schedcheck.checker.result import Bounds, Progress, Stage

FIRST_JUDGED, GROWTH = 64, 4
"""The states after which temporal properties are first judged, and the growth after which they are judged again."""

MOST_ALIKE = 200_000
"""The most states equivalent to a stored state that are remembered."""


class Exploration(Explored):
    """The exploration of a model, as far as `search` says; a `judge` finds violations of temporal properties."""

    def __init__(
        self,
        model: Model,
        bounds: Bounds,
        report: Callable[[Progress], None] | None = None,
        search: ModuleSearch = USUAL,
        judge: "Callable[[Exploration], list[Found]] | None" = None,
        keeping: Keeping | None = None,
    ) -> None:
        super().__init__(model, FIRST_JUDGED)
        self.search = search
        self.judge = judge
        self.keeping = keeping
        self.lasting: list[Found] = []
        self.bounds = bounds
        self.report = report
        self.reported = self.started
        self.end = float("inf") if bounds.seconds is None else end_after(bounds.seconds)
        self.of_initial, self.of_states, self.of_steps, self.temporal = demands(model)
        permutations = model.symmetries() if not self.temporal else []
        self.orbits = bool(permutations)
        self._orbits = Orbits(group(permutations)) if permutations else None
        self._alike: dict[Hashable, int] = {}
        self.ahead = Ahead(self, search.processes)

    def run(self) -> None:
        """Explore level by level, until no state is left, a property is broken or a bound is reached. Raises Failed."""
        with deep(), ended_as_by_the_user(self.keeping):
            try:
                doing("exploring")
                with limited(self.bounds.seconds, self.bounds.memory):
                    if self.model.behaves:
                        if self.keeping is None or not self.keeping.restore(self):
                            self._begin()
                        self._search()
                        self._mark()
                        self._judge_in_part()
            except KeyboardInterrupt as end:
                self.stopped = reason(end)
            except Beyond as bound:
                self.stopped = str(bound)
            finally:
                self.ahead.end()
                if self.keeping is not None:
                    self.keeping.keep(self)

    def _mark(self) -> None:
        """Note that no state is being expanded."""
        if self.keeping is not None:
            self.keeping.at(self)

    def _begin(self) -> None:
        self.depth = self.system.running.level = 1
        for state in self.system.initial():
            self.generated += 1
            self.witnesses.at(state)
            for name, asked in self.of_initial:
                if self.system.in_state(asked.formula, state) is not asked.holds:
                    self._break(name, -1, None, state, f"{name} does not hold initially")
            number, key = self._known(state)
            number = number if number >= 0 else self._meet(key, state, -1, None)
            if number >= 0:
                self.initial.append(number)

    def _judge_in_part(self) -> None:
        """Judge temporal properties on the explored part, if a number of states or levels ends it."""
        if self.stopped.startswith((f"{parameter('limits.depth')} ", f"{parameter('limits.states')} ")):
            self._judge()

    def _judge_now(self) -> None:
        """Judge temporal properties on the part explored so far, if it has grown enough."""
        if len(self.states) >= self.judged_at:
            self.judged_at = GROWTH * len(self.states)
            self._judge()

    def _judge(self) -> None:
        """Judge temporal properties on the part explored so far; one that is not supported is refused in the end."""
        if not self.temporal or self.lasting or self.judge is None:
            return
        try:
            self.lasting = self.judge(self)
        except NotSupported:
            self.judge = None

    def _ended(self) -> bool:
        """Whether a violation ends the search."""
        return not self.search.proceed and bool(self.broken or self.lasting)

    def _search(self) -> None:
        while self.expanded < len(self.states):
            self._mark()
            if self.expanded == self.level_end:
                if self._ended() or self._deep_enough():
                    return
                self.level_end = len(self.states)
            self.system.running.diameter = self.depth
            self.ahead.level(range(self.expanded, self.level_end))
            for number in range(self.expanded, self.level_end):
                self._mark()
                if self._stop():
                    return
                self._expand(number)
                self.expanded += 1
            if self.expanded < len(self.states):
                self.depth += 1
                self._judge_now()

    def _deep_enough(self) -> bool:
        """Whether the bound on the depth is reached."""
        if self.depth == self.bounds.depth:
            self.stopped = f"{parameter('limits.depth')} {self.depth}"
        return self.stopped != ""

    def _expand(self, number: int) -> list[int]:
        """Take every step from a state, and return the stored states that they lead to. Raises Failed."""
        state = self.states[number]
        self.system.running.level, self.system.running.between = self.depth, 0
        between, steps = self.ahead.steps(number) or self._steps(number, state)
        self.generated += len(steps) + between
        reached: list[int] = []
        for step in steps:
            try:
                reached.append(self._step(number, state, step))
            except TlaError as error:
                if isinstance(error, Failed):
                    raise
                stage = Stage(step.label, step.after)
                raise Failed(error, (*self.trace(number), stage), self.system.names) from None
        if not steps:
            self.ends += 1
            if self.model.deadlock:
                self._break(DEADLOCK, self.origin[number], None, state, "no step is possible")
                self.broken[DEADLOCK] = self.broken[DEADLOCK]._replace(label=None)
        return [each for each in reached if each >= 0]

    def _steps(self, number: int, state: State) -> Answer:
        """Return the steps of a state, and the intermediate states of composed steps. Raises Failed."""
        try:
            steps = self.system.successors(state)
        except TlaError as error:
            raise Failed(error, self.trace(number), self.system.names) from None
        return self.system.running.between, [Foreseen(label, after) for label, after in steps]

    def _step(self, number: int, state: State, step: Foreseen) -> int:
        """Judge one step and the state it leads to; return the number of that state, -1 outside the constraints."""
        label, after, fine_step, fine_state = step
        running = self.system.running
        running.level = self.depth
        name = str(label.name) if label is not None else ""
        self.coverage[name] = self.coverage.get(name, 0) + 1
        for asked, action in () if fine_step else self.of_steps:
            if not self.system.in_step(action, state, after):
                self._break(asked, number, label, after, f"the step breaks {asked}")
        inside = fine_step or all(self.system.in_step(each, state, after) for each in self.model.action_constraints)
        running.level = self.depth + 1
        self.witnesses.at(after)
        known, key = self._known(after)
        if known < 0:
            known = (
                self._store(key, after, number)
                if fine_state and inside
                else self._meet(key, after, number, label, inside)
            )
        if not inside:
            self.cut_off = True
            return -1
        if self.witnesses.of_steps and known >= 0:
            self.witnesses.of(state, after)
        if self.temporal and known >= 0:
            self.sources.append(number)
            self.targets.append(known)
        if self.search.edges and known >= 0:
            self.edges.append((number, known, label))
        return known

    def _meet(self, key: Hashable, state: State, origin: int, label: Label | None, inside: bool = True) -> int:
        """Judge a new state and store it; return its number, -1 outside the constraints."""
        system = self.system
        for name, asked in self.of_states:
            if system.in_state(asked.formula, state) is not asked.holds:
                self._break(name, origin, label, state, f"{name} does not hold")
        if not inside or not all(system.in_state(each, state) for each in self.model.constraints):
            self.cut_off = True
            return -1
        return self._store(key, state, origin)

    def _store(self, key: Hashable, state: State, origin: int) -> int:
        """Store a state, unless it is stored already; return its number."""
        system = self.system
        number = self.numbers.setdefault(key, len(self.states))
        if number == len(self.states):
            self.states.append(state)
            self.origin.append(origin)
            system.running.distinct = len(self.states)
            system.running.generated = self.generated
            system.running.queue = len(self.states) - self.expanded
        return number

    def _known(self, state: State) -> tuple[int, Hashable]:
        """Return the number of the stored state that represents this one (-1 for none), and this state's key."""
        key = self.key(state)
        number = self.numbers.get(key, -1)
        if number >= 0 or self._orbits is None:
            return number, key
        number = self._alike.get(key, -1)
        if number < 0:
            images = (self.numbers.get(self.key(each), -1) for each in self._orbits.images(state))
            number = next((each for each in images if each >= 0), -1)
            if len(self._alike) > MOST_ALIKE:
                self._alike.clear()
            self._alike[key] = number
        return number, key

    def key(self, state: State) -> Hashable:
        """Return what distinguishes states: the state itself, or the value of the VIEW."""
        if self.model.view is None:
            return state
        with self.system.at(state):
            viewed: Value = self.model.view.value()
        return (viewed,)

    def _break(self, name: str, origin: int, label: Label | None, state: State, claim: str) -> None:
        self.times[name] = self.times.get(name, 0) + 1
        if name in self.broken and self.broken[name].depth < self.depth:
            return
        text = " ".join(self.system.shown(state).values()) + str(label)
        if name not in self.broken or text < self.broken[name].text:
            self.broken[name] = Evidence(self.depth, text, origin, label, state, claim)

    def _stop(self) -> bool:
        """Whether a bound is reached."""
        bounds, now = self.bounds, time.monotonic()
        if bounds.max_states is not None and len(self.states) >= bounds.max_states:
            self.stopped = f"{parameter('limits.states')} {bounds.max_states}"
        elif now >= self.end:
            self.stopped = f"{parameter('limits.seconds')} {bounds.seconds:g}"
        elif bounds.memory is not None and self.expanded % 512 == 0 and self._full(bounds.memory):
            self.stopped = f"{parameter('limits.memory')} {bounds.memory:g}"
        if self.report is not None and now - self.reported >= SECONDS_BETWEEN_REPORTS:
            self.reported = now
            self.report(self.progress())
        return self.stopped != ""

    def _full(self, most: float) -> bool:
        """Whether this many GiB are used; the helpers end before the search does."""
        if gigabytes() + self.ahead.gigabytes >= most:
            self.ahead.end()
        return gigabytes() >= most
