"""Formulas that must be true in some reachable state, or of some step, as `_POSSIBLE` of TLC asks: `Witnesses`."""

from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.environment.scopes import ACTION
from schedcheck.checker.language.evaluation.levels import level
from schedcheck.checker.language.evaluation.system import Formula, State


class Witnesses:
    """The formulas that no state or step has satisfied so far, in `of_states` and `of_steps` by their names.

    As for TLC, a state counts if the constraints hold in it, and a step if the action constraints hold too.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._system = model.system
        self.of_states: dict[str, Formula] = {}
        self.of_steps: dict[str, Formula] = {}
        for name, asked in model.possible.items():
            steps = level(asked.node, asked.scope).level >= ACTION
            (self.of_steps if steps else self.of_states)[name] = asked

    @property
    def missing(self) -> list[str]:
        """The names of the formulas that were never true, in the order of the configuration."""
        return [each for each in self._model.possible if each in self.of_states or each in self.of_steps]

    def only(self, missing: list[str]) -> None:
        """Note that all others were true."""
        for of in (self.of_states, self.of_steps):
            for name in [each for each in of if each not in missing]:
                del of[name]

    def at(self, state: State) -> None:
        """Note which formulas are true in a state, if the constraints hold in it."""
        system = self._system
        if self.of_states and all(system.in_state(each, state) for each in self._model.constraints):
            true = [name for name, asked in self.of_states.items() if system.in_state(asked, state)]
            for name in true:
                del self.of_states[name]

    def of(self, state: State, after: State) -> None:
        """Note which formulas are true of a step within all constraints."""
        true = [name for name, asked in self.of_steps.items() if self._system.in_step(asked, state, after)]
        for name in true:
            del self.of_steps[name]
