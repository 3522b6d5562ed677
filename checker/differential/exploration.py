"""The production scheduler with its cluster, explored and judged in every state: `explored`; the differences: `why`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from schedcheck.checker.check import Checked
from schedcheck.checker.differential.admission import on_request
from schedcheck.checker.differential.decisions import Difference, difference
from schedcheck.checker.differential.properties import properties
from schedcheck.checker.exploring.constraints import constraint
from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.properties.by_name import asked
from schedcheck.checker.properties.former_names import suggestion
from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.checker.refinement.mapping import known
from schedcheck.checker.refinement.stranded import Watched, could_go
from schedcheck.checker.result import Bounds, Progress, Violation
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.machine.actions import Try
from schedcheck.model.production.machine.machine import Production, State
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.profiles import judging, profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod
from schedcheck.spec.profiles import by_scheduler_name
from schedcheck.spec.properties.kinds import (
    Always,
    Behaves,
    Can,
    Ceases,
    Eventually,
    InfinitelyOften,
    LeadsTo,
    Once,
    Premise,
    Progresses,
    Property,
    Sometimes,
    Step,
    Temporal,
)

OF_DECISIONS = Step | Progresses | Temporal
"""The kinds of property about, or fair to, the actions of the specification, and not about the cluster alone."""


def explored(
    scenario: Scenario,
    *,
    registry: Callable[[], Registry] = default_registry,
    faults: int = 0,
    rules: Sequence[Property] = (),
    names: Sequence[str] = (),
    bounds: Bounds | None = None,
    report: Callable[[Progress], None] | None = None,
) -> Checked:
    """Explore the scenario with the production scheduler in every order of steps; up to `faults` of its calls may fail.

    The properties are those of every scheduler, `rules`, and those of the scenario about the cluster, without those
    about the decisions of the specification. With `names` only these are checked, of the above and of those that
    `check` knows about the cluster.

    Raises: UnknownProperty for an unknown name or constraint.
    """
    machine = Production(scenario, Reference(scenario, profile_of(scenario)), faults=faults, registry=registry)
    questions = _questions(machine, rules, names)
    within = constraint(scenario.constraints)
    exploration: Exploration[State] = Exploration(
        Watched(machine),
        questions,
        bounds=bounds,
        constraint=None if within is None else lambda state: within(machine.view(state)),
        report=report,
    )
    return Checked(scenario, machine, questions, (), breadth_first(exploration))


def _questions(machine: Production, rules: Sequence[Property], names: Sequence[str]) -> tuple[Property, ...]:
    """Return the properties to check, each name once."""
    about = {each.name: each for each in (*properties(machine), fails_nowhere(machine))}
    own = {each.name: of_objects(machine, each) for each in rules}
    if not names:
        of_cluster = (each for text in machine.scenario.properties for each in _known(machine, text))
        lasting = {each.name: of_objects(machine, each) for each in of_cluster if not isinstance(each, OF_DECISIONS)}
        return tuple({**about, **own, **lasting}.values())
    there = {**{each.name: each for each in on_request(machine)}, **about, **own}
    found = [each for name in names for each in ([there[name]] if name in there else _named(machine, name, there))]
    return tuple({each.name: each for each in found}.values())


def _known(machine: Production, text: str) -> tuple[Property, ...]:
    """Return the properties that `check` knows by this text. Raises: UnknownProperty."""
    scenario = machine.scenario
    try:
        judge = judging(scenario)
        return asked(text, scenario.pods, judge, scenario.budgets, kubelet="kubelet" in scenario.controllers)
    except UnknownProperty as error:
        raise UnknownProperty(f"{text}: {error}") from None


def _named(machine: Production, text: str, others: Iterable[str]) -> Iterator[Property]:
    """Yield the properties of this text over states of the machine.

    Raises: UnknownProperty also for one about decisions.
    """
    try:
        found = _known(machine, text)
    except UnknownProperty:
        meant = suggestion(text, others)
        if not meant:
            raise
        raise UnknownProperty(f"{text}: no such property{meant}") from None
    for each in found:
        if isinstance(each, OF_DECISIONS):
            raise UnknownProperty(f"{text}: is about the decisions of the specification, and not about the cluster")
        yield of_objects(machine, each)


def of_objects(machine: Production, question: Property) -> Property:
    """Return a property of the API objects as a property of the machine's states."""
    view = machine.view
    match question:
        case Always() | Sometimes() | Eventually():
            holds = question.holds
            return replace(question, holds=lambda state: holds(view(state)), premises=_of_objects(machine, question))
        case Can() | LeadsTo() | InfinitelyOften():
            when, then = question.when, question.holds
            return replace(
                question,
                when=lambda state: when(view(state)),
                holds=lambda state: then(view(state)),
                premises=_of_objects(machine, question),
            )
        case Step():
            step = question.holds
            changes: Callable[[State, Any, State], bool] = lambda before, action, after: (  # noqa: E731
                step(view(before), action, view(after))
            )
            return replace(question, kinds=machine.kinds(), holds=changes, premises=_of_objects(machine, question))
        case Behaves():
            said, search = question.holds, question.search
            return replace(
                question,
                holds=lambda states, loop: said([view(each) for each in states], loop),
                search=lambda graph, state, room: search(graph, lambda number: view(state(number)), room),
                premises=_of_objects(machine, question),
            )
        case Progresses() | Ceases() | Once():
            return question


def _of_objects(machine: Production, question: Property) -> tuple[Premise, ...]:
    """Return the premises on states as premises on the machine's states; those on actions are dropped."""
    return tuple(_of_state(machine, each) for each in question.premises if not each.kinds)


def _of_state(machine: Production, premise: Premise) -> Premise:
    view, when = machine.view, premise.when
    return premise if when is None else replace(premise, when=lambda state: when(view(state)))


def fails_nowhere(machine: Production) -> Property:
    """Return the property that no plugin raises an exception or returns a value that its extension point forbids."""
    return Step(
        "no_plugin_fails",
        "No plugin raises or returns a value that its extension point forbids.",
        machine.kinds(),
        lambda before, action, after: not getattr(action, "raised", ""),
    )


def why(machine: Production, violation: Violation) -> Difference | str | None:
    """Return the fault in the last step of a violation: the difference from what is allowed, or a sentence."""
    *_, last = violation.trace
    raised: str = getattr(last.action, "raised", "")
    if raised:
        return raised
    if violation.property.name == "no_lost_wakeup":
        return _sleeping(machine, last.state)
    if violation.property.name == "decides_as_allowed" and isinstance(last.action, Try) and last.action.concluded:
        made = last.action.concluded
        snapshot = known(machine, violation.trace[-2].state)
        return difference(made, snapshot, by_scheduler_name(made.pod, machine.scenario.plugins))
    return None


def _sleeping(machine: Production, state: State) -> str:
    """Return the schedulable pods in the unschedulable queue, with the plugins that rejected them."""
    snapshot, profiles = known(machine, state), machine.scenario.plugins

    def free(pod: Pod) -> bool:
        return could_go(pod, snapshot, profiles)

    asleep = [each for each in state.memory.waiters if each.place == "unschedulable" and free(each.pod)]
    return "; ".join(
        f"{each.pod}, refused by {', '.join(each.refused_by)}, is schedulable, and no event has moved it"
        for each in asleep
    )
