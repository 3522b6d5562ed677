"""The properties of every production scheduler, over the states of its machine: `properties`."""

from collections.abc import Callable, Sequence
from typing import Any

from schedcheck.checker.differential.assumed_volumes import assumes_and_releases_volumes
from schedcheck.checker.differential.decisions import difference
from schedcheck.checker.differential.execution import conduct
from schedcheck.checker.refinement.mapping import known, refinement
from schedcheck.checker.refinement.stranded import late_plugins, no_lost_wakeup
from schedcheck.model.production.framework.extender import Extender
from schedcheck.model.production.invariants.machine import INVARIANTS
from schedcheck.model.production.machine.actions import Advance, Try
from schedcheck.model.production.machine.machine import Production, State
from schedcheck.spec.profiles import by_scheduler_name
from schedcheck.spec.properties.kinds import Always, Property, Step


def decides_as_allowed(
    machine: Production, extenders: Sequence[Extender] = ()
) -> Callable[[State, Any, State], bool]:  # fmt: skip
    """Every decision of a cycle is allowed on the scheduler's knowledge at its beginning."""

    def holds(before: State, action: Any, after: State) -> bool:
        concluded = action.concluded
        if concluded is None:
            return True
        plugins = by_scheduler_name(concluded.pod, machine.scenario.plugins)
        return difference(concluded, known(machine, before), plugins, extenders) is None

    return holds


def nominations_are_written(before: State, action: Any, after: State) -> bool:
    """A cycle that sets or clears a nomination has recorded it and written it to the API.

    Checked if all changes were delivered and no call failed.
    """
    made = action.concluded
    if made is None or made.hosts or made.nominated is None or before.pods or action.wrong:
        return True
    written = {pod.key: pod.nominated_node_name for pod in after.objects.pods if pod is not None}
    noted = dict(after.memory.nominations).get(made.pod.key, "")
    return bool(noted == made.nominated == written[made.pod.key])


def takes_the_first(before: State, action: Any, after: State) -> bool:
    """A cycle takes the first active pod: of the highest priority, and among these the one that has waited longest."""
    active = [waiter for waiter in before.memory.waiters if waiter.place == "active"]
    first = min(active, key=lambda waiter: (-waiter.pod.priority, waiter.rank), default=None)
    if first is None or action.concluded is None:
        return True
    taken = next(waiter for waiter in active if waiter.pod.key == action.concluded.pod.key)
    return (taken.pod.priority, taken.rank) == (first.pod.priority, first.rank)


def nominations_agree(state: State) -> bool:
    """Once all changes are delivered, the nominations of pending pods are those of their objects."""
    if state.pods or state.memory.bindings:
        return True
    there = {pod.key: pod.nominated_node_name for pod in state.objects.pods if pod is not None and not pod.node_name}
    return dict(state.memory.nominations) == {key: node for key, node in there.items() if node}


def properties(machine: Production, extenders: Sequence[Extender] = ()) -> tuple[Property, ...]:
    """Return the properties of every production scheduler, over `Watched`.

    The order of the queue is checked only if PrioritySort sorts it. The extenders always give one answer to one
    question.
    """
    by_priority = all(each.at("queueSort") == ("PrioritySort",) for each in machine.scenario.plugins)
    in_order = (_of_a_try(takes_the_first, takes_the_first),) if by_priority else ()
    refines, progresses = refinement(machine)
    # An out-of-tree plugin may reject pods after the choice forever; extenders are unknown to the specification.
    refined: tuple[Property, ...] = (refines,) if late_plugins(machine.scenario.plugins) else (refines, progresses)
    if extenders:
        refined = ()
    aside = assumes_and_releases_volumes(lambda state: known(machine, state))
    return (
        _of_a_try(decides_as_allowed, decides_as_allowed(machine, extenders)),
        _of_a_try(nominations_are_written, nominations_are_written),
        *in_order,
        Step("assumes_and_releases_volumes", _claim(assumes_and_releases_volumes), (Try, Advance), aside),
        Always("no_lost_wakeup", _claim(no_lost_wakeup), no_lost_wakeup(machine, extenders)),
        *refined,
        *(Always(each.__name__, _claim(each), each) for each in (nominations_agree, *INVARIANTS)),
        *conduct(machine, extenders),
    )


def _of_a_try(definition: Callable[..., Any], holds: Callable[[State, Any, State], bool]) -> Step:
    return Step(definition.__name__, _claim(definition), (Try,), holds)


def _claim(definition: Callable[..., Any]) -> str:
    """Return the first line of a definition's docstring, which is the claim of the property."""
    return (definition.__doc__ or "").partition("\n")[0]
