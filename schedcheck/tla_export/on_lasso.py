"""The truth of a temporal formula on one lasso, evaluated directly by the definitions: `true_of`.

The search for counterexamples does not use this module. So a found lasso is judged a second time, without the graph.
"""

from collections.abc import Callable, Sequence
from typing import Any

from schedcheck.checker.language.checking.formulas import (
    Always,
    Both,
    Either,
    Eventually,
    Fair,
    Predicate,
    Steps,
    Temporal,
)
from schedcheck.checker.language.evaluation.acting import NEXT
from schedcheck.checker.language.evaluation.steps import has_step
from schedcheck.checker.language.evaluation.system import Formula, System
from schedcheck.checker.language.syntax import tree

State = tuple[Any, ...]
Truths = list[bool]
"""For each stage whether a formula is true of the behaviour from there on."""


def true_of(of: Temporal, system: System, states: Sequence[State], loop: int) -> bool:
    """Whether the formula is true of the lasso: after the last state, which equals that at `loop`, it continues there.

    If `loop` is the index of the last state, the behaviour stutters there.
    """
    return Along(system, states, loop).truths(of)[0]


class Along:
    """A lasso, evaluated stage by stage."""

    def __init__(self, system: System, states: Sequence[State], loop: int) -> None:
        self.system = system
        rests = loop == len(states) - 1
        self.states = tuple(states if rests else states[:-1])
        self.loop = loop

    def truths(self, of: Temporal) -> Truths:
        """Return for each stage whether the formula is true of the behaviour from there on."""
        match of:
            case Predicate(formula, holds):
                return [self.system.in_state(formula, state) is holds for state in self.states]
            case Steps(formula, holds):
                return [each is holds for each in self._steps(formula)]
            case Both(parts):
                return self._joined(all, parts)
            case Either(parts):
                return self._joined(any, parts)
            case Always(part):
                return self._from_here(all, self.truths(part))
            case Eventually(part):
                return self._from_here(any, self.truths(part))
            case Fair():
                return [self._fair(of) is of.holds] * len(self.states)

    def _steps(self, formula: Formula) -> Truths:
        following = (*self.states[1:], self.states[self.loop])
        pairs = zip(self.states, following, strict=True)
        return [self.system.in_step(formula, state, after) for state, after in pairs]

    def _joined(self, how: Callable[[Sequence[bool]], bool], parts: Sequence[Temporal]) -> Truths:
        each = [self.truths(part) for part in parts]
        return [how([truths[stage] for truths in each]) for stage in range(len(self.states))]

    def _from_here(self, how: Callable[[Sequence[bool]], bool], truths: Truths) -> Truths:
        """Return for each stage whether all, or any, of the stages from there on are true."""
        return [how(truths[min(stage, self.loop) :]) for stage in range(len(self.states))]

    def _fair(self, fair: Fair) -> bool:
        """Whether the cycle takes the action, or does not enable it everywhere (weak fairness) or anywhere (strong)."""
        node = fair.formula.node
        assert isinstance(node, tree.Fairness)
        changing = Formula(
            tree.Action(True, node.action, node.subscript, at=node.at), fair.formula.scope, fair.formula.frame
        )
        able = [self._enabled(changing, state) for state in self.states[self.loop :]]
        taken = any(self._steps(changing)[self.loop :])
        return taken or not (any(able) if fair.strong else all(able))

    def _enabled(self, changing: Formula, state: State) -> bool:
        running = self.system.running
        running.state, running.unsettled = state, False
        return has_step(running, changing.act(NEXT), [])
