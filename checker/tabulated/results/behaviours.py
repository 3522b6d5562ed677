"""Behaviours that show what a tabulated exploration found; each is run on the machine."""

from collections.abc import Iterator

from schedcheck.checker.result import Stage, Violation
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.results.traces import least_predecessors
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.model.reference import State
from schedcheck.spec.properties.kinds import Step


def behaviour(explorer: Explorer, words: Words) -> list[Stage]:
    """Return a shortest behaviour that ends in this state or, under symmetry, in a state of its orbit."""
    stages = [Stage(None, explorer.plan.slots.first)]
    for target in least_predecessors(explorer, words)[1:]:
        stages.append(min(_to(explorer, stages[-1], target), key=lambda each: str(each.action)))
    return stages


def broken_step(explorer: Explorer, question: Step, before: Words) -> Violation:
    """Return the violation of a property of steps: the trace to the state before the step, then the step."""
    stages = behaviour(explorer, explorer.stands_for(before))
    machine, here = explorer.plan.machine, stages[-1].state
    last = [
        Stage(action, state)
        for action, state in machine.steps(here)
        if type(action) in question.kinds and not question.holds(machine.view(here), action, machine.view(state))
    ]
    return Violation(question, (*stages, min(last, key=lambda stage: (str(stage.action), repr(stage.state)))))


def _to(explorer: Explorer, stage: Stage, target: Words) -> Iterator[Stage]:
    """Yield the steps that lead to this state or, under symmetry, to a state of its orbit."""
    plan = explorer.plan

    def form(state: State) -> bytes:
        return explorer.stands_for(plan.packed(state)).tobytes()

    return (
        Stage(action, after) for action, after in plan.machine.steps(stage.state) if form(after) == target.tobytes()
    )
