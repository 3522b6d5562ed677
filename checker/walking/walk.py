"""One walk through the states of a scenario, step by step: `Walk`, `Option`, `walk`.

The steps of the specification come first, in the order of its machine. Other schedulers decide in the same environment. A
step that only they would take follows, so that a number names a step for good.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schedcheck.checker.check import properties
from schedcheck.checker.differential.decisions import concluded_decisions
from schedcheck.checker.differential.standing import Standing
from schedcheck.checker.exploring.memo import remembering
from schedcheck.checker.extenders.unasked import relevant
from schedcheck.checker.foreign.machine import Decides, Driven
from schedcheck.checker.limits.clock import Clock
from schedcheck.checker.result import Stage
from schedcheck.model.profiles import judging, profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Scenario, grouping, permitting
from schedcheck.spec.decisions import Decision
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.properties.kinds import Always, Property, Step

SPECIFICATION, PRODUCTION = "specification", "production"

MOST_KEPT = 2000
"""How many places are kept; another one is walked to again."""

Numbers = tuple[int, ...]


@dataclass(frozen=True)
class Option:
    """A step that is possible in a state.

    by
        The schedulers that would take it, in order; empty if it is no decision of a scheduler.
    breaks
        The properties that it violates, or that the state after it does.
    changes
        Whether the state after it is another one.
    """

    stage: Stage
    by: tuple[str, ...]
    breaks: tuple[str, ...]
    changes: bool


@dataclass
class Walk:
    """The states of a scenario that are reached step by step, each named by the numbers of the steps that lead there."""

    scenario: Scenario
    machine: Reference
    others: Mapping[str, Driven]
    properties: tuple[Property, ...]
    _options: OrderedDict[Numbers, tuple[Option, ...]] = field(default_factory=OrderedDict)
    _broken: OrderedDict[State, tuple[str, ...]] = field(default_factory=OrderedDict)

    @property
    def schedulers(self) -> tuple[str, ...]:
        """The names of those that decide."""
        return (SPECIFICATION, *self.others)

    def initial(self) -> Stage:
        """Return the one initial state."""
        (state,) = self.machine.initial_states()
        return Stage(None, state)

    def trace(self, path: Numbers) -> tuple[Stage, ...]:
        """Return the behaviour that these numbers name. Raises: LookupError where a number names no step."""
        found = [self.initial()]
        for length, number in enumerate(path):
            there = self.options(path[:length], found[-1].state)
            if not 0 <= number < len(there):
                raise LookupError(f"step {length + 1}: {number} is not one of the {len(there)} steps that are possible")
            found.append(there[number].stage)
        return tuple(found)

    def options(self, path: Numbers, state: State) -> tuple[Option, ...]:
        """Return the steps from the state at this path."""
        found = self._options.get(path)
        if found is None:
            found = self._options[path] = tuple(self._possible(state))
            if len(self._options) > MOST_KEPT:
                self._options.popitem(last=False)
        self._options.move_to_end(path)
        return found

    def broken(self, state: State) -> tuple[str, ...]:
        """Return the names of the invariants that the state violates."""
        found = self._broken.pop(state, None)
        if found is None:
            view = self.machine.view(state)
            found = tuple(each.name for each in self.properties if isinstance(each, Always) and not each.holds(view))
        self._broken[state] = found
        if len(self._broken) > MOST_KEPT:
            self._broken.popitem(last=False)
        return found

    def _possible(self, state: State) -> Iterator[Option]:
        by: dict[tuple[Any, State], list[str]] = {}
        for each in self.machine.steps(state):
            by.setdefault(each, [SPECIFICATION])
        for name, other in self.others.items():
            for each in other.decisions(state):
                by.setdefault(each, []).append(name)
        view = self.machine.view(state)
        for (action, after), names in by.items():
            decided = isinstance(action, Decision)
            broken = tuple(self._breaks(view, action, after))
            yield Option(Stage(action, after), tuple(names) if decided else (), broken, after != state)

    def _breaks(self, before: Snapshot, action: Any, after: State) -> Iterator[str]:
        view, broken = self.machine.view(after), self.broken(after)
        for each in self.properties:
            if each.name in broken:
                yield each.name
            if isinstance(each, Step) and isinstance(action, each.kinds) and not each.holds(before, action, view):
                yield each.name

    def retraced(self, trace: Sequence[Stage]) -> Numbers | None:
        """Return the path of a behaviour of this scenario; None if it is none."""
        path: Numbers = ()
        state = self.initial().state
        if not trace or trace[0].state != state:
            return None
        for stage in trace[1:]:
            there = self.options(path, state)
            found = [number for number, each in enumerate(there) if _same(each.stage, stage)]
            if not found:
                return None
            path, state = (*path, found[0]), stage.state
        return path


def walk(scenario: Scenario, decides: Mapping[str, Decides], rules: Sequence[Property] = ()) -> Walk:
    """Return the walk through a scenario, in which these other schedulers decide as well.

    `rules` are judged beside the properties of the scenario. Raises: UnknownProperty.
    """
    scenario = relevant(scenario)
    judge, own = judging(scenario), profile_of(scenario)
    same = own.name == judge.name and not own.faults
    judge = remembering(judge, scenario.pods, Clock(None))
    own = judge if same else remembering(own, scenario.pods, Clock(None))
    asked = (*properties(scenario, judge, symmetry=False), *rules)
    others = {name: Driven(scenario, own, each, lambda: "it gave no answer") for name, each in decides.items()}
    return Walk(scenario, Reference(scenario, own), others, asked)


def production(scenario: Scenario) -> Decides | None:
    """Return what the production scheduler decides; None if the scenario's scheduler has no such twin."""
    if not scenario.scheduler.has_plugins or permitting(scenario) or grouping(scenario):
        return None
    plugins = profile_of(scenario).plugins
    if any(each.extenders or each.unasked or each.rules for each in plugins):
        return None

    standing: tuple[Snapshot, Standing] | None = None

    def decides(pod: Pod, snapshot: Snapshot) -> frozenset[Decision]:
        # One scheduler decides on all pods of a state; states come one after the other.
        nonlocal standing
        if standing is None or standing[0] is not snapshot:
            standing = snapshot, Standing(snapshot, plugins)
        return concluded_decisions(standing[1].concluded(pod), snapshot)

    return decides


def _same(one: Stage, other: Stage) -> bool:
    return bool(one.state == other.state and str(one.action) == str(other.action))
