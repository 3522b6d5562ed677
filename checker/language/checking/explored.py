"""What an exploration knows: its stored states, steps, counts and violations, and the behaviours that they show."""

import time
from array import array
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from schedcheck.checker.language.checking.demands import Evidence
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.checking.witnessing import Witnesses
from schedcheck.checker.language.evaluation.steps import Label
from schedcheck.checker.language.evaluation.system import State
from schedcheck.checker.language.syntax.errors import TlaError
from schedcheck.checker.result import Progress, Stage

DEADLOCK = "deadlock"


@dataclass(frozen=True)
class Found:
    """A violation: the broken property, and a behaviour that shows it; `loop` is the stage where its cycle begins."""

    name: str
    claim: str
    trace: tuple[Stage, ...]
    loop: int | None = None


class Failed(TlaError):
    """An evaluation error, with the behaviour that led to it; `names` are the variables."""

    def __init__(self, error: TlaError, trace: tuple[Stage, ...], names: tuple[str, ...]) -> None:
        super().__init__(error.says, error.at)
        self.trace = trace
        self.names = names


class Explored:
    """The known part of a model's graph.

    - `states`: the stored states by their numbers; `numbers` has these by what distinguishes states
    - `origin`: the state from which each was first reached, -1 for initial ones
    - `sources`, `targets`: the steps, for temporal properties; `edges`: the steps with their actions
    - `expanded`: the number of states whose steps are known; `level_end`: where the level that is expanded ends
    - `broken`, `times`: the evidence for each broken property, and how often it was broken
    - `judged_at`: the number of states from which temporal properties are judged next
    """

    def __init__(self, model: Model, judged_at: int) -> None:
        self.model = model
        self.system = model.system
        self.witnesses = Witnesses(model)
        self.states: list[State] = []
        self.origin = array("q")
        self.numbers: dict[Hashable, int] = {}
        self.initial: list[int] = []
        self.sources, self.targets = array("q"), array("q")
        self.edges: list[tuple[int, int, Label | None]] = []
        self.generated = self.depth = self.expanded = self.level_end = self.ends = 0
        self.cut_off = False
        self.stopped = ""
        self.coverage: dict[str, int] = {}
        self.broken: dict[str, Evidence] = {}
        self.times: dict[str, int] = {}
        self.judged_at = judged_at
        self.started = time.monotonic()

    def progress(self) -> Progress:
        """Return the counts so far."""
        queue = len(self.states) - self.expanded
        return Progress(len(self.states), self.generated, self.depth, queue, time.monotonic() - self.started)

    def trace(self, number: int) -> tuple[Stage, ...]:
        """Return the shortest behaviour that ends in a stored state."""
        path: list[int] = []
        while number >= 0:
            path.append(number)
            number = self.origin[number]
        path.reverse()
        stages = [Stage(None, self.states[path[0]])] if path else []
        for before, after in pairwise(path):
            stages.append(self.stage(before, after))
        return tuple(stages)

    def stage(self, before: int, after: int) -> Stage:
        """Return the step from one stored state to another; under symmetry or a VIEW, to a state that it represents."""
        wanted = self.states[after]
        steps = self.system.successors(self.states[before])
        exact = next((label for label, state in steps if state == wanted), None)
        return Stage(exact, wanted)

    def violations(self) -> list[Found]:
        """Return the violations found during the exploration, each with its behaviour."""
        found: list[Any] = []
        for name, evidence in self.broken.items():
            leading = self.trace(evidence.origin) if evidence.origin >= 0 else ()
            last = Stage(evidence.label, evidence.state)
            if name == DEADLOCK and leading:
                steps = self.system.successors(leading[-1].state)
                last = Stage(next((label for label, state in steps if state == evidence.state), None), evidence.state)
            found.append(Found(name, evidence.claim, (*leading, last)))
        return found
